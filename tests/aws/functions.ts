import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInvoke, createLambdaClient } from "@switchyard/functions/aws/invoke"
import { exchangeTicketWith, invokeByName } from "@switchyard/runner/serving/session-credentials"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { WAIT_MS } from "../settings.ts"
import { createLambda } from "./code.ts"
import { connectAws } from "./connect.ts"

const { signal } = new AbortController()
const aws = connectAws("us-east-1")
const ticket = { sid: "a", generation: 1, attempt: 1, secret: "s" }
const granted = {
  accessKeyId: "a",
  secretAccessKey: "b",
  sessionToken: "c",
  ticket,
  expiration: "2026-01-01T00:00:00Z",
}

const WRITE = `exports.handler = async (event) => require("fs").writeFileSync(process.env.TO, JSON.stringify(event))`
const GRANT = `exports.handler = async ({ ticket }) => ({ granted: ticket.secret === "s" ? ${JSON.stringify(granted)} : null })`
const FAIL = `exports.handler = async () => { throw new Error("broken") }`

describe(`functions in Lambda on ${aws.name}`, () => {
  const client = createLambdaClient(aws.config)
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-lambda-"))
    await aws.withoutDocker()
    const role = await aws.createRole("fn")
    await createLambda(client, "worker", { role, code: WRITE, environment: { TO: join(folder, "event") } })
    await createLambda(client, "credentials", { role, code: GRANT })
    await createLambda(client, "broken", { role, code: FAIL })
    vi.stubEnv("AWS_REGION", aws.config.region)
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", aws.config.endpoint)
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test")
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    client.destroy()
    await rm(folder, { recursive: true })
  })

  it("are invoked without waiting for them", async () => {
    await createInvoke(client)("worker", { serve: "é" }, { signal })
    if (aws.name === "Moto") return
    const written = () => readFile(join(folder, "event"), "utf8").catch(() => "")
    await expect.poll(written, { timeout: WAIT_MS }).toBe('{"serve":"é"}')
  })

  it("answer a runner that asks for credentials, which it gets or doesn't", async () => {
    const trade = exchangeTicketWith(invokeByName("credentials").ask)
    await aws.functionsAnswer([{ granted: null }])
    expect(await trade({ ticket: { ...ticket, secret: "spent" }, executor: "ecs-t1" })).toBeNull()
    await aws.functionsAnswer([{ granted }])
    expect(await trade({ ticket, executor: "ecs-t1" })).toMatchObject(granted)
  })

  it.skipIf(aws.name === "Moto")("that fail are told apart from those that answer", async () => {
    await expect(invokeByName("broken").ask({ ticket, executor: "ecs-t1" })).rejects.toThrow(
      "The function broken failed: Unhandled",
    )
  })
})

// Moto accepts messages to any connection, open or not.
describe.runIf(aws.name === "Moto")("connections of API Gateway on Moto", () => {
  it("are sent to, and closed", async () => {
    const { createGateway } = await import("@switchyard/functions/aws/sockets/gateway")
    const gateway = createGateway(aws.config)
    expect(await gateway.post("one", JSON.stringify({ text: "é".repeat(10_000) }), { signal })).toBe(true)
    await gateway.close("one", { signal })
  })
})
