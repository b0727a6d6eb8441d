import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ArchiveRequest } from "@switchyard/core/agents/runner/credentials-schema"
import { readAll } from "@switchyard/core/storage/blobs"
import { createAskedArchives } from "@switchyard/runner/serving/asked-archives"
import { expect, it, onTestFinished } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { never as signal } from "../../settings.ts"

const ticket = { sid: "one", generation: 1, attempt: 1, secret: "x" }
const name = "a".repeat(64)

/** Opens a runner's archives, with a function that stores the last archive it receives. */
async function open({ maxBytes, fails = false }: { maxBytes?: number; fails?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "archives-"))
  const { blobs, close } = await openStores()
  const asked: ArchiveRequest["archive"][] = []
  const reported: unknown[] = []
  let stored: Buffer | undefined
  const server = createServer((_, response) => void response.writeHead(stored ? 200 : 404).end(stored))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  onTestFinished(async () => {
    server.close()
    await close()
    await rm(folder, { recursive: true })
  })
  async function ask({ archive }: ArchiveRequest) {
    asked.push(archive)
    if (fails) throw new Error("The function failed.")
    const found = archive.act === "keep" ? await blobs.get(`s/one/3/prepared/${name}`) : undefined
    if (found) stored = await readAll(found)
    return { archive: { url: archive.act === "find" ? url : null } }
  }
  const store = (bytes: Buffer) => {
    stored = bytes
  }
  const about = { ask, blobs, sid: "one", executor: "ecs-a", ticket: () => ticket, system: "sha256:1", maxBytes }
  const run = { runId: "run_1", incarnation: 3, report: (error: unknown) => void reported.push(error) }
  const archives = createAskedArchives(about)(run)
  return { folder, blobs, archives, asked, reported, store }
}

it("brings back what another runner has stored, and leaves nothing in the session", async () => {
  const { folder, blobs, archives, asked, reported } = await open()
  const bytes = randomBytes(300_000)
  writeFileSync(join(folder, "made.tar"), bytes)
  await archives.keep(name, join(folder, "made.tar"))
  expect(await Array.fromAsync(blobs.list("s/"))).toEqual([])
  expect(await archives.fetch(name, join(folder, "fetched.tar"), { signal })).toBe(true)
  expect(readFileSync(join(folder, "fetched.tar")).equals(bytes)).toBe(true)
  expect(asked).toEqual(["keep", "find"].map((act) => ({ act, run_id: "run_1", name })))
  expect(reported).toEqual([])
})

it.each(["missing", "damaged"])("goes on without an archive that is %s, and reports it", async (how) => {
  const { folder, archives, reported, store } = await open()
  if (how === "damaged") store(Buffer.from("not compressed"))
  expect(await archives.fetch(name, join(folder, "fetched.tar"), { signal })).toBe(false)
  expect(reported).toHaveLength(1)
  await archives.keep(name, join(folder, "none.tar"))
  expect(reported).toHaveLength(2)
  expect(existsSync(join(folder, "none.tar"))).toBe(false)
})

it.each([
  ["that is too large", { maxBytes: 1000 }, "too large", 0],
  ["that isn't taken over", { fails: true }, "function failed", 1],
])("leaves nothing of an archive %s in the session", async (_, how, reason, requests) => {
  const { folder, blobs, archives, asked, reported } = await open(how)
  writeFileSync(join(folder, "made.tar"), randomBytes(300_000))
  await archives.keep(name, join(folder, "made.tar"))
  expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining(reason) })])
  expect(asked).toHaveLength(requests)
  expect(await Array.fromAsync(blobs.list("s/"))).toEqual([])
})
