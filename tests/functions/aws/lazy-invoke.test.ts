import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createLazyInvoke } from "@switchyard/functions/aws/lazy-invoke"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { never as signal } from "../../settings.ts"

const requested: string[] = []
let connections = 0
const lambda = createServer((request, response) => {
  requested.push(request.url ?? "")
  response.writeHead(202).end()
})
lambda.on("connection", () => connections++)

beforeEach(async () => {
  lambda.listen(0, "127.0.0.1")
  await once(lambda, "listening")
  vi.stubEnv("AWS_REGION", "eu-central-1")
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test")
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test")
  vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`)
})
afterEach(() => {
  vi.unstubAllEnvs()
  lambda.closeAllConnections()
  lambda.close()
})

it("invokes functions one after another with one client, over one connection", async () => {
  const invoke = createLazyInvoke()
  for (const name of ["first", "second", "third"]) await invoke(name, {}, { signal })
  expect(requested).toEqual(["first", "second", "third"].map((name) => `/2015-03-31/functions/${name}/invocations`))
  expect(connections).toBe(1)
})
