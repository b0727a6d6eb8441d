import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { settleSession } from "@switchyard/runner/agents/settle-session"
import { ownFiles } from "@switchyard/runner/files/files"
import { expect, it, onTestFinished } from "vitest"

const SESSION = "0a1b2c3d-1111-4222-8333-444444444444"
const SETTLED = "session-2026-11-29T24-00-0a1b2c3d.jsonl"

async function homeWith(files: string[]) {
  const home = await mkdtemp(join(tmpdir(), "switchyard-settle-"))
  onTestFinished(() => rm(home, { recursive: true }))
  const chats = join(home, ".gemini/tmp/project/chats")
  await mkdir(join(chats, SESSION), { recursive: true })
  for (const name of files) await writeFile(join(chats, name), name)
  return { home, chats, names: async () => (await readdir(chats)).filter((name) => name !== SESSION).sort() }
}

it("renames Gemini's session file, which Gemini writes over if it resumes within the same minute", async () => {
  const other = "session-2026-11-29T10-15-ffffffff.jsonl"
  const { home, chats, names } = await homeWith(["session-2026-11-29T10-15-0a1b2c3d.jsonl", other])
  await settleSession(ownFiles, home, "gemini", SESSION)
  expect(await names()).toEqual([other, SETTLED])
  expect(await readFile(join(chats, SETTLED), "utf8")).toBe("session-2026-11-29T10-15-0a1b2c3d.jsonl")
  // Gemini has since left an empty file of the same session.
  const empty = "session-2026-11-29T10-15-0a1b2c3d.jsonl"
  await writeFile(join(chats, empty), "")
  await settleSession(ownFiles, home, "gemini", SESSION)
  expect(await names()).toEqual([empty, other, SETTLED])
  expect(await readFile(join(chats, SETTLED), "utf8")).toBe(empty)
})

it("takes the oldest file of a session that an earlier version left several of", async () => {
  const files = ["session-2026-11-29T10-17-0a1b2c3d.jsonl", "session-2026-11-29T10-15-0a1b2c3d.jsonl"]
  const { home, chats } = await homeWith([...files, `${SESSION}.jsonl`])
  await settleSession(ownFiles, home, "gemini", SESSION)
  expect(await readFile(join(chats, SETTLED), "utf8")).toBe(files[1])
})

it("does nothing for other programs, and for a home without sessions", async () => {
  const { home, names } = await homeWith(["session-2026-11-29T10-15-0a1b2c3d.jsonl"])
  await settleSession(ownFiles, home, "claude", SESSION)
  await settleSession(ownFiles, join(home, "missing"), "gemini", SESSION)
  expect(await names()).toEqual(["session-2026-11-29T10-15-0a1b2c3d.jsonl"])
})
