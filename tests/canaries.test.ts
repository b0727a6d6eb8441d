import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createCanaries } from "./canaries.ts"
import { temporaryFolder } from "./faults/processes.ts"

const KEY = "sk-x9Qw7TzR2mLpV4nB8cKd"

it.each([
  ["the body of a request", { accounts: [{ api_key: KEY }] }],
  ["its headers", [{}, { "x-api-key": ` ${KEY} ` }]],
  ["headers of a platform's kind", new Headers({ "x-api-key": KEY })],
  ["an environment", { OPENAI_API_KEY: KEY }],
])("finds a key of %s under a folder, in whatever form", async (_, given) => {
  const canaries = createCanaries()
  canaries.note(given)
  const folder = await mkdtemp(join(tmpdir(), "canaries-"))
  await mkdir(join(folder, "deep"))
  const forms = {
    text: `The key is ${KEY}.`,
    part: KEY.slice(4),
    hex: Buffer.from(`{"key":"${KEY}"}`).toString("hex"),
    base64: Buffer.from(`user:${KEY}`).toString("base64"),
    shifted: Buffer.from(`users:${KEY}`).toString("base64"),
    wide: Buffer.from(KEY, "utf16le"),
  }
  for (const [name, content] of Object.entries(forms)) await writeFile(join(folder, "deep", name), content)
  await writeFile(join(folder, "innocent"), "sk-x9Qw7TzR")
  const expected = Object.keys(forms).map((name) => `${KEY} stands in ${join(folder, "deep", name)}`)
  expect((await canaries.findUnder(folder)).sort()).toEqual(expected.sort())
  await rm(folder, { recursive: true })
})

it("are noted in requests as they were sent", () => {
  const canaries = createCanaries()
  const others = ["sk-Ld3ZkW8vTq5XnR7bYc2M", "sk-Pf6HsJ1gAe9UoI4tVx0N"]
  canaries.noteSent(Buffer.from(`POST /api/v1/accounts HTTP/1.1\r\nX-Groq_Api_Key: ${others[0]}\r\n`))
  canaries.noteSent(Buffer.from(`{"name":"work","api_key":"${KEY}"}`))
  canaries.noteSent(Buffer.from(`{"groq_api_key": "${others[1]}", "api_key": "short"}`))
  for (const key of [KEY, ...others]) expect(canaries.findIn("it", `It is ${key}.`)).toEqual([`${key} stands in it`])
})

it("fail a test that leaves one in its folder", async () => {
  const folder = await temporaryFolder()
  folder.canaries.note({ api_key: KEY })
  await writeFile(join(folder.path, "log"), `with ${KEY}`)
  await expect(folder[Symbol.asyncDispose]()).rejects.toThrow(`${KEY} stands in ${join(folder.path, "log")}`)
})
