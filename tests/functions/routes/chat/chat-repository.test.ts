import { randomBytes } from "node:crypto"
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { sessionKey } from "@switchyard/core/ids"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { startFilesTask } from "@switchyard/core/sessions/moments/chat-files"
import { fork } from "@switchyard/core/sessions/moments/chat-fork"
import { rewind } from "@switchyard/core/sessions/moments/chat-rewind"
import { createFilesWork } from "@switchyard/core/sessions/moments/files-run"
import { createFork } from "@switchyard/core/sessions/moments/fork-run"
import { createRewind } from "@switchyard/core/sessions/moments/repository-rewind"
import { agentOf } from "@switchyard/core/work/chat/rules"
import { type FilesTask, MOMENT_AGENT } from "@switchyard/core/work/chat/schema"
import { executeRun } from "@switchyard/core/work/runs/execute"
import { activeRun } from "@switchyard/core/work/runs/state"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mortal } from "../../../core/work/mortal-stores.ts"
import { itDeep } from "../../../depth.ts"
import { serveGit } from "../../../fixtures/git-server.ts"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import type { Stores } from "../../../fixtures/stores.ts"
import { never } from "../../../settings.ts"
import { makeRepository, type TestRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { framesOf, startServer, type TestServer } from "../../server.ts"

/** Returns the model's next answer. Commit messages are fixed. */
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
    /** Returns a path's content on the worktree's branch. */
    async show(what: string) {
      const { branch } = (await session.ask("GET", "?fresh=true")).body
      return repository.git("show", `${branch}:${what}`)
    },
    // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of them
    messages: async (): Promise<any[]> => (await server.call("GET", path)).body.messages,
    /** Returns the texts of the worktree's files by path. */
    async texts(): Promise<Record<string, string>> {
      const { path: tree } = (await session.ask("GET", "?fresh=true")).body
      const names = readdirSync(tree, { recursive: true, withFileTypes: true })
      const files = names.filter((entry) => entry.isFile() && entry.name !== ".git")
      const text = ({ parentPath, name }: { parentPath: string; name: string }) => {
        return [relative(tree, join(parentPath, name)), readFileSync(join(parentPath, name), "utf8")]
      }
      return Object.fromEntries(files.map(text).sort())
    },
    /** Sends a request that starts a run. Resolves to the request's answer once the run has ended. */
    async ended(what: string, json: object = {}) {
      const answer = await server.call("POST", `${path}/${what}`, { json })
      if (answer.status === 202) await server.ended(answer.body.run_id)
      return answer
    },
    rewind(to_seq: number) {
      return this.ended("rewind", { to_seq })
    },
    /** Resolves to the error of the last operation on the whole chat, such as a rewind. */
    async failure(): Promise<string | undefined> {
      return (await server.call("GET", path)).body.restoring?.error
    },
    async fork(to_seq: number) {
      const { status, body, text } = await server.call("POST", `${path}/fork`, { json: { to_seq } })
      expect(status, text).toBe(202)
      await server.ended(body.run_id)
      return openChat(body.id)
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
    // The user's own checkout doesn't change.
    expect(repository.git("status", "--porcelain")).toBe("")
    answer = () => "I see."
    await chat.turn({ message: "And now?" })
    const next = model.requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join("\n")
    expect(next).toContain("'good day'")
  })

  it("leaves the repository's read-only files alone, in any spelling, and says so", async () => {
    const rules = "readOnly: [src/greet.ts]\n"
    repository.git("checkout", "-qb", "ruled")
    repository.write({ ".switchyard/permissions.yaml": rules })
    repository.git("add", "-A")
    repository.git("commit", "-qm", "rules")
    const chat = await openChat()
    await chat.ended("files")
    repository.git("checkout", "-q", "main")
    const edits = [
      edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'changed'\n"),
      edit("SRC/Greet.ts", "", "export const other = 1\n"),
      edit(".switchyard/permissions.yaml", rules, "readOnly: []\n"),
      edit("free.ts", "", "export const free = 1\n"),
    ]
    answer = () => edits.join("\n")
    const files = ["src/greet.ts", ".switchyard/permissions.yaml"]
    const result = await chat.turn({ message: "Change these", files })
    expect(result.passed).toEqual(["free.ts"])
    expect(result.failed.map(({ error }: { error: string }) => error)).toEqual([
      "src/greet.ts is read-only in this repository.",
      expect.stringContaining("read-only"),
      ".switchyard/permissions.yaml is read-only in this repository.",
    ])
    expect(await chat.show("src/greet.ts")).toBe("export const greet = () => 'hi'\n")
    expect(await chat.show(".switchyard/permissions.yaml")).toBe(rules)
  })

  it("creates no file where a link is, says so, and commits the others", async () => {
    const chat = await openChat()
    await chat.ended("files")
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    const elsewhere = join(folder, "elsewhere")
    mkdirSync(elsewhere)
    mkdirSync(join(tree, "real"))
    writeFileSync(join(tree, "real/kept.md"), "Kept.\n")
    symlinkSync("real/kept.md", join(tree, "link.md"))
    symlinkSync("real", join(tree, "away"))
    symlinkSync(elsewhere, join(tree, "outside"))
    const paths = ["link.md", "away/new.md", "outside/new.md", "real/new.md"]
    answer = () => paths.map((path) => edit(path, "", "New.\n")).join("")
    const result = await chat.turn({ message: "Create them" })
    expect(result.passed).toEqual(["real/new.md"])
    expect(result.failed.map(({ error }: { error: string }) => error)).toEqual([
      "link.md is a symbolic link to real/kept.md; use that path instead.",
      "away is a symbolic link to real; use that path instead.",
      "outside is a symbolic link whose target is missing or outside the repository.",
    ])
    expect(["link.md", "away", "outside"].map((path) => readlinkSync(join(tree, path)))).toEqual([
      "real/kept.md",
      "real",
      elsewhere,
    ])
    expect(await chat.texts()).toMatchObject({ "real/kept.md": "Kept.\n", "real/new.md": "New.\n" })
  })

  it("creates a file in the folder that its path means in another Unicode form, and a script as executable", async () => {
    const chat = await openChat()
    await chat.ended("files")
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    const [there, named] = ["größe".normalize("NFD"), "größe".normalize("NFC")]
    mkdirSync(join(tree, there))
    writeFileSync(join(tree, there, "a.md"), "A.\n")
    answer = () => edit(`${named}/b.md`, "", "B.\n") + edit("run.sh", "", "#!/bin/sh\n")
    expect(await chat.turn({ message: "Create it" })).toMatchObject({ passed: [`${there}/b.md`, "run.sh"], failed: [] })
    expect(["run.sh", `${there}/b.md`].map((path) => statSync(join(tree, path)).mode & 0o100)).toEqual([0o100, 0])
    expect(readdirSync(tree).filter((name) => name.normalize("NFC") === named)).toEqual([there])
    expect(await chat.texts()).toMatchObject({ [`${there}/b.md`]: "B.\n" })
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
    const list = async () => (await server.call("GET", `${chat.path}/files`)).body
    expect(await list()).toEqual({ files: [], is_read: false })
    const files = [
      { path: "README.md", size: 6, binary: false },
      { path: "src/greet.ts", size: 32, binary: false },
    ]
    expect((await chat.ended("files")).status).toBe(202)
    expect(await list()).toEqual({ files, is_read: true })
    expect((await server.call("GET", chat.path)).body.reading).toBe(null)
    // The first message names the session. Reading files doesn't.
    const name = async () => (await server.call("GET", `/api/v1/sessions/${chat.id}`)).body.name
    expect(await name()).toBe("New session")
    answer = () => "Nothing."
    await chat.turn({ message: "What is here?" })
    expect(await name()).toBe("What is here?")
    const json = { files: ["src/greet.ts", "src/none.ts"] }
    expect((await server.call("PUT", `${chat.path}/selection`, { json })).body).toEqual({
      selected_files: ["src/greet.ts"],
      refused: [{ path: "src/none.ts", reason: "missing" }],
    })
  })

  it("reviews what changed, shows it with each message, and applies no edit until the review ends", async () => {
    const chat = await openChat()
    repository.git("branch", "theirs")
    const review = (json: object) => chat.ended("review", json)
    expect((await review({ base: "theirs" })).status).toBe(202)
    expect(await chat.failure()).toBe("There is nothing to review, because no files differ.")
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    writeFileSync(join(tree, "src/greet.ts"), "export const greet = () => 'yo'\n")
    await review({ base: "nowhere" })
    expect(await chat.failure()).toBe("The branch, tag or commit doesn't exist.")
    expect((await server.call("GET", chat.path)).body).toMatchObject({ mode: "edit", review: null })
    await review({ base: "theirs" })
    expect(await chat.failure()).toBeUndefined()
    answer = () => edit("src/greet.ts", "export const greet = () => 'yo'\n", "export const greet = () => 'hey'\n")
    const shown = () => {
      const asked = model.requests.findLast(({ system }) => !system?.startsWith("You write"))
      return asked?.messages.map(({ content }) => content) ?? []
    }
    expect(await chat.turn({ message: "Is it polite?", files: ["src/greet.ts"] })).toMatchObject({ edit_blocks: [] })
    const [reviewed] = shown().filter((text) => text.startsWith("# Under Review"))
    expect(reviewed).toContain("-export const greet = () => 'hi'\n+export const greet = () => 'yo'")
    expect(shown().at(-1)).toBe("Is it polite?")
    expect((await server.call("GET", chat.path)).body).toMatchObject({
      ...{ mode: "review", review: { base: "theirs", tip: null } },
    })
    expect(await chat.texts()).toMatchObject({ "src/greet.ts": "export const greet = () => 'yo'\n" })
    expect((await server.call("DELETE", `${chat.path}/review`)).status).toBe(200)
    expect(await chat.turn({ message: "Make it so" })).toMatchObject({ passed: ["src/greet.ts"] })
    expect(shown().at(-1)).toBe("Make it so")
    expect(shown().join("\n")).not.toContain("# Under Review")
    // Another branch is compared as committed, without uncommitted changes in the worktree.
    const { branch } = (await chat.ask("GET", "?fresh=true")).body
    await review({ base: "theirs", tip: branch })
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
    expect((await chat.rewind(asked.seq - 1)).status).toBe(202)
    expect(await chat.texts()).toEqual({ "README.md": "Mine.\n", "src/greet.ts": "export const greet = () => 'hi'\n" })
    expect(isExecutable("src/greet.ts")).toBe(false)
    expect(await chat.messages()).toEqual([])
    expect((await chat.subjects()).slice(0, 3)).toEqual([
      "Rewind the files to an earlier point in the chat",
      "Changes made beside the chat",
      "fix: greet politely",
    ])
    const { branches } = (await server.call("GET", chat.path)).body
    expect((await chat.rewind(branches[0].left_seq)).status).toBe(202)
    expect(await chat.texts()).toEqual({
      "README.md": "Yours.\n",
      "src/greet.ts": "export const greet = () => 'hello'\n",
      "src/new.ts": "export const one = 1\n",
    })
    expect(["src/greet.ts", "src/new.ts"].map(isExecutable)).toEqual([true, true])
    expect(await chat.messages()).toHaveLength(2)
    const { seq: newest = 0 } = (await chat.events()).at(-1) ?? {}
    chmodSync(join(tree, "src/new.ts"), 0o644)
    expect((await chat.rewind(newest)).status).toBe(202)
    expect(isExecutable("src/new.ts")).toBe(true)
    const before = await chat.subjects()
    // If no file differs, nothing is committed.
    writeFileSync(join(tree, "README.md"), "Not committed.\n")
    await chat.ended("files")
    expect((await chat.rewind((await chat.events()).at(-1)?.seq ?? 0)).status).toBe(202)
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
      const first = await chat.fork(messages[1].end_seq)
      const begun = { "README.md": "Mine.\n", "src/greet.ts": "export const greet = () => 'hello'\n" }
      expect(await first.texts()).toEqual(begun)
      expect((await first.messages()).map(({ content }) => content)).toEqual(
        messages.slice(0, 2).map(({ content }) => content),
      )
      expect((await first.subjects()).slice(-2)).toEqual(["fix: greet politely", "begin"])
      expect((await first.ask("GET", "?fresh=true")).body.branch).not.toBe(branch)
      answer = () => edit("src/greet.ts", "export const greet = () => 'hello'\n", "export const greet = () => 'mine'\n")
      expect(await first.turn({ message: "Go your own way" })).toMatchObject({ passed: ["src/greet.ts"] })
      const last = await chat.fork(messages[3].end_seq)
      expect(await last.texts()).toEqual(await chat.texts())
      expect(await last.texts()).toMatchObject({ "notes.txt": "Not committed.\n" })
      expect(await last.subjects()).toEqual(await chat.subjects())
    },
  )

  it("answers a fork at once, and says that it is under way until its repository was cloned", async () => {
    await using git = await serveGit(folder, { username: "ada", password: "secret" })
    repository.git("clone", "-q", "--bare", repository.folder, join(folder, "remote.git"))
    const remote = `http://ada:secret@${git.host}/remote.git`
    const chat = await openChat((await openSession(server, remote)).id)
    answer = () => edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'hello'\n")
    expect(await chat.turn({ message: "Greet", files: ["src/greet.ts"] })).toMatchObject({ passed: ["src/greet.ts"] })
    const messages = await chat.messages()
    const gate = Promise.withResolvers<void>()
    git.onRequest = () => gate.promise
    const json = { to_seq: messages.at(-1).end_seq }
    const fork = (asked: object) =>
      server.call("POST", `${chat.path}/fork`, { json: asked, headers: { "idempotency-key": chat.id } })
    const { status, body } = await fork(json)
    expect([status, body.status]).toEqual([202, "started"])
    expect((await fork(json)).body).toEqual(body)
    expect((await fork({ to_seq: json.to_seq - 1 })).body.error.code).toBe("idempotency_conflict")
    const path = `/api/v1/sessions/${body.id}/chat`
    const view = async () => (await server.call("GET", path)).body
    expect((await view()).restoring).toEqual({ kind: "fork", run_id: body.run_id, error: null })
    const asked = await server.call("POST", path, { json: { message: "Now?", model: "scripted/test" } })
    expect([asked.status, asked.body.error.message]).toEqual([
      409,
      "This chat is being copied from another session. Try again in a moment.",
    ])
    gate.resolve()
    await server.ended(body.run_id)
    const forked = await openChat(body.id)
    expect((await view()).restoring).toBe(null)
    expect((await forked.messages()).map(({ content }) => content)).toEqual(messages.map(({ content }) => content))
    expect(await forked.texts()).toMatchObject({ "src/greet.ts": "export const greet = () => 'hello'\n" })
  })

  it("keeps the chat as it is where the files can't be taken back, and says why until the next message", async () => {
    const chat = await openChat()
    answer = () => edit("src/new.ts", "", "export const one = 1\n")
    await chat.turn({ message: "Add" })
    const messages = await chat.messages()
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    // Git can't commit while its index is locked.
    const lock = resolve(tree, repository.git("-C", tree, "rev-parse", "--git-path", "index.lock").trim())
    writeFileSync(lock, "")
    const { status, body } = await chat.rewind(messages[0].seq - 1)
    expect(status).toBe(202)
    await rm(lock)
    const view = async () => (await server.call("GET", chat.path)).body
    expect((await view()).restoring).toEqual({ kind: "rewind", run_id: body.run_id, error: expect.any(String) })
    expect(await chat.messages()).toEqual(messages)
    answer = () => "Fine."
    await chat.turn({ message: "Go on" })
    expect((await view()).restoring).toBe(null)
  })

  /** Runs `begin` in a process that dies at its nth write, then continues in another process. */
  async function dieAndRecover(
    { nth, lastWrite }: { nth: number; lastWrite: "lost" | "done" },
    id: string,
    begin: (core: ReturnType<typeof server.core>) => Promise<unknown>,
    agent = MOMENT_AGENT,
  ): Promise<"ended" | "died"> {
    const options = { signal: never }
    const execute = async (on: Pick<Stores, "records" | "blobs">, serve: () => Promise<void>) => {
      const { executor } = server.core({ on: { ...server.stores, ...on } })
      const state = await server.core().sessions.peek("local", id, options)
      const run = state && activeRun(state, agent)
      if (!run) return
      const sid = sessionKey("local", id)
      const deps = { ...executor, executor: "test", launcher: { serve } }
      const launch = { sid, runId: run.runId, expectedGeneration: run.generation }
      if (run.kind === "fork") await executeRun({ ...deps, kind: "fork", work: createFork(deps) }, launch, options)
      else if (run.kind === "rewind")
        await executeRun({ ...deps, kind: "rewind", work: createRewind(deps) }, launch, options)
      else await executeRun({ ...deps, kind: "chat_files", work: createFilesWork(deps) }, launch, options)
    }
    const serve = async () => {
      await server.call("GET", `/api/v1/sessions/${id}/worktree?fresh=true`)
    }
    const { on } = mortal(server.stores, nth, lastWrite)
    const dying = async () => {
      await begin(server.core({ on }))
      await execute(on, serve)
    }
    const outcome = await dying().then(
      () => "ended" as const,
      () => "died" as const,
    )
    await execute(server.stores, serve)
    return outcome
  }

  itDeep("rewinds all or nothing by a process that dies at any of its writes, and is rewound by the next", async () => {
    const chat = await openChat()
    await chat.ended("files")
    for (const lastWrite of ["lost", "done"] as const) {
      for (let nth = 1, outcome = "died"; outcome === "died"; nth++) {
        const where = `killed at write ${nth}, ${lastWrite}`
        answer = () => edit("src/new.ts", "", `export const nth = ${nth}\n`)
        await chat.turn({ message: where })
        const before = [await chat.texts(), (await chat.messages()).length] as const
        const asked = (await chat.messages()).at(-2)
        const rewinds = (await chat.subjects()).filter((subject) => subject.startsWith("Rewind")).length
        const begin = async (core: ReturnType<typeof server.core>) => {
          const handle = await core.sessions.find("local", chat.id, { signal: never })
          const { session } = await core.sessions.touch("local", chat.id, { signal: never })
          const launcher = { serve: async () => {} }
          const deps = { ...core, ...core.executor, sessions: core.sessions, launcher }
          await rewind(deps, { owner: "local", session, handle }, { toSeq: asked.seq - 1, files: true, signal: never })
        }
        outcome = await dieAndRecover({ nth, lastWrite }, chat.id, begin)
        const after = [await chat.texts(), (await chat.messages()).length] as const
        const rewound = [{ "README.md": "Mine.\n", "src/greet.ts": before[0]["src/greet.ts"] }, before[1] - 2] as const
        expect([before, rewound], where).toContainEqual(after)
        // A request that became an event is carried out, even if its process died.
        const isAsked = (await chat.events()).some(
          ({ type, seq }) => type === "chat_rewind_requested" && seq > asked.seq,
        )
        expect(after, where).toEqual(isAsked ? rewound : before)
        if (outcome === "ended") expect(nth, where).toBeGreaterThan(6)
        if (!isAsked) {
          const { status, text } = await chat.rewind(asked.seq - 1)
          expect(status, `${where}: ${text}`).toBe(202)
        }
        expect(await chat.texts(), where).toEqual(rewound[0])
        const subjects = await chat.subjects()
        expect(subjects.filter((subject) => subject.startsWith("Rewind")).length, where).toBe(rewinds + 1)
      }
    }
  })

  itDeep("forks all or nothing by a process that dies at any of its writes, with each message once", async () => {
    const chat = await openChat()
    answer = () => edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'hello'\n")
    await chat.turn({ message: "Greet", files: ["src/greet.ts"] })
    const messages = await chat.messages()
    const texts = await chat.texts()
    for (const lastWrite of ["lost", "done"] as const) {
      for (let nth = 1, outcome = "died"; outcome === "died"; nth++) {
        const where = `killed at write ${nth}, ${lastWrite}`
        const first = randomBytes(16).toString("hex")
        const begin = async (core: ReturnType<typeof server.core>) => {
          const handle = await core.sessions.find("local", chat.id, { signal: never })
          const deps = { ...core, ...core.executor, sessions: core.sessions, newSessionId: () => first }
          const asked = { toSeq: messages.at(-1).end_seq, key: first, signal: never }
          await fork(deps, { owner: "local", handle }, asked)
        }
        outcome = await dieAndRecover({ nth, lastWrite }, first, begin)
        const state = await server.core().sessions.peek("local", first, { signal: never })
        // A session is created together with the run that fills it, or not at all.
        const isOpened = state !== undefined
        expect(isOpened && state.chat.chatId === null, where).toBe(false)
        if (outcome === "ended") expect(nth, where).toBeGreaterThan(8)
        // A retry returns the same fork, even if the first process died.
        const sessions = async () => (await server.call("GET", "/api/v1/sessions?limit=100")).body.total
        const before = await sessions()
        const again = await server.call("POST", `${chat.path}/fork`, {
          json: { to_seq: messages.at(-1).end_seq },
          headers: { "idempotency-key": first },
        })
        expect(again.status, `${where}: ${again.text}`).toBe(202)
        await server.ended(again.body.run_id)
        const { id } = again.body
        if (isOpened) expect(id, where).toBe(first)
        expect(await sessions(), where).toBe(before + (isOpened ? 0 : 1))
        const forked = await openChat(id)
        const copied = (await forked.messages()).map(({ content }) => content)
        expect(copied, where).toEqual(messages.map(({ content }) => content))
        expect(await forked.texts(), where).toEqual(texts)
        expect((await server.call("GET", forked.path)).body.restoring, where).toBe(null)
      }
    }
  })

  /** Begins the task in a process that dies at its nth write, then continues in another process. */
  const dieAtTask = (chat: { id: string }, task: FilesTask, nth: number, lastWrite: "lost" | "done") => {
    const begin = async (core: ReturnType<typeof server.core>) => {
      const handle = await core.sessions.find("local", chat.id, { signal: never })
      const { session } = await core.sessions.touch("local", chat.id, { signal: never })
      const deps = { ...core, ...core.executor, sessions: core.sessions, launcher: { serve: async () => {} } }
      await startFilesTask(deps, { owner: "local", session, handle }, task, { signal: never })
    }
    return dieAndRecover({ nth, lastWrite }, chat.id, begin, agentOf(task.task))
  }

  for (const kind of ["read", "review", "reset", "undo"] as const) {
    itDeep(`does all of a ${kind} or nothing, and once, by a process that dies at any of its writes`, async () => {
      const chat = await openChat()
      repository.git("branch", "--force", "theirs", "HEAD")
      await chat.ended("files")
      const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
      for (const lastWrite of ["lost", "done"] as const) {
        for (let nth = 1, outcome = "died"; outcome === "died"; nth++) {
          const where = `${kind} killed at write ${nth}, ${lastWrite}`
          answer = () => edit(`src/${lastWrite}${nth}.ts`, "", `export const nth = ${nth}\n`)
          const { requestId, path } = {
            requestId: `1700000000001-${kind}${lastWrite}${nth}`,
            path: `src/${lastWrite}${nth}.ts`,
          }
          expect(await chat.turn({ message: where, request_id: requestId }), where).toMatchObject({ passed: [path] })
          if (kind !== "undo") writeFileSync(join(tree, "README.md"), `${where}\n`)
          const since = (await chat.events()).at(-1)?.seq ?? 0
          const tasks: Record<typeof kind, FilesTask> = {
            read: { task: "read" },
            review: { task: "review", base: "theirs", tip: null },
            reset: { task: "reset" },
            undo: { task: "undo", request_id: requestId },
          }
          outcome = await dieAtTask(chat, tasks[kind], nth, lastWrite)
          const events = (await chat.events()).filter(({ seq }) => seq > since)
          const count = (type: string) => events.filter((event) => event.type === type).length
          // A request that became an event is carried out, even if its process died.
          const isAsked = count("chat_files_requested") === 1
          expect(count("chat_files_requested"), where).toBe(isAsked ? 1 : 0)
          expect(count("run_completed"), where).toBe(isAsked ? 1 : 0)
          if (outcome === "ended") expect(nth, where).toBeGreaterThan(5)
          const texts = await chat.texts()
          const done = {
            read: () => count("chat_files_read") === 1,
            review: () => count("chat_review_started") === 1,
            reset: () => count("chat_noted") === 1 && texts["README.md"] === "Mine.\n",
            undo: () => count("chat_edits_undone") === 1 && !(path in texts),
          }
          expect(done[kind](), where).toBe(isAsked)
          expect((await server.call("GET", chat.path)).body, where).toMatchObject({ restoring: null, reading: null })
          if (kind === "review") await server.call("DELETE", `${chat.path}/review`)
          const resets = (await chat.subjects()).filter((subject) => subject.startsWith("Reset the files"))
          if (kind === "reset" && !isAsked) await chat.ended("reset", { confirm: true })
          if (kind === "reset" && isAsked) expect(resets.length, where).toBeGreaterThan(0)
        }
      }
    })
  }

  it("answers at once whatever takes a run, also while a repository's clone is held up, and starts one reading for all who ask", async () => {
    await using git = await serveGit(folder, { username: "ada", password: "secret" })
    repository.git("clone", "-q", "--bare", repository.folder, join(folder, "held.git"))
    const chat = await openChat((await openSession(server, `http://ada:secret@${git.host}/held.git`)).id)
    const gate = Promise.withResolvers<void>()
    git.onRequest = () => gate.promise
    const post = (what: string, json: object = {}) => server.call("POST", `${chat.path}/${what}`, { json })
    const view = async () => (await server.call("GET", chat.path)).body
    const reading = await post("files")
    expect([reading.status, reading.body.status]).toEqual([202, "started"])
    expect((await post("files")).body).toEqual(reading.body)
    const reset = await post("reset", { confirm: true })
    expect(reset.status).toBe(202)
    expect(await view()).toMatchObject({
      reading: { run_id: reading.body.run_id, error: null },
      restoring: { kind: "reset", run_id: reset.body.run_id, error: null },
    })
    const refused = await post("review", { base: "main" })
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "This chat's files are being reset. Try again in a moment.",
    ])
    gate.resolve()
    for (const { body } of [reading, reset]) {
      expect(await server.ended(body.run_id)).toMatchObject({ status: "completed" })
    }
    expect(await view()).toMatchObject({ reading: null, restoring: null })
    expect((await server.call("GET", `${chat.path}/files`)).body.files).toHaveLength(2)
  })

  itDeep("undoes the edits of an answer as a commit, unless somebody changed a file since", async () => {
    const chat = await openChat()
    answer = () =>
      edit("src/greet.ts", "export const greet = () => 'hi'\n", "export const greet = () => 'good day'\n") +
      edit("src/new.ts", "", "export const one = 1\n")
    const asked = { message: "Greet politely", files: ["src/greet.ts"], request_id: "1700000000001-abcdef" }
    await chat.turn(asked)
    const undo = () => chat.ended(`${asked.request_id}/undo`)
    const { path: tree } = (await chat.ask("GET", "?fresh=true")).body
    const edited = readFileSync(join(tree, "src/greet.ts"), "utf8")
    writeFileSync(join(tree, "src/greet.ts"), "mine\n")
    expect((await undo()).status).toBe(202)
    expect(await chat.failure()).toBe("src/greet.ts was changed after this answer, so the edits can't be undone.")
    expect(readFileSync(join(tree, "src/new.ts"), "utf8")).toBe("export const one = 1\n")
    writeFileSync(join(tree, "src/greet.ts"), edited)
    writeFileSync(join(tree, "README.md"), "Yours.\n")
    expect((await undo()).status).toBe(202)
    expect(await chat.failure()).toBeUndefined()
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
    await chat.ended("files")
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
    expect(result.failed).toEqual([{ file: "README.md", error: "This file has been changed in the meantime." }])
    expect(await chat.show("README.md")).toBe("Yours.\n")
    expect(await chat.show("src/new.ts")).toBe("export const one = 1\n")
    expect(await chat.subjects()).toEqual(["fix: greet politely", "Changes made beside the chat", "begin"])
    expect(
      (await server.call("GET", `${chat.path}/files`)).body.files.map(({ path }: { path: string }) => path),
    ).toEqual(["README.md", "src/greet.ts", "src/new.ts"])
  })
})
