import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { makeRepository, type TestRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
const { HOME } = process.env
beforeAll(async () => {
  // HOME of the server's runners.
  process.env.HOME = mkdtempSync(join(tmpdir(), "switchyard-home-"))
  server = await startServer()
})
afterAll(async () => {
  await server.close()
  rmSync(process.env.HOME ?? "", { recursive: true })
  process.env.HOME = HOME
})

/** Creates a repository with a branch that already has commits. */
function withBranch(name: string): TestRepository {
  const here = makeRepository(join(dirname(server.folder), name), { "a.txt": "a\n" })
  here.git("checkout", "-qb", "feature")
  here.write({ "theirs.txt": "theirs\n" })
  here.git("add", "-A")
  here.git("commit", "-qm", "theirs")
  here.git("checkout", "-q", "main")
  return here
}

async function task({ id }: { id: string }, knobs: object, more: object = {}) {
  const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
  const json = { coding_agent: "mock", task_description, ...more }
  const { body } = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
  return server.ended(body.task_id)
}

describe("a branch that is there already", () => {
  it("is worked on, merged with what was in it, and still there when the worktree is not", async () => {
    const here = withBranch("branch")
    const session = await openSession(server, here.folder)
    const files = { "more.txt": "the agent's\n" }
    expect((await task(session, { files }, { branch: "feature" })).status).toBe("completed")
    const status = (await session.ask("GET", "?fresh=true")).body
    expect(status).toMatchObject({
      branch: "feature",
      target_branch: "main",
      base_commit: here.git("rev-parse", "feature^").trim(),
    })
    expect(here.git("show", "feature:more.txt")).toBe("the agent's\n")
    // The diff contains only this session's changes.
    expect((await session.ask("GET", "/diff")).body.files).toMatchObject([{ new_path: "more.txt" }])
    expect((await task(session, { files: { "more.txt": "again\n" } })).status).toBe("completed")
    const merge = { strategy: "squash", commit_message: "All of it", delete_worktree: true }
    expect((await session.ask("POST", "/merge", { json: merge })).body).toMatchObject({ status: "merged" })
    expect(here.git("show", "main:theirs.txt")).toBe("theirs\n")
    expect(here.git("show", "main:more.txt")).toBe("again\n")
    expect(existsSync(status.path)).toBe(false)
    expect(here.git("branch", "--list", "feature").trim()).toBe("feature")
    expect((await session.ask("GET", "?fresh=true")).body.exists).toBe(false)
  })

  it("is put back to where the session took it over", async () => {
    const here = withBranch("reset")
    const head = here.git("rev-parse", "feature")
    const session = await openSession(server, here.folder)
    await task(session, { files: { "more.txt": "x" } }, { branch: "feature" })
    expect((await session.ask("POST", "/reset", { json: {} })).status).toBe(200)
    expect(here.git("rev-parse", "feature")).toBe(head)
  })

  it("is taken over with the worktree that somebody made of it, which stays when the session's is deleted", async () => {
    const here = withBranch("checkout")
    const theirs = join(dirname(server.folder), "feature-tree")
    here.git("worktree", "add", "-q", theirs, "feature")
    const session = await openSession(server, here.folder)
    writeFileSync(join(theirs, "dirty.txt"), "not committed")
    const refused = await task(session, {}, { branch: "feature" })
    expect(refused).toMatchObject({
      status: "failed",
      error: { message: "This branch's worktree has uncommitted changes. Commit them first." },
    })
    expect(readFileSync(join(theirs, "dirty.txt"), "utf8")).toBe("not committed")
    here.git("-C", theirs, "add", "-A")
    here.git("-C", theirs, "commit", "-qm", "mine")
    expect((await task(session, { files: { "more.txt": "x\n" } }, { branch: "feature" })).status).toBe("completed")
    expect((await session.ask("GET", "?fresh=true")).body).toMatchObject({ path: theirs, branch: "feature" })
    expect(readFileSync(join(theirs, "more.txt"), "utf8")).toBe("x\n")

    const other = await openSession(server, here.folder)
    const busy = await task(other, {}, { branch: "feature" })
    expect(busy).toMatchObject({ status: "failed", error: { message: "Another session is working on this branch." } })

    expect((await session.ask("DELETE")).body.deleted).toBe(true)
    expect(readFileSync(join(theirs, "more.txt"), "utf8")).toBe("x\n")
    expect(here.git("worktree", "list")).toContain("feature-tree")
    expect((await task(other, { files: { "b.txt": "b" } }, { branch: "feature" })).status).toBe("completed")
  })

  itDeep(
    "is refused where it is checked out in the repository's main folder, isn't there, or is another session's",
    async () => {
      const here = withBranch("refused")
      const session = await openSession(server, here.folder)
      const why = async (branch: string) => (await task(session, {}, { branch })).error.message
      expect(await why("main")).toContain("checked out in the repository's main folder")
      expect(await why("nope")).toBe("The branch doesn't exist.")
      const other = await openSession(server, here.folder)
      await task(other, {})
      expect(await why((await other.ask("GET")).body.branch)).toBe("That branch belongs to a session.")
      const own = await openSession(server)
      const json = { coding_agent: "mock", task_description: "x", branch: "main" }
      expect((await server.call("POST", `/api/v1/sessions/${own.id}/tasks`, { json })).body.error.code).toBe(
        "task_invalid",
      )
    },
  )
})

describe("a session of an agent's program that began outside", () => {
  const ID = "11111111-1111-4111-8111-111111111111"
  const knobs = { duration_ms: 0, files: { "from-before.txt": "what was agreed before" } }

  it("goes on with what it remembers, by its id or as the newest of the repository", async () => {
    const here = withBranch("resumed")
    const memory = { turns: 3, knobs, told: [here.folder] }
    mkdirSync(join(process.env.HOME ?? "", ".mock"))
    writeFileSync(join(process.env.HOME ?? "", ".mock", `${ID}.json`), JSON.stringify(memory))
    for (const resume_session of [ID, "latest"]) {
      const session = await openSession(server, here.folder)
      const json = { coding_agent: "mock", task_description: "Go on.", resume_session }
      const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
      expect((await server.ended(body.task_id)).status).toBe("completed")
      const opened = (await session.events()).find(({ type }) => type === "agent_session_opened")
      expect(opened?.native_session_id).toBe(ID)
      expect((await session.ask("GET", "/diff")).body.files).toMatchObject([{ new_path: "from-before.txt" }])
    }
  })

  it("shows what was said before in the conversation, ahead of the task", async () => {
    const here = withBranch("history")
    const folder = join(process.env.HOME ?? "", ".mock")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${ID}.json`), JSON.stringify({ turns: 3, knobs, told: [here.folder] }))
    writeFileSync(join(folder, `${ID}.jsonl`), readFileSync("tests/fixtures/native-sessions/claude.jsonl"))
    const session = await openSession(server, here.folder)
    const run = await task(session, {}, { resume_session: ID })
    rmSync(join(folder, `${ID}.jsonl`))
    expect(run.status).toBe("completed")
    const told = (await session.events()).filter(({ type }) => type === "user_message")
    expect(told.map(({ source, content }) => [source, content]).slice(0, 3)).toEqual([
      ["history", "Make a file, please.\nAnd say hello."],
      ["history", "Thanks. Do it again."],
      ["task", expect.any(String)],
    ])
    const { items } = (await server.call("GET", `/api/v1/sessions/${session.id}/conversation`)).body
    const shown = items.map(
      ({ type, content, blocks }: { type: string; content?: string; blocks?: { content: string }[] }) => [
        type,
        content ?? blocks?.[0]?.content,
      ],
    )
    expect(shown.slice(0, 3)).toEqual([
      ["user", "Make a file, please.\nAnd say hello."],
      ["assistant", "I do this now."],
      ["assistant", "I do this now."],
    ])
    // The summary in an old message is not the result of this task.
    expect((await server.call("GET", `/api/v1/sessions/${session.id}/tasks/${run.run_id}`)).body.result).not.toBe(
      "Made a file.",
    )
  })

  it("is gone on with by an agent that is added with it, once, and then by its own", async () => {
    const here = withBranch("added")
    const memory = { turns: 3, knobs, told: [here.folder] }
    mkdirSync(join(process.env.HOME ?? "", ".mock"), { recursive: true })
    writeFileSync(join(process.env.HOME ?? "", ".mock", `${ID}.json`), JSON.stringify(memory))
    const session = await openSession(server, here.folder)
    const path = `/api/v1/sessions/${session.id}/agents`
    const added = { coding_agent: "mock", mode: "bypass", consent: true, resume: ID, prompt: "Go on." }
    const { body } = await server.call("POST", path, { json: { name: "old", ...added } })
    expect((await server.ended(body.run_id)).status).toBe("completed")
    const again = await server.call("POST", `${path}/old/messages`, { json: { content: "And on." } })
    expect((await server.ended(again.body.run_id)).status).toBe("completed")
    const events = await session.events()
    const opened = events.filter(({ type }) => type === "agent_session_opened")
    expect(opened.map(({ native_session_id }) => native_session_id)).toEqual([ID, ID])
    const begun = events
      .filter(({ type }) => type === "run_created")
      .map(({ input }) => (input as { resume_session?: string }).resume_session)
    expect(begun).toEqual([ID, undefined])
    const refused = { ...added, name: "other", resume: "../../etc" }
    expect((await server.call("POST", path, { json: refused })).status).toBe(422)
  })

  it("goes on in one's own terminal, in the worktree, once the agent is idle", async () => {
    const here = withBranch("terminal")
    const session = await openSession(server, here.folder)
    const takeOver = () => server.call("POST", `/api/v1/sessions/${session.id}/agents/main/own-terminal`)
    expect((await takeOver()).body.error.message).toBe("The agent has no saved session.")
    await task(session, { files: { "a.txt": "changed\n" } })
    const { status, body } = await takeOver()
    const { path } = (await session.ask("GET")).body
    expect([status, body]).toMatchObject([200, { agent: "mock", folder: path }])
    expect(body.command).toBe(`cd ${path} && switchyard-mock-agent --resume ${body.session_id}`)
    expect(existsSync(join(process.env.HOME ?? "", ".mock", `${body.session_id}.json`))).toBe(true)
  })

  it("is looked for in vain, and said so", async () => {
    const here = withBranch("unknown")
    const session = await openSession(server, here.folder)
    const run = await task(session, {}, { resume_session: ID.replaceAll("1", "9") })
    expect(run).toMatchObject({
      status: "failed",
      error: { message: "There is no session with this id in your home." },
    })
    const json = { coding_agent: "mock", task_description: "x", resume_session: "../../etc" }
    expect((await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })).status).toBe(422)
  })
})
