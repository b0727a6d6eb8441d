import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { findSession } from "@switchyard/runner/agents/found-session"
import { ownFiles } from "@switchyard/runner/files/files"
import { afterAll, beforeAll, expect, it } from "vitest"

const OLD = "11111111-1111-4111-8111-111111111111"
const NEW = "22222222-2222-4222-8222-222222222222"
const ELSEWHERE = "33333333-3333-4333-8333-333333333333"
const repository = "/home/ada/my.tool"
const cwd = "/data/projects/s/1/work/x/tree"

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "switchyard-home-"))
  let at = 1000
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), content)
    utimesSync(join(home, path), at, at++)
  }
  write(`.claude/projects/-home-ada-my-tool/${OLD}.jsonl`, "old")
  write(`.claude/projects/-home-ada-my-tool/${NEW}.jsonl`, "new")
  write(`.claude/projects/-home-ada-my-tool/${NEW}/subagents/a.jsonl`, "its own")
  write(`.claude/projects/-home-ada-other/${ELSEWHERE}.jsonl`, "elsewhere")
  const meta = (folder: string) => `{"type":"session_meta","payload":{"cwd":"${folder}"}}\n`
  write(`.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${OLD}.jsonl`, meta(repository))
  write(`.codex/sessions/2026/11/02/rollout-2026-11-02T10-00-00-${ELSEWHERE}.jsonl`, meta("/home/ada/other"))
})
afterAll(() => rmSync(home, { recursive: true }))

const find = (cli: "claude" | "codex" | "gemini", session: string) =>
  findSession(ownFiles, home, { cli, session, repository, cwd })
const paths = async (...wanted: Parameters<typeof find>) =>
  (await find(...wanted))?.files.map(({ path }) => path).sort()

it("finds a session of Claude Code by its id, and puts it where the program looks in the worktree", async () => {
  expect(await paths("claude", NEW)).toEqual([
    `.claude/projects/-data-projects-s-1-work-x-tree/${NEW}.jsonl`,
    `.claude/projects/-data-projects-s-1-work-x-tree/${NEW}/subagents/a.jsonl`,
  ])
})

it("finds the newest of a repository, by its folder or by what is in it", async () => {
  expect((await find("claude", "latest"))?.session).toBe(NEW)
  const codex = await find("codex", "latest")
  expect(codex).toMatchObject({
    session: OLD,
    files: [{ path: `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${OLD}.jsonl` }],
  })
})

it("finds nothing that isn't there, and none of a program whose sessions can't move", async () => {
  expect(await find("claude", "44444444-4444-4444-8444-444444444444")).toBeUndefined()
  expect(await find("gemini", "latest")).toBeUndefined()
  expect(await findSession(ownFiles, undefined, { cli: "claude", session: NEW, repository, cwd })).toBeUndefined()
})
