import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createCanaries } from "./canaries.ts"

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
