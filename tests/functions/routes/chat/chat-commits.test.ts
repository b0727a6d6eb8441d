import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { framesOf, startServer, type TestServer } from "../../server.ts"

let message: (request: ModelRequest) => string = () => "docs: write of leases"
const model = createScriptedProvider((request) => textAnswer(message(request)))
let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startServer({ scripted: model })
  folder = await mkdtemp(join(tmpdir(), "switchyard-commits-"))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function openChat(repository?: string) {
  const session = await openSession(server, repository)
  const path = `/api/v1/sessions/${session.id}/chat`
  return {
    ...session,
    path,
    async commit(json: object = {}) {
      const started = await server.call("POST", `${path}/commit`, { json: { model: "scripted/test", ...json } })
      expect(started.status, started.text).toBe(202)
      const { text } = await server.call("GET", `${path}/stream?request_id=${started.body.request_id}`)
      return framesOf(text).find(({ event }) => event === "streamComplete")?.data.result
    },
    reset: () => server.call("POST", `${path}/reset`, { json: { confirm: true } }),
    messages: async () =>
      (await server.call("GET", path)).body.messages.map(({ role, content }: Record<string, string>) => [
        role,
        content,
      ]),
  }
}

describe("a commit of a session's own files", () => {
  it("has the message that a model wrote of what changed, and is where a reset goes back to", async () => {
    const chat = await openChat()
    await chat.edit("a.md", "one\n")
    await chat.edit("b.md", "two\n")
    const committed = await chat.commit()
    expect(committed).toMatchObject({ response: "docs: write of leases", error: null, failed: [] })
    const { system = "", messages } = model.requests.at(-1) ?? { messages: [] }
    const asked = String(messages.at(-1)?.content)
    expect(committed.token_usage).toMatchObject({
      ...{ input: null, estimated_input: Math.round((system.length + asked.length) / 4) },
    })
    expect(asked).toContain("added a.md\nadded b.md\n\na.md\n--- after\none\n")
    await chat.edit("a.md", "three\n")
    expect(await chat.commit({ message: "docs: three" })).toMatchObject({
      ...{ response: "docs: three", token_usage: { input: 0, output: 0, estimated_input: null } },
    })
    await chat.edit("a.md", "four\n")
    await chat.edit("c.md", "new\n")
    expect((await chat.reset()).status).toBe(200)
    expect(await chat.files()).toEqual({ "a.md": "three\n", "b.md": "two\n" })
    expect(await chat.messages()).toEqual([
      ["user", "Commit the changes."],
      ["assistant", "docs: write of leases"],
      ["user", "Commit the changes."],
      ["assistant", "docs: three"],
      ["user", "The files were reset to the last commit."],
    ])
    const events = await chat.events()
    expect(events.filter(({ type }) => type === "chat_committed")).toMatchObject([
      { message: "docs: write of leases", version: 2, commit: null },
      { message: "docs: three", version: 3, commit: null },
    ])
  })

  it("is none where the model writes nothing, and where nothing changed", async () => {
    const chat = await openChat()
    await chat.edit("a.md", "one\n")
    message = () => "  "
    expect(await chat.commit()).toMatchObject({ error: "The model didn't write a commit message." })
    message = () => "docs: one"
    await chat.commit()
    const nothing = { error: "There is nothing to commit, because no file has changed." }
    expect(await chat.commit()).toMatchObject(nothing)
    // The conversation contains the reason, although no model answered.
    const { messages } = (await server.call("GET", chat.path)).body
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "", result: nothing })
    const committed = (await chat.events()).filter(({ type }) => type === "chat_committed")
    expect(committed).toHaveLength(1)
  })

  it("applies no edit block of its message, and a reset without a commit goes to the first version", async () => {
    const chat = await openChat()
    await chat.edit("a.md", "one\n")
    await chat.edit("a.md", "two\n")
    expect((await server.call("POST", `${chat.path}/reset`, { json: { confirm: false } })).status).toBe(422)
    expect((await chat.reset()).status).toBe(200)
    expect(await chat.files()).toEqual({ "a.md": "one\n" })
    const given = "docs: a\n\na.md\n<<<< EDIT\none\n==== REPLACE\nnine\n>>>> EDIT END"
    expect(await chat.commit({ message: given })).toMatchObject({ response: given, edit_results: [] })
    expect(await chat.files()).toEqual({ "a.md": "one\n" })
  })
})

itDeep(
  "a commit in a repository has everything that wasn't committed, in one commit, and a reset takes back what came after",
  async () => {
    const repository = makeRepository(join(folder, "repository"), { "README.md": "Mine.\n" })
    const chat = await openChat(repository.folder)
    await server.call("POST", `${chat.path}/files`)
    const { path: tree, branch } = (await chat.ask("GET", "?fresh=true")).body
    const nothing = { error: "There is nothing to commit, because no file has changed." }
    expect(await chat.commit()).toMatchObject(nothing)
    // The conversation contains the reason, although no model answered.
    const { messages } = (await server.call("GET", chat.path)).body
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "", result: nothing })
    writeFileSync(join(tree, "README.md"), "Yours.\n")
    writeFileSync(join(tree, "new.md"), "New.\n")
    message = () => "docs: say whose it is"
    expect(await chat.commit()).toMatchObject({ response: "docs: say whose it is", error: null })
    const asked = model.requests.at(-1)?.messages.at(-1)?.content
    expect(asked).toContain("-Mine.\n+Yours.")
    expect(asked).toContain("+New.")
    expect(repository.git("log", "--format=%s", branch).trim().split("\n")).toEqual(["docs: say whose it is", "begin"])
    expect(repository.git("show", "--name-only", "--format=", branch).trim().split("\n")).toEqual([
      "README.md",
      "new.md",
    ])
    writeFileSync(join(tree, "README.md"), "Theirs.\n")
    writeFileSync(join(tree, "later.md"), "Later.\n")
    expect((await chat.reset()).status).toBe(200)
    expect(readFileSync(join(tree, "README.md"), "utf8")).toBe("Yours.\n")
    expect(existsSync(join(tree, "later.md"))).toBe(false)
    const subjects = () => repository.git("log", "--format=%s", branch).trim().split("\n")
    const expected = ["Reset the files to the last commit", "Changes made beside the chat", "docs: say whose it is"]
    expect(subjects().slice(0, 3)).toEqual(expected)
    expect(repository.git("show", `${branch}~1:later.md`)).toBe("Later.\n")
    expect((await chat.messages()).at(-1)).toEqual(["user", "The files were reset to the last commit."])
    // There is nothing to reset, so no commit is made.
    expect((await chat.reset()).status).toBe(200)
    expect(subjects().slice(0, 3)).toEqual(expected)
  },
)
