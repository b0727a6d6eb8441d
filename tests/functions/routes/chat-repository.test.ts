import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { createScriptedProvider, textAnswer } from "@switchyard/core/models/scripted"
import { rewind } from "@switchyard/core/sessions/requests/chat-rewind"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mortal } from "../../core/work/mortal-stores.ts"
import { itDeep } from "../../depth.ts"
import { never } from "../../settings.ts"
import { makeRepository, type TestRepository } from "../agents/repository.ts"
import { openSession } from "../agents/worktree-session.ts"
import { framesOf, startServer, type TestServer } from "../server.ts"

/** The model's next answers, the commit's message among them. */
let answer: (request: ModelRequest) => string = () => "Hello."
const model = createScriptedProvider((request) => {
  const isCommit = request.system?.startsWith("You write the message of a git commit")
  return textAnswer(isCommit ? "fix: greet politely" : answer(request))
})

let server: TestServer
let folder: string
let repository: TestRepository
beforeAll(async () => {
  server = await startServer({ scripted: model })
  folder = await mkdtemp(join(tmpdir(), "switchyard-chat-"))
  repository = makeRepository(join(folder, "repository"), {
    "src/greet.ts": "export const greet = () => 'hi'\n",
    "README.md": "Mine.\n",
  })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const edit = (path: string, before: string, after: string) =>
  `${path}\n<<<< EDIT\n${before}==== REPLACE\n${after}>>>> EDIT END\n`

async function openChat(id?: string) {
  const session = await openSession(server, repository.folder, id)
  const path = `/api/v1/sessions/${session.id}/chat`
  return {
    ...session,
    path,
    async turn(json: object) {
      const started = await server.call("POST", path, { json: { model: "scripted/test", ...json } })
      expect(started.status, started.text).toBe(202)
      const { text } = await server.call("GET", `${path}/stream?request_id=${started.body.request_id}`)
      return framesOf(text).find(({ event }) => event === "streamComplete")?.data.result
    },
    /** What git shows on the branch of the worktree. */
    async show(what: string) {
      const { branch } = (await session.ask("GET", "?fresh=true")).body
      return repository.git("show", `${branch}:${what}`)
    },
    // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of them
    messages: async (): Promise<any[]> => (await server.call("GET", path)).body.messages,
    /** The worktree's texts. */
    async texts(): Promise<Record<string, string>> {
      const { path: tree } = (await session.ask("GET", "?fresh=true")).body
      const names = readdirSync(tree, { recursive: true, withFileTypes: true })
      const files = names.filter((entry) => entry.isFile() && entry.name !== ".git")
      const text = ({ parentPath, name }: { parentPath: string; name: string }) => {
        return [relative(tree, join(parentPath, name)), readFileSync(join(parentPath, name), "utf8")]
      }
      return Object.fromEntries(files.map(text).sort())
    },
    async subjects() {
      const { branch } = (await session.ask("GET", "?fresh=true")).body
      return repository.git("log", "--format=%s", branch).trim().split("\n")
    },
  }
}

describe("the chat of a session that has a repository", () => {
  it("shows the model the repository's files, and commits an edit with the message that a model wrote", async () => {
    const chat = await openChat()
    answer = () => edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'good day'\n")
    const result = await chat.turn({ message: "Greet politely", files: ["src/greet.ts"] })
    const asked = model.requests.find(({ system }) => !system?.startsWith("You write")) as ModelRequest
    const shown = asked.messages.map(({ content }) => content).join("\n")
    expect(shown).toContain("export const greet = () => 'hi'")
    expect(shown).toContain("README.md")
    expect(result).toMatchObject({ passed: ["src/greet.ts"], failed: [], error: null })
    expect(await chat.subjects()).toEqual(["fix: greet politely", "begin"])
    expect(await chat.show("src/greet.ts")).toBe("export const greet = () => 'good day'\n")
    // The person's own checkout is left alone.
    expect(repository.git("status", "--porcelain")).toBe("")
    answer = () => "I see."
    await chat.turn({ message: "And now?" })
    const next = model.requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join("\n")
    expect(next).toContain("'good day'")
  })

  it("waits for the worktree that an agent is making at that moment", async () => {
    const chat = await openChat()
    const task = { coding_agent: "mock", task_description: 'mock: {"files":{"a.txt":"one"}}' }
    const asked = await server.call("POST", `/api/v1/sessions/${chat.id}/tasks`, { json: task })
    expect(asked.status, asked.text).toBe(201)
    answer = () => "I see it."
    expect(await chat.turn({ message: "What is here?", files: ["README.md"] })).toMatchObject({ error: null })
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Mine.")
  })

  it("lists the repository's files once they were read, and selects among them", async () => {
    const chat = await openChat()
    const list = async (method: string) => (await server.call(method, `${chat.path}/files`)).body
    expect(await list("GET")).toEqual({ files: [], is_read: false })
    const files = [
      { path: "README.md", size: 6, binary: false },
      { path: "src/greet.ts", size: 32, binary: false },
    ]
    expect(await list("POST")).toEqual({ files, is_read: true })
    expect(await list("GET")).toEqual({ files, is_read: true })
    const json = { files: ["src/greet.ts", "src/none.ts"] }
    expect((await server.call("PUT", `${chat.path}/selection`, { json })).body).toEqual({
      selected_files: ["src/greet.ts"],
      refused: [{ path: "src/none.ts", reason: "missing" }],
    })
  })

  it("reviews what changed, shows it with each message, and applies no edit until the review ends", async () => {
    const chat = await openChat()
    repository.git("branch", "theirs")
    const review = (json: object) => server.call("POST", `${chat.path}/review`, { json })
    expect((await review({ base: "theirs" })).body.error.code).toBe("invalid_request")
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    writeFileSync(join(tree, "src/greet.ts"), "export const greet = () => 'yo'\n")
    expect((await review({ base: "nowhere" })).body.error.code).toBe("branch_not_found")
    const begun = await review({ base: "theirs" })
    expect([begun.status, begun.body]).toMatchObject([201, { base: "theirs", tip: null }])
    answer = () => edit("src/greet.ts", "export const greet = () => 'yo'\n", "export const greet = () => 'hey'\n")
    const shown = () => {
      const asked = model.requests.findLast(({ system }) => !system?.startsWith("You write"))
      return asked?.messages.map(({ content }) => content) ?? []
    }
    expect(await chat.turn({ message: "Is it polite?", files: ["src/greet.ts"] })).toMatchObject({ edit_blocks: [] })
    const [reviewed] = shown().filter((text) => text.startsWith("# Under Review"))
    expect(reviewed).toContain("-export const greet = () => 'hi'\n+export const greet = () => 'yo'")
    expect(shown().at(-1)).toBe("Is it polite?")
    expect((await server.call("GET", chat.path)).body).toMatchObject({ mode: "review", review: begun.body })
    expect(await chat.texts()).toMatchObject({ "src/greet.ts": "export const greet = () => 'yo'\n" })
    expect((await server.call("DELETE", `${chat.path}/review`)).status).toBe(200)
    expect(await chat.turn({ message: "Make it so" })).toMatchObject({ passed: ["src/greet.ts"] })
    expect(shown().at(-1)).toBe("Make it so")
    expect(shown().join("\n")).not.toContain("# Under Review")
    // Another branch is compared as it was committed, whatever the worktree has.
    const { branch } = (await chat.ask("GET", "?fresh=true")).body
    expect((await review({ base: "theirs", tip: branch })).status).toBe(201)
    await chat.turn({ message: "And now?" })
    expect(shown().find((text) => text.startsWith("# Under Review"))).toContain("fix: greet politely")
  })

  it("takes files and conversation back together, and forth again, and keeps in git what was changed beside it", async () => {
    const chat = await openChat()
    answer = () =>
      edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'hello'\n") +
      edit("src/new.ts", "", "export const one = 1\n")
    await chat.turn({ message: "Greet", files: ["src/greet.ts"] })
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    writeFileSync(join(tree, "README.md"), "Yours.\n")
    const isExecutable = (path: string) => (statSync(join(tree, path)).mode & 0o100) !== 0
    for (const path of ["src/greet.ts", "src/new.ts"]) chmodSync(join(tree, path), 0o755)
    const [asked] = await chat.messages()
    const rewind = (to_seq: number) => server.call("POST", `${chat.path}/rewind`, { json: { to_seq } })
    const { status, body } = await rewind(asked.seq - 1)
    expect([status, body.files_kept]).toEqual([200, false])
    expect(await chat.texts()).toEqual({ "README.md": "Mine.\n", "src/greet.ts": "export const greet = () => 'hi'\n" })
    expect(isExecutable("src/greet.ts")).toBe(false)
    expect(await chat.messages()).toEqual([])
    expect((await chat.subjects()).slice(0, 3)).toEqual([
      "Rewind the files to an earlier moment of the chat",
      "Changes made beside the chat",
      "fix: greet politely",
    ])
    const { branches } = (await server.call("GET", chat.path)).body
    expect((await rewind(branches[0].left_seq)).status).toBe(200)
    expect(await chat.texts()).toEqual({
      "README.md": "Yours.\n",
      "src/greet.ts": "export const greet = () => 'hello'\n",
      "src/new.ts": "export const one = 1\n",
    })
    expect(["src/greet.ts", "src/new.ts"].map(isExecutable)).toEqual([true, true])
    expect(await chat.messages()).toHaveLength(2)
    const { seq: newest = 0 } = (await chat.events()).at(-1) ?? {}
    chmodSync(join(tree, "src/new.ts"), 0o644)
    expect((await rewind(newest)).status).toBe(200)
    expect(isExecutable("src/new.ts")).toBe(true)
    const before = await chat.subjects()
    // Where no file differs, nothing is committed.
    writeFileSync(join(tree, "README.md"), "Not committed.\n")
    await server.call("POST", `${chat.path}/files`)
    expect((await rewind((await chat.events()).at(-1)?.seq ?? 0)).status).toBe(200)
    expect(await chat.subjects()).toEqual(before)
    const kept = { json: { to_seq: asked.seq - 1, files: false } }
    expect((await server.call("POST", `${chat.path}/rewind`, kept)).body.files_kept).toBe(true)
    expect(await chat.messages()).toEqual([])
    expect(await chat.subjects()).toEqual(before)
  })

  itDeep(
    "forks a session with the commits and files of its repository at that moment, on a branch of its own",
    async () => {
      const chat = await openChat()
      answer = () => edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'hello'\n")
      await chat.turn({ message: "Greet", files: ["src/greet.ts"] })
      const { path: tree, branch } = (await chat.ask("GET", "?fresh=true")).body
      writeFileSync(join(tree, "notes.txt"), "Not committed.\n")
      answer = () => edit("src/greet.ts", "export const greet = () => 'hello'\n", "export const greet = () => 'bye'\n")
      await chat.turn({ message: "Leave" })
      const messages = await chat.messages()
      const fork = async (to_seq: number) => {
        const { status, body, text } = await server.call("POST", `${chat.path}/fork`, { json: { to_seq } })
        expect(status, text).toBe(201)
        return openChat(body.id)
      }
      const first = await fork(messages[1].end_seq)
      const begun = { "README.md": "Mine.\n", "src/greet.ts": "export const greet = () => 'hello'\n" }
      expect(await first.texts()).toEqual(begun)
      expect((await first.messages()).map(({ content }) => content)).toEqual(
        messages.slice(0, 2).map(({ content }) => content),
      )
      expect((await first.subjects()).slice(-2)).toEqual(["fix: greet politely", "begin"])
      expect((await first.ask("GET", "?fresh=true")).body.branch).not.toBe(branch)
      answer = () => edit("src/greet.ts", "export const greet = () => 'hello'\n", "export const greet = () => 'mine'\n")
      expect(await first.turn({ message: "Go your own way" })).toMatchObject({ passed: ["src/greet.ts"] })
      const last = await fork(messages[3].end_seq)
      expect(await last.texts()).toEqual(await chat.texts())
      expect(await last.texts()).toMatchObject({ "notes.txt": "Not committed.\n" })
      expect(await last.subjects()).toEqual(await chat.subjects())
    },
  )

  itDeep("rewinds all or nothing by a process that dies at any of its writes, and goes on from there", async () => {
    const chat = await openChat()
    await server.call("POST", `${chat.path}/files`)
    for (const lastWrite of ["lost", "done"] as const) {
      for (let nth = 1, outcome = "died"; outcome === "died"; nth++) {
        const where = `killed at write ${nth}, ${lastWrite}`
        answer = () => edit("src/new.ts", "", `export const nth = ${nth}\n`)
        await chat.turn({ message: where })
        const before = [await chat.texts(), (await chat.messages()).length] as const
        const asked = (await chat.messages()).at(-2)
        const { on } = mortal(server.stores, nth, lastWrite)
        const { executor, sessions } = server.core({ on })
        const launcher = { serve: async () => void (await chat.ask("GET", "?fresh=true")) }
        const options = { signal: never }
        const dying = async () => {
          const handle = await sessions.find("local", chat.id, options)
          const { session } = await sessions.touch("local", chat.id, options)
          const deps = { ...executor, sessions, launcher, newSessionId: () => "none" }
          await rewind(deps, { session, handle }, { toSeq: asked.seq - 1, files: true, ...options })
        }
        outcome = await dying().then(
          () => "ended",
          () => "died",
        )
        // Whatever is asked for next finds out what became of it.
        expect((await server.call("PUT", `${chat.path}/selection`, { json: { files: [] } })).status, where).toBe(200)
        const after = [await chat.texts(), (await chat.messages()).length] as const
        const rewound = [{ "README.md": "Mine.\n", "src/greet.ts": before[0]["src/greet.ts"] }, before[1] - 2] as const
        expect([before, rewound], where).toContainEqual(after)
        if (outcome === "ended") expect(after, where).toEqual(rewound)
        if (outcome === "ended") expect(nth, where).toBeGreaterThan(3)
        if (after[1] === before[1]) {
          const json = { to_seq: asked.seq - 1 }
          expect((await server.call("POST", `${chat.path}/rewind`, { json })).status, where).toBe(200)
        }
        expect(await chat.texts(), where).toEqual(rewound[0])
      }
    }
  })

  itDeep("undoes the edits of an answer as a commit, unless somebody changed a file since", async () => {
    const chat = await openChat()
    answer = () =>
      edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'good day'\n") +
      edit("src/new.ts", "", "export const one = 1\n")
    const asked = { message: "Greet politely", files: ["src/greet.ts"], request_id: "1700000000001-abcdef" }
    await chat.turn(asked)
    const undo = () => server.call("POST", `${chat.path}/${asked.request_id}/undo`)
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    const edited = readFileSync(join(tree, "src/greet.ts"), "utf8")
    writeFileSync(join(tree, "src/greet.ts"), "mine\n")
    const refused = await undo()
    expect(refused.status).toBe(409)
    expect(refused.body.error.message).toBe("src/greet.ts was changed after this answer, so its edits can't be undone.")
    expect(readFileSync(join(tree, "src/new.ts"), "utf8")).toBe("export const one = 1\n")
    writeFileSync(join(tree, "src/greet.ts"), edited)
    writeFileSync(join(tree, "README.md"), "Yours.\n")
    expect((await undo()).status).toBe(200)
    expect((await undo()).status).toBe(200)
    expect(await chat.subjects()).toEqual([
      "Undo: fix: greet politely",
      "Changes made beside the chat",
      "fix: greet politely",
      "begin",
    ])
    expect(await chat.show("src/greet.ts")).toBe("export const greet = () => 'hi'\n")
    const { files } = (await server.call("GET", `${chat.path}/files`)).body
    expect(files.map(({ path }: { path: string }) => path)).toEqual(["README.md", "src/greet.ts"])
    const { messages } = (await server.call("GET", chat.path)).body
    expect(messages.at(-1)).toMatchObject({ system_event: true })
    expect(messages.at(-2)).toMatchObject({ undone: true })
  })

  itDeep("leaves a file alone that somebody changed while the model answered, and commits the others", async () => {
    const chat = await openChat()
    await server.call("POST", `${chat.path}/files`)
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    answer = () => {
      writeFileSync(join(tree, "README.md"), "Yours.\n")
      return [
        edit("README.md", "Mine.\n", "Ours.\n"),
        edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'hello'\n"),
        edit("src/new.ts", "", "export const one = 1\n"),
      ].join("\n")
    }
    const result = await chat.turn({ message: "Change them", files: ["README.md", "src/greet.ts"] })
    expect(result).toMatchObject({ passed: ["src/greet.ts", "src/new.ts"], files_created: ["src/new.ts"] })
    expect(result.failed).toEqual([{ file: "README.md", error: "Somebody changed this file meanwhile." }])
    expect(await chat.show("README.md")).toBe("Yours.\n")
    expect(await chat.show("src/new.ts")).toBe("export const one = 1\n")
    expect(await chat.subjects()).toEqual(["fix: greet politely", "Changes made beside the chat", "begin"])
    expect(
      (await server.call("GET", `${chat.path}/files`)).body.files.map(({ path }: { path: string }) => path),
    ).toEqual(["README.md", "src/greet.ts", "src/new.ts"])
  })
})
