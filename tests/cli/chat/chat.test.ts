import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ModelEvent, ModelRequest } from "@switchyard/core/models/provider"
import { chatAnswer } from "@switchyard/demo-model/chat"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createScriptedProvider, type ScriptedAnswer } from "../../fixtures/scripted-model.ts"
import { makeRepository } from "../../functions/agents/repository.ts"
import { openSession } from "../../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../../functions/server.ts"
import { needs } from "../../needs.ts"
import { noTerminals, switchyard } from "../spawn.ts"

function said(...pieces: string[]): ModelEvent[] {
  const usage: ModelEvent = { type: "usage", usage: { input: 10, cacheRead: 30, cacheWrite: 0, output: 7 } }
  return [...pieces.map((text) => ({ type: "text", text }) as const), usage, { type: "end", stopReason: "end" }]
}

function cut(text: string): ModelEvent[] {
  return [...said(text).slice(0, -1), { type: "end", stopReason: "max_tokens" }]
}

/** Answers as the demo model does. */
const demo = (request: ModelRequest) => said(chatAnswer(request))

let answer: (request: ModelRequest) => ScriptedAnswer = demo

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: createScriptedProvider((request) => answer(request)) })
})
afterAll(() => server.close())

async function sessionWith(files: Record<string, string> = {}): Promise<string> {
  const { id } = (await server.call("POST", "/api/v1/sessions", { json: {} })).body
  for (const [path, content] of Object.entries(files)) {
    await server.call("PUT", `/workspace/file?workspace_id=${id}`, { json: { path, content } })
  }
  return id
}

const contentOf = async (id: string, path: string) =>
  (await server.call("GET", `/workspace/file?workspace_id=${id}&path=${path}`)).body.content

const MODEL = ["--model", "scripted/test"]
const chat = (args: string[], stdin = "") => switchyard(["chat", ...args, ...MODEL], { url: server.url, stdin })

describe("a message from a pipe", () => {
  it("is answered on stdout, with the tokens on stderr", async () => {
    answer = demo
    const id = await sessionWith({ "src/lease.ts": "export function renew() {}\n" })
    const { code, stdout, stderr } = await chat([id], "Where is renew defined?\n")
    expect(code).toBe(0)
    expect(stdout).toBe("It is declared once:\n\n- src/lease.ts: `function renew()`\n")
    expect(stderr).toBe("tokens     40 in · 75% cached · 7 out · scripted/test\n")
  })

  it("has files edited that it mentions", async () => {
    answer = demo
    const id = await sessionWith({ "notes.md": "one\ntwo\n" })
    const { code, stderr } = await chat(["--workspace", id, "--message", 'Replace "two" with "three" in @notes.md.'])
    expect(code).toBe(0)
    expect(stderr).toContain("applied    notes.md  +1 -1\n           - two\n           + three\n")
    expect(await contentOf(id, "notes.md")).toBe("one\nthree\n")
    expect((await server.call("GET", `/api/v1/sessions/${id}/chat`)).body.selected_files).toEqual(["notes.md"])
  })

  it("mentions a file in another Unicode form than its name has", async () => {
    answer = () => said("Here.")
    const id = await sessionWith({ "größe.md": "one\n" })
    const { code, stderr } = await chat([id, "--message", `See @${"größe.md".normalize("NFD")}, please`])
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("There is no file")])
    expect((await server.call("GET", `/api/v1/sessions/${id}/chat`)).body.selected_files).toEqual(["größe.md"])
  })

  it("edits nothing with --review", async () => {
    answer = demo
    const id = await sessionWith({ "notes.md": "one\n" })
    const { code, stderr } = await chat([id, "--review", "--message", 'Replace "one" with "two" in @notes.md'])
    expect(code).toBe(0)
    expect(stderr).toContain("unapplied  notes.md  +1 -1")
    expect(await contentOf(id, "notes.md")).toBe("one\n")
  })

  it("ends with 1 where an edit came to nothing", async () => {
    const id = await sessionWith({ "notes.md": "one\n" })
    answer = () => said("notes.md\n<<<< EDIT\nnine\n==== REPLACE\nten\n>>>> EDIT END")
    const { code, stderr } = await chat([id, "--message", "Go @notes.md @nobody"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^There is no file "nobody".*\nfailed {5}notes\.md {2}/)
  })

  it("ends with 1 where an edit left something wrong in its file, and says what", async () => {
    const id = await sessionWith({ "sum.js": "let a = (1)\n" })
    answer = () => said("sum.js\n<<<< EDIT\nlet a = (1)\n==== REPLACE\nlet a = (2\n>>>> EDIT END")
    const { code, stderr } = await chat([id, "--message", "Go @sum.js"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/\+ let a = \(2\nwrong {6}sum\.js {2}Line \d/)
  })

  it.each([
    [
      "an edit that can't be read",
      said("**Notes**\n<<<< EDIT\none\n==== REPLACE\ntwo\n>>>> EDIT END"),
      "couldn't be parsed",
    ],
    ["nothing", said("\n"), "The model didn't answer."],
    ["a part", cut("So far"), "The answer was cut off at the model's limit."],
  ] as const)("ends with 1 where the answer is %s, and says so", async (_, events, words) => {
    const id = await sessionWith({ "notes.md": "one\n" })
    answer = () => [...events]
    const { code, stderr } = await chat([id, "--message", "Go @notes.md"])
    expect([code, await contentOf(id, "notes.md")]).toEqual([1, "one\n"])
    expect(stderr).toContain(words)
  })

  it("opens a session where none is named, and is one value with --json", async () => {
    answer = () => said("Hello\u001b[31m.")
    const { code, stdout, stderr } = await chat(["--json"], "Hi")
    expect([code, stderr]).toEqual([0, ""])
    const { session_id, result, ...rest } = JSON.parse(stdout)
    expect(rest).toMatchObject({ model: "scripted/test", run_id: expect.any(String), request_id: expect.any(String) })
    expect(result).toMatchObject({ response: "Hello\u001b[31m.", token_usage: { output: 7 } })
    expect((await server.call("GET", `/api/v1/sessions/${session_id}/chat`)).body.messages).toHaveLength(2)
    expect((await chat([session_id], "Hi")).stdout).toBe("Hello.\n")
  })

  it("is stopped by an interrupt, keeps what was said, and ends with 3", async () => {
    const id = await sessionWith()
    const asked = Promise.withResolvers<void>()
    answer = () => {
      asked.resolve()
      return [{ type: "text", text: "So far" }, new Promise<void>(() => {}), ...said(" and on")]
    }
    let interrupt = () => {}
    const ended = switchyard(["chat", id, "--message", "Go on", ...MODEL], {
      url: server.url,
      onSpawn: (child) => {
        interrupt = () => void child.kill("SIGINT")
      },
    })
    await asked.promise
    await answered(id, "So far")
    interrupt()
    expect(await ended).toMatchObject({ code: 3, stdout: "So far\n", stderr: expect.stringContaining("Stopped.") })
    const { messages } = (await server.call("GET", `/api/v1/sessions/${id}/chat`)).body
    expect(messages.at(-1).content).toBe("So far\n\n[stopped]")
  })

  it("says what the server refuses", async () => {
    answer = () => new Error("The script broke.")
    const id = await sessionWith()
    expect(await chat([id], "Hi")).toMatchObject({ code: 1, stdout: "" })
    for (const args of [["ses_unknown"], ["--workspace", "unknown"]]) {
      const { code, stdout, stderr } = await chat(args, "Hi")
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(/^switchyard: (Session not found\.|The workspace "unknown" doesn't exist\.)\n$/)
    }
    expect(await chat([id], " \n")).toMatchObject({ code: 2, stderr: "switchyard: The message is empty.\n" })
    expect(await chat([id, "--workspace", id], "Hi")).toMatchObject({ code: 2, stdout: "" })
  })
})

/** Resolves once the streamed answer equals `text`. */
async function answered(id: string, text: string): Promise<void> {
  for (;;) {
    const { in_flight } = (await server.call("GET", `/api/v1/sessions/${id}/chat`)).body
    if (in_flight?.content === text) return
  }
}

interface Step {
  /** Pattern to find in the terminal's output since the previous step. */
  seen: RegExp
  keys: string
}

/** Runs `switchyard chat` in a terminal and types the keys of each step once its pattern appears. */
async function typed(args: string[], steps: Step[]) {
  let step = 0
  let from = 0
  return switchyard(["chat", ...args, ...MODEL], {
    ...{ url: server.url, tty: true, interactive: true, env: { NO_COLOR: "1" } },
    onOutput(output, child) {
      const next = steps[step]
      if (!next?.seen.test(output.slice(from))) return
      step++
      from = output.length
      child.stdin?.write(next.keys)
    },
  })
}

describe("a conversation in a terminal", needs(noTerminals()), () => {
  it("shows answers, edits and tokens, and knows its commands", async () => {
    answer = demo
    const id = await sessionWith({ "notes.md": "one\ntwo\n" })
    const { code, stdout } = await typed(
      [id],
      [
        { seen: /> /, keys: 'Replace "two" with "three" in @no\t' },
        { seen: /@notes\.md|tes\.md/, keys: "\r" },
        { seen: /tokens [\s\S]*> /, keys: "/files\r" },
        { seen: /\* notes\.md[\s\S]*> /, keys: "/drop\r" },
        { seen: /Selected: nothing[\s\S]*> /, keys: "/nonsense\r" },
        { seen: /no command \/nonsense[\s\S]*> /, keys: "/model\r" },
        { seen: /Model: scripted\/test[\s\S]*> /, keys: "/context\r" },
        { seen: /total [\s\S]*> /, keys: "\u0004" },
      ],
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/active +\S+ {2}1 in full · .*sent anew\r\n/)
    expect(stdout).toMatch(/history +\S+ {2}of \S+k\r\ntotal +1 {2}turns · 40 in · 75% cached · 7 out\r\n/)
    expect(stdout).toContain("Changing “two” in one place.\r\n\r\n[edit of notes.md]\r\n")
    expect(stdout).toMatch(/applied +notes\.md {2}\+1 -1\r\n +- two\r\n +\+ three\r\n/)
    expect(stdout).toContain("40 in · 75% cached · 7 out")
    expect(stdout).not.toContain("<<<< EDIT")
    expect(await contentOf(id, "notes.md")).toBe("one\nthree\n")
  })

  it("begins a session with the first message, goes on after a stopped answer, and takes pasted lines as one message", async () => {
    let stopped = false
    const requests: ModelRequest[] = []
    answer = (request) => {
      requests.push(request)
      if (stopped) return said("Again.")
      stopped = true
      return [{ type: "text", text: "So far and " }, new Promise<void>(() => {}), ...said("on")]
    }
    const { code, stdout } = await typed(
      [],
      [
        { seen: /> /, keys: "Go on\r" },
        { seen: /So far and/, keys: "\u0003" },
        { seen: /Stopped\.[\s\S]*tokens[\s\S]*> /, keys: "Once\rmore\r" },
        { seen: /Again\.[\s\S]*tokens[\s\S]*> /, keys: "\u0003" },
      ],
    )
    expect(code).toBe(0)
    expect(stdout).toContain("To return to it: npx switchyard chat ")
    expect(requests.at(-1)?.messages.at(-1)?.content).toBe("Once\nmore")
  })

  it("takes the last message back with its edits, in the session's files and in a repository", async () => {
    answer = demo
    const own = await sessionWith({ "notes.md": "one\ntwo\n" })
    const repository = makeRepository(`${server.folder}/repository`, { "notes.md": "one\ntwo\n" })
    const { body } = await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })
    for (const id of [own, body.id]) {
      const { code, stdout } = await typed(
        [id],
        [
          { seen: /> /, keys: "/undo\r" },
          { seen: /There is nothing to undo\.[\s\S]*> /, keys: 'Replace "two" with "three" in @notes.md\r' },
          { seen: /applied[\s\S]*tokens [\s\S]*> /, keys: "/undo\r" },
          { seen: /Undone: Replace[\s\S]*> /, keys: "/quit\r" },
        ],
      )
      expect([code, stdout]).toEqual([0, expect.stringContaining('Undone: Replace "two" with "three" in @notes.md')])
      expect((await server.call("GET", `/api/v1/sessions/${id}/chat`)).body.messages).toEqual([])
    }
    expect(await contentOf(own, "notes.md")).toBe("one\ntwo\n")
    const session = await openSession(server, undefined, body.id)
    const { branch } = (await session.ask("GET", "?fresh=true")).body
    expect(repository.git("show", `${branch}:notes.md`)).toBe("one\ntwo\n")
  })

  it("waits for what a repository's files take a run for, and says why one came to nothing", async () => {
    const repository = makeRepository(`${server.folder}/waited-for`, { "notes.md": "one\ntwo\n" })
    const { body } = await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })
    const session = await openSession(server, undefined, body.id)
    const { code } = await typed(
      [body.id],
      [
        { seen: /> /, keys: "/files\r" },
        { seen: / {2}notes\.md[\s\S]*> /, keys: "/review HEAD\r" },
        {
          seen: /The review couldn't be started\. There is nothing to review, because no files differ\.[\s\S]*> /,
          keys: "/reset yes\r",
        },
        { seen: /The files were reset to the last commit\.[\s\S]*> /, keys: "/quit\r" },
      ],
    )
    expect(code).toBe(0)
    const { path } = (await session.ask("GET", "?fresh=true")).body
    await writeFile(join(path, "notes.md"), "one\n")
    const review = await typed(
      [body.id],
      [
        { seen: /> /, keys: "/review HEAD\r" },
        { seen: /Under review: 1 file[\s\S]*Edits are shown, but not applied\.[\s\S]*> /, keys: "/quit\r" },
      ],
    )
    expect(review.code).toBe(0)
  })

  it("takes a marked paste as one message, however it is cut, and recalls none of its lines", async () => {
    const requests: ModelRequest[] = []
    answer = (request) => {
      requests.push(request)
      return said("I see.")
    }
    const { code } = await typed(
      [],
      [
        { seen: /> /, keys: "Before\r" },
        { seen: /I see\.[\s\S]*tokens[\s\S]*> /, keys: "\u001b[200~one\rtwo\r" },
        { seen: /one\s+two/, keys: "three\r\u001b[201~" },
        { seen: /three/, keys: "\r" },
        { seen: /I see\.[\s\S]*tokens[\s\S]*> /, keys: "\u001b[A" },
        { seen: /Before/, keys: "\r" },
        { seen: /I see\.[\s\S]*tokens[\s\S]*> /, keys: "\u0004" },
      ],
    )
    expect(code).toBe(0)
    const asked = requests.map(({ messages }) => messages.at(-1)?.content)
    expect(asked).toEqual(["Before", "one\ntwo\nthree", "Before"])
  })

  it("says what there is to do where nothing has changed that could be committed, and counts no tokens", async () => {
    const id = await sessionWith({ "notes.md": "one\n" })
    const named = await switchyard(["chat", id, ...MODEL], { url: server.url, stdin: "Hello" })
    expect(named.code).toBe(0)
    const steps = [
      { seen: /> /, keys: "/commit First\r" },
      { seen: /First[\s\S]*> /, keys: "/commit Again\r" },
      { seen: /nothing to commit[\s\S]*> /, keys: "\u0004" },
    ]
    const { stdout } = await typed([id], steps)
    expect(stdout).toContain("no file has changed. Ask for a change first, or make one in the editor.")
    expect(stdout).not.toContain("? in")
  })
})
