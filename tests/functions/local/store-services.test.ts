import { readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { dynamoTable } from "@switchyard/core/storage/dynamo"
import { openStores } from "@switchyard/core/storage/open-stores"
import { Env } from "@switchyard/functions/environment"
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { startDynamo } from "../../emulators/dynamo.ts"
import { startS3 } from "../../emulators/s3.ts"
import { startServer } from "../server.ts"

/** A host name, because the SDK puts the bucket's name in front of it by default, and no server has that name. */
const ADDRESS = "localhost"

let s3: Awaited<ReturnType<typeof startS3>>
let dynamo: Awaited<ReturnType<typeof startDynamo>>
beforeAll(async () => {
  s3 = await startS3()
  dynamo = await startDynamo()
})
beforeEach(() => {
  const variables = {
    AWS_ENDPOINT_URL_S3: String(s3.config.endpoint).replace("127.0.0.1", ADDRESS),
    AWS_ENDPOINT_URL_DYNAMODB: String(dynamo.config.endpoint),
    AWS_REGION: "auto",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
})
afterAll(async () => {
  await Promise.all([s3.stop(), dynamo.stop()])
})

it("stores everything in the services that the settings name, and links to itself", async () => {
  const [S3_BUCKET, DYNAMODB_TABLE] = await Promise.all([s3.createBucket(), dynamo.createTable()])
  const server = await startServer({ env: { S3_BUCKET, DYNAMODB_TABLE, S3_PATH_STYLE: "true" } })
  const { run_id: id, status } = await server.run({ user_prompt: "A page." })
  expect([status, server.reported]).toEqual(["completed", []])
  expect((await readdir(server.folder)).filter((name) => /records|blobs/.test(name))).toEqual([])

  const stores = await openStores({ table: DYNAMODB_TABLE, bucket: S3_BUCKET, pathStyle: true })
  const stored = await Array.fromAsync(stores.blobs.list(""))
  expect(stored.length).toBeGreaterThan(0)
  const [key = ""] = stored.map((blob) => blob.key)
  const link = await server.stores.blobs.signedUrl(key, { expiresInSeconds: 60, filename: "a" })
  expect(link.startsWith(server.url)).toBe(true)
  expect((await fetch(link)).status).toBe(200)
  expect((await server.call("GET", `/v1/runs/${id}`)).body.status).toBe("completed")
  await server.close()
})

it("keeps what no service stores in the folder", async () => {
  const S3_BUCKET = await s3.createBucket()
  const server = await startServer({ env: { S3_BUCKET, S3_PATH_STYLE: "true" } })
  const { status, error } = await server.run({ user_prompt: "A page." })
  expect([status, error]).toEqual(["completed", null])
  expect((await readdir(server.folder)).filter((name) => /records|blobs/.test(name))).toContain("records.sqlite")
  await server.close()
})

it("has the settings and the table that docs/operate.md names", () => {
  const page = readFileSync(new URL("../../../docs/operate.md", import.meta.url), "utf8")
  const [, rest = ""] = page.split("### In other services\n")
  const [section = ""] = rest.split("\n## ")
  const named = new Set(section.match(/\b(S3|AWS|DYNAMODB)_[A-Z\d_]+/g))
  const credentials = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
  const known = Object.keys(Env.shape).filter((name) => /^(S3|AWS|DYNAMODB)_/.test(name))
  expect([...named].sort()).toEqual([...known, ...credentials].sort())
  expect(section).toContain(`'${JSON.stringify(dynamoTable("switchyard"))}'`)
})
