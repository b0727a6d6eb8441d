import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/**
 * Opens a session whose work conflicts with main and whose merge waits for a resolution. When sent back, the agent
 * repeats `commands`.
 */
async function inConflict(name: string, commands: string[]) {
  const here = makeRepository(join(dirname(server.folder), name), { "a.txt": "one\n", "b.txt": "b\n" })
  const session = await openSession(server, here.folder)
  await session.task({ files: { "a.txt": "the agent's\n" } })
  await session.task({ commands })
  here.write({ "a.txt": "ours\n", "new.txt": "new\n" })
  here.git("add", "-A")
  here.git("commit", "-qm", "meanwhile")
  const json = { strategy: "squash", commit_message: "The work", delete_worktree: false }
  const merge = async () => (await session.ask("POST", "/merge", { json })).body
  expect((await merge()).status).toBe("conflicts")
  return { here, session, merge }
}

async function ask({ id }: { id: string }, status = 201) {
  const answer = await server.call("POST", `/api/v1/sessions/${id}/worktree/ask-agent`, { json: {} })
  expect(answer.status).toBe(status)
  return answer.body
}

const RESOLVES = "grep -q '^<<<<<<<' a.txt && printf 'both\\n' > a.txt || true"

describe("an agent that is asked to resolve a merge", () => {
  it("finds the conflicts in its files, and what it makes of them merges without any", async () => {
    const { here, session, merge } = await inConflict("resolved", [RESOLVES])
    const run = await server.ended((await ask(session)).task_id)
    expect(run.status).toBe("completed")
    const { path, merge: waiting, behind } = (await session.ask("GET", "?fresh=true")).body
    expect({ waiting, behind }).toEqual({ waiting: null, behind: 0 })
    expect(existsSync(join(path, "new.txt"))).toBe(true)
    // Changes made by others aren't shown as the agent's work.
    const { files } = (await session.ask("GET", "/diff?fresh=true")).body
    expect(files.map(({ new_path }: { new_path: string }) => new_path)).toEqual(["a.txt"])
    expect((await merge()).status).toBe("merged")
    expect(here.git("show", "main:a.txt")).toBe("both\n")
    const [said] = (await session.events()).filter(
      ({ type, content }) => type === "user_message" && `${content}`.includes("- a.txt"),
    )
    expect(said?.content).toContain("Resolve the conflicts with main.")
  })

  itDeep("leaves the work as it was where it resolves nothing", async () => {
    const { here, session, merge } = await inConflict("left", ["true"])
    const run = await server.ended((await ask(session)).task_id)
    expect(run).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("left conflicts in a.txt") },
    })
    const { path, branch, uncommitted } = (await session.ask("GET", "?fresh=true")).body
    expect(uncommitted).toBe(false)
    expect(existsSync(join(path, "new.txt"))).toBe(false)
    expect(here.git("show", `${branch}:a.txt`)).toBe("the agent's\n")
    expect((await merge()).status).toBe("conflicts")
  })

  it("isn't asked where no merge waits", async () => {
    const here = makeRepository(join(dirname(server.folder), "calm"))
    const session = await openSession(server, here.folder)
    await session.task({})
    expect((await ask(session, 409)).error.code).toBe("worktree_conflict")
  })
})

describe("an agent that leaves a merge of its own in conflict", () => {
  it("is sent back to settle it, and nothing leaves the worktree until it has", async () => {
    const { here, session } = await inConflict("unfinished", ["true"])
    await session.ask("POST", "/abort-merge", { json: {} })
    const before = await session.files()
    const run = await session.task({
      commands: ["git -c user.name=A -c user.email=a@example.org merge main || true"],
      files: { "more.txt": "more\n" },
    })
    expect(run).toMatchObject({
      status: "completed",
      warning: expect.stringContaining("A merge in the worktree isn't finished, with conflicts in a.txt."),
    })
    const sent = (await session.events()).filter(
      ({ type, content }) => type === "user_message" && `${content}`.includes("# Not done yet"),
    )
    expect(sent.map(({ content }) => `${content}`.includes("conflicts in a.txt"))).toEqual([true, true])

    const json = { strategy: "squash", commit_message: "The work" }
    const refused = await session.ask("POST", "/merge", { json })
    expect(refused.status).toBe(409)
    expect(refused.body.error.details).toEqual({ operation: "merge", files: ["a.txt"] })
    const { path, unresolved } = (await session.ask("GET", "?fresh=true")).body
    expect(unresolved).toEqual({ operation: "merge", files: ["a.txt"] })
    expect(readFileSync(join(path, "a.txt"), "utf8")).toContain("<<<<<<<")
    // The session shows the file as it was before the conflict.
    expect(await session.files()).toMatchObject({ "a.txt": before["a.txt"], "more.txt": "more\n" })
    expect(here.git("show", "main:a.txt")).toBe("ours\n")

    await session.task({ commands: ["printf 'both\\n' > a.txt"] })
    expect((await session.ask("POST", "/merge", { json })).body.status).toBe("merged")
    expect(here.git("show", "main:a.txt")).toBe("both\n")
  })
})
