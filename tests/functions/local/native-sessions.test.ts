import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { listNativeSessions } from "@switchyard/functions/local/native-sessions"
import { writeToHome } from "@switchyard/functions/local/write-to-home"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const FOLDER = "/home/ada/my.tool"
const FIXTURES = "tests/fixtures/native-sessions"
const ID = "0e46281f-eae9-40b2-b5a7-525cd96da5b4"
const PROJECT = ".claude/projects/-home-ada-my-tool"

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "switchyard-home-"))
})
afterEach(() => rmSync(home, { recursive: true }))

const list = (folder = FOLDER) => listNativeSessions(home, folder, { signal: new AbortController().signal })
function place(path: string, content: string | { fixture: string }): string {
  const target = join(home, path)
  mkdirSync(dirname(target), { recursive: true })
  if (typeof content === "string") writeFileSync(target, content)
  else copyFileSync(join(FIXTURES, `${content.fixture}.jsonl`), target)
  return target
}

describe("the sessions in a home", () => {
  it("are listed where each program keeps them, the newest first, with the command that continues them", async () => {
    const codex = "01a23276-5b35-7071-891a-88af845f94c1"
    const files = [
      place(`${PROJECT}/${ID}.jsonl`, { fixture: "claude" }),
      place(`.codex/sessions/2026/12/01/rollout-2026-12-01T16-35-47-${codex}.jsonl`, { fixture: "codex" }),
      place(".gemini/tmp/my-tool/chats/session-2026-12-01T16-37-95eab568.jsonl", { fixture: "gemini" }),
      place(".qwen/projects/-home-ada-my-tool/chats/54c148bf-2138-47cd-82c2-8de23729f93e.jsonl", { fixture: "qwen" }),
      place(
        ".vibe/logs/session/session_1_95eab568/messages.jsonl",
        '{"role":"user","content":"Make a file, please. And say hello."}\n',
      ),
    ]
    place(".gemini/tmp/my-tool/.project_root", FOLDER)
    const meta = { session_id: codex, environment: { working_directory: FOLDER } }
    place(".vibe/logs/session/session_1_95eab568/meta.json", JSON.stringify(meta, null, 2))
    for (const [index, file] of files.entries()) utimesSync(file, 1000 - index, 1000 - index)
    const sessions = await list()
    expect(sessions.map(({ agent, session_id, resumable }) => [agent, session_id, resumable])).toEqual([
      ["claude", ID, true],
      ["codex", codex, true],
      ["gemini", "95eab568-e55c-47b3-8802-12fb9be90636", false],
      ["qwen", "54c148bf-2138-47cd-82c2-8de23729f93e", false],
      ["vibe", codex, false],
    ])
    expect(new Set(sessions.map(({ title }) => title))).toEqual(new Set(["Make a file, please. And say hello."]))
    expect(sessions[0]).toMatchObject({
      updated_at: "1970-01-01T00:16:40.000Z",
      command: `cd /home/ada/my.tool && claude --resume ${ID}`,
    })
    expect(sessions[1]?.command).toBe(`cd /home/ada/my.tool && codex resume ${codex}`)
  })

  it("are only those of the folder, even if another one's has the same name for the program", async () => {
    place(`${PROJECT}/${ID}.jsonl`, { fixture: "claude" })
    expect(await list("/home/ada/my-tool")).toEqual([])
    expect(await list("/home/ada")).toEqual([])
  })

  it("are quoted for a shell", async () => {
    const folder = "/home/ada/it's $(here)"
    const line = { type: "user", cwd: folder, message: { role: "user", content: "x" } }
    place(`.claude/projects/-home-ada-it-s---here-/${ID}.jsonl`, `${JSON.stringify(line)}\n`)
    expect((await list(folder))[0]?.command).toBe(`cd '/home/ada/it'\\''s $(here)' && claude --resume ${ID}`)
  })
})

describe("a hostile home", () => {
  it("leads nowhere: no link is followed, wherever it is", async () => {
    const outside = mkdtempSync(join(tmpdir(), "switchyard-outside-"))
    const secret = join(outside, `${ID}.jsonl`)
    copyFileSync(join(FIXTURES, "claude.jsonl"), secret)
    mkdirSync(join(home, PROJECT), { recursive: true })
    symlinkSync(secret, join(home, PROJECT, `${ID}.jsonl`))
    expect(await list()).toEqual([])
    rmSync(join(home, PROJECT), { recursive: true })
    symlinkSync(outside, join(home, PROJECT))
    expect(await list()).toEqual([])
    rmSync(outside, { recursive: true })
  })

  it("costs its broken sessions: wrong names, no lines, endless lines, escape codes in the title", async () => {
    place(`${PROJECT}/../../x.jsonl`, "x")
    place(`${PROJECT}/--help.jsonl`, { fixture: "claude" })
    place(`${PROJECT}/${ID.replaceAll("0", "1")}.jsonl`, `{"cwd":"${FOLDER}","x":"${"y".repeat(3_000_000)}`)
    mkdirSync(join(home, PROJECT, `${ID.replaceAll("0", "2")}.jsonl`))
    const line = { type: "user", cwd: FOLDER, message: { content: "\u001b]0;x\u0007hello\u0000" } }
    place(`${PROJECT}/${ID}.jsonl`, `${JSON.stringify({ ...line, message: { ...line.message, role: "user" } })}\n`)
    const titles = new Map((await list()).map(({ session_id, title }) => [session_id, title]))
    expect(titles).toEqual(
      new Map([
        [ID, "hello"],
        [ID.replaceAll("0", "1"), null],
      ]),
    )
  })
})

describe("a session that is written to a home", () => {
  const path = `${PROJECT}/${ID}.jsonl`
  const write = (content: string, to = path) => writeToHome(home, [{ path: to, content: Buffer.from(content) }])
  const there = () => readFileSync(join(home, path), "utf8")

  it("grows there, and what was added there stays", async () => {
    await write("one\n")
    await write("one\ntwo\n")
    expect(there()).toBe("one\ntwo\n")
    await write("one\n")
    expect(there()).toBe("one\ntwo\n")
  })

  it("replaces nothing else", async () => {
    await write("one\nmine\n")
    await expect(write("one\ntwo\n")).rejects.toMatchObject({ code: "task_invalid" })
    expect(there()).toBe("one\nmine\n")
  })

  it.each(["../x", "a/../../x", "/etc/x", "a//x"])("stays inside: %s", async (to) => {
    await expect(write("x", to)).rejects.toMatchObject({ code: "task_invalid" })
  })

  it("goes through no link", async () => {
    const outside = mkdtempSync(join(tmpdir(), "switchyard-outside-"))
    symlinkSync(outside, join(home, ".claude"))
    await expect(write("x")).rejects.toMatchObject({ code: "task_invalid" })
    rmSync(join(home, ".claude"))
    mkdirSync(join(home, PROJECT), { recursive: true })
    symlinkSync(join(outside, "x"), join(home, path))
    await expect(write("x")).rejects.toMatchObject({ code: "task_invalid" })
    rmSync(outside, { recursive: true })
  })
})
