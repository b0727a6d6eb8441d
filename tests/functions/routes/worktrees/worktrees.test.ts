import { execFileSync } from "node:child_process"
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { type Answer, type Call, startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Opens a session on its own repository, in which the mock agent has written these files. */
async function worked(name: string, files: Record<string, string>) {
  const repository = makeRepository(join(dirname(server.folder), name))
  const json = { repository: repository.folder }
  const { id } = (await server.call("POST", "/api/v1/sessions", { json })).body
  const task = async (written: Record<string, string>) => {
    const task_description = `Do it. mock: ${JSON.stringify({ files: written })}`
    const given = await server.call("POST", `/api/v1/sessions/${id}/tasks`, {
      json: { coding_agent: "mock", task_description },
    })
    const { status } = await server.ended(given.body.task_id)
    expect(status).toBe("completed")
  }
  const ask = (method: string, path = "", call?: Call) =>
    server.settled(method, `/api/v1/sessions/${id}/worktree${path}`, call)
  await task(files)
  return { id, repository, task, ask }
}

/** Creates a bare repository with one commit, and returns its URL. */
function makeClonedFrom(remote: string): { repository: string } {
  const source = makeRepository(`${remote}-source`)
  execFileSync("git", ["clone", "--bare", "--quiet", source.folder, remote])
  return { repository: `file://${remote}` }
}

describe("a worktree over HTTP", () => {
  it("shows what an agent changed, merges it with the user's words, and goes on from there", async () => {
    const { id, repository, task, ask } = await worked("merged", { "a.txt": "one\n", "README.md": "Ours.\n" })
    // A user changes the checkout meanwhile.
    writeFileSync(join(repository.folder, "mine.txt"), "mine\n")
    const status = await ask("GET", "?fresh=true")
    expect(status.body).toMatchObject({ exists: true, has_changes: true, target_branch: "main" })
    const diff = await ask("GET", "/diff/full?fresh=true")
    expect(diff.body).toMatchObject({ session_id: id, files_changed: 2, insertions: 2, deletions: 1 })
    expect((await ask("GET", "/diff?path=a.txt")).body.files).toMatchObject([{ new_path: "a.txt", is_new: true }])
    expect((await ask("GET", "/branches")).body).toMatchObject({ branches: ["main"], current: "main" })

    const json = { commit_message: "Add a, in my words\n\nBecause.\n", delete_worktree: false }
    const merge = (more = {}) => {
      return ask("POST", "/merge", { json: { ...json, ...more }, headers: { "idempotency-key": `merge-${id}` } })
    }
    const [made, same] = await Promise.all([merge(), merge()])
    expect(made.body).toMatchObject({ success: true, status: "merged" })
    expect([same.body, (await merge()).body]).toEqual([made.body, made.body])
    expect(await merge({ strategy: "merge" })).toMatchObject({ body: { error: { code: "idempotency_conflict" } } })
    expect(repository.git("log", "-1", "--format=%B").trim()).toBe(json.commit_message.trim())
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("one\n")
    expect(repository.git("status", "--porcelain")).toBe("?? mine.txt\n")
    expect((await ask("GET")).body).toMatchObject({ exists: true, has_changes: false })

    await task({ "b.txt": "two\n" })
    expect((await ask("GET", "/diff?fresh=true")).body.files).toMatchObject([{ new_path: "b.txt" }])
    const files = async () => (await server.call("GET", `/workspace/files?workspace_id=${id}`)).body.files
    expect(await files()).toEqual({ "b.txt": "two\n" })
    expect((await ask("POST", "/reset")).body).toMatchObject({ session_id: id, reset: true })
    expect(await files()).toEqual({})
    expect((await ask("DELETE")).body).toMatchObject({ session_id: id, deleted: true })
    expect((await ask("GET")).body).toMatchObject({ exists: false, path: null })
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({ has_worktree: false })
    expect(server.reported).toEqual([])
  })

  it("shows conflicts, and makes the merge once they are resolved", async () => {
    const { repository, ask } = await worked("conflicting", { "README.md": "Ours.\n" })
    writeFileSync(join(repository.folder, "README.md"), "Theirs.\n")
    repository.git("commit", "-qam", "meanwhile")
    const tried = await ask("POST", "/merge", { json: { commit_message: "Mine" } })
    expect(tried.body).toMatchObject({ success: false, status: "conflicts" })
    expect(readFileSync(join(repository.folder, "README.md"), "utf8")).toBe("Theirs.\n")
    const { body } = await ask("GET", "/conflicts")
    expect(body).toMatchObject({ unresolved: 1, files: [{ file_path: "README.md", kind: "content" }] })
    const whole = await ask("GET", "/conflicts?path=README.md")
    expect(whole.body.content).toMatchObject({ ours: "Theirs.\n", theirs: "Ours.\n", base: "Mine.\n" })
    const resolution = { file_path: "README.md", content: "Both.\n" }
    expect((await ask("POST", "/resolve-conflicts", { json: resolution })).status).toBe(200)
    const made = await ask("POST", "/complete-merge")
    expect(made.body).toMatchObject({ success: true, status: "merged", worktree_deleted: true })
    // The runner's notes are lost with its machine, but the merge isn't.
    for (const note of globSync("**/*.merged.json", { cwd: server.folder })) rmSync(join(server.folder, note))
    expect((await ask("POST", "/merge", { json: { commit_message: "Mine" } })).body).toEqual(made.body)
    expect((await ask("POST", "/merge", { json: { target_branch: "other" } })).status).toBe(404)
    expect(readFileSync(join(repository.folder, "README.md"), "utf8")).toBe("Both.\n")
    expect(repository.git("log", "-1", "--format=%s").trim()).toBe("Mine")
    expect((await ask("GET", "/conflicts")).status).toBeGreaterThanOrEqual(400)
  })

  itDeep("says right after a task that left very many files how it is, and what they change", async () => {
    const repository = makeRepository(join(dirname(server.folder), "very-many"))
    const session = await openSession(server, repository.folder)
    expect(await session.task({ generates: 1200 })).toMatchObject({ status: "completed" })
    expect((await session.ask("GET")).body).toMatchObject({ exists: true, has_changes: true, uncommitted: false })
    let diff = await session.ask("GET", "/diff")
    while (diff.status === 202) diff = await server.call("GET", diff.body.links.result)
    expect(diff.body).toMatchObject({ files_changed: 1200, insertions: 1200 })
  })

  it("isn't merged over what somebody has not committed", async () => {
    const { repository, ask } = await worked("blocked", { "README.md": "Ours.\n" })
    writeFileSync(join(repository.folder, "README.md"), "Not committed.\n")
    const { status, body } = await ask("POST", "/merge")
    expect([status, body.error.code, body.error.details.files]).toEqual([409, "merge_blocked", ["README.md"]])
    expect(readFileSync(join(repository.folder, "README.md"), "utf8")).toBe("Not committed.\n")
  })

  it("isn't there before anybody worked, and is made when it is asked for", async () => {
    const repository = makeRepository(join(dirname(server.folder), "fresh"))
    const json = { repository: repository.folder }
    const { id } = (await server.call("POST", "/api/v1/sessions", { json })).body
    const at = `/api/v1/sessions/${id}/worktree`
    expect((await server.call("GET", at)).body).toMatchObject({ exists: false })
    expect((await server.call("GET", `${at}/diff`)).body.error.code).toBe("worktree_not_found")
    expect((await server.call("POST", `${at}/merge`)).body.error.code).toBe("worktree_not_found")
    const resolved = await server.call("POST", `${at}/resolve-conflicts`)
    expect([resolved.status, resolved.body.error.code]).toEqual([422, "validation_error"])
    expect((await server.call("GET", `${at}?worktree=main`)).body).toMatchObject({ exists: false })
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/diff/full"],
      ["POST", "/merge"],
      ["DELETE", ""],
    ] as const) {
      const other = await server.call(method, `${at}${path}?worktree=other`)
      expect([other.status, other.body.error.details]).toEqual([404, { worktree: "other" }])
    }
    expect((await server.call("GET", `${at}?worktree=..`)).status).toBe(422)
    expect(await server.call("POST", at)).toMatchObject({ status: 201, body: { exists: true, has_changes: false } })
    expect((await server.call("GET", at)).body).toMatchObject({ exists: true })
    expect((await server.call("GET", `${at}/commands/cmd_none`)).body.error.code).toBe("not_found")
  })

  itDeep("stays after its merge where work came into it that the merge doesn't have", async () => {
    const { repository, task, ask } = await worked("followed", { "README.md": "Ours.\n" })
    writeFileSync(join(repository.folder, "README.md"), "Theirs.\n")
    repository.git("commit", "-qam", "meanwhile")
    expect((await ask("POST", "/merge")).body.status).toBe("conflicts")
    await task({ "late.txt": "late\n" })
    const { path } = (await ask("GET")).body
    writeFileSync(join(path, "by-hand.txt"), "by hand\n")
    const resolution = { use: "theirs", complete: true }
    expect((await ask("POST", "/resolve-conflicts", { json: resolution })).body).toMatchObject({
      ...{ status: "merged", worktree_deleted: false, worktree_kept: { reason: "new_commits" } },
      message: expect.stringContaining("The worktree was kept"),
    })
    expect(repository.git("ls-tree", "--name-only", "main")).toBe("README.md\n")
    expect(readFileSync(join(path, "late.txt"), "utf8")).toBe("late\n")
    expect(readFileSync(join(path, "by-hand.txt"), "utf8")).toBe("by hand\n")
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged", worktree_deleted: true })
    expect(repository.git("ls-tree", "--name-only", "main")).toBe("README.md\nby-hand.txt\nlate.txt\n")
  })

  it("is pushed after its merge from a clone that only the session has, though the merge deleted it", async () => {
    const remote = join(dirname(server.folder), "remote.git")
    const { repository } = makeClonedFrom(remote)
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { repository } })).body
    const at = `/api/v1/sessions/${id}/worktree`
    const json = { coding_agent: "mock", task_description: 'mock: {"files":{"a.txt":"a"}}' }
    const { task_id } = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body
    await server.ended(task_id)
    const merged = (await server.call("POST", `${at}/merge`)).body
    expect(merged).toMatchObject({ worktree_deleted: true, push: { remote: "origin", branch: "main" } })
    expect((await server.call("POST", `${at}/push`)).body).toEqual({ ...merged.push, commit: merged.commit })
    const shown = execFileSync("git", ["show", "main:a.txt"], { cwd: remote, encoding: "utf8" })
    expect(shown).toBe("a")
  })

  it("says what was wrong with what was asked, as no failure of the server's", async () => {
    const { repository, id, ask } = await worked("asked-wrongly", { "README.md": "Ours.\n" })
    const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
    const named = { target_branch: "nowhere" }
    expect(codeOf(await ask("POST", "/merge", { json: named }))).toEqual([404, "branch_not_found"])
    expect(codeOf(await ask("POST", "/update", { json: named }))).toEqual([404, "branch_not_found"])
    expect(codeOf(await ask("POST", "?reset=true", { json: { base_branch: "nowhere" } }))).toEqual([
      404,
      "branch_not_found",
    ])
    expect(codeOf(await ask("GET", "/diff?compare_branch=nowhere"))).toEqual([404, "branch_not_found"])
    const impossible = { target_branch: "ma\0in" }
    expect(codeOf(await ask("POST", "/merge", { json: impossible }))).toEqual([422, "validation_error"])
    expect(codeOf(await ask("POST", "/update", { json: impossible }))).toEqual([422, "validation_error"])
    expect(codeOf(await ask("GET", "/diff?compare_branch=ma%00in"))).toEqual([422, "validation_error"])
    expect(codeOf(await ask("GET", "/diff/full?compare_branch=ma%00in"))).toEqual([422, "validation_error"])
    repository.git("remote", "add", "origin", repository.folder)
    expect(codeOf(await ask("POST", "/push", { json: { branch: "nowhere" } }))).toEqual([404, "branch_not_found"])
    const own = { target_branch: `switchyard/${id}` }
    expect(codeOf(await ask("POST", "/merge", { json: own }))).toEqual([422, "invalid_request"])
    writeFileSync(join(repository.folder, "README.md"), "Theirs.\n")
    repository.git("commit", "-qam", "meanwhile")
    await ask("POST", "/merge")
    expect(codeOf(await ask("GET", "/conflicts?path=none.txt"))).toEqual([404, "conflict_not_found"])
    const hunks = { file_path: "README.md", hunks: [] }
    expect(codeOf(await ask("POST", "/resolve-conflicts", { json: hunks }))).toEqual([422, "invalid_request"])
    expect(server.reported).toEqual([])
  })

  itDeep("answers at once where the repository is away, and never does later what was asked then", async () => {
    const { repository, task, ask } = await worked("away", { "a.txt": "one\n" })
    const away = `${repository.folder}-away`
    renameSync(repository.folder, away)
    for (const [method, path] of [
      ["POST", "/merge"],
      ["POST", "/reset"],
      ["GET", "?fresh=true"],
    ] as const) {
      expect(await ask(method, path)).toMatchObject({ status: 422, body: { error: { code: "repository_error" } } })
    }
    renameSync(away, repository.folder)
    await task({ "later.txt": "two\n" })
    expect(repository.git("log", "--format=%s", "main")).toBe("begin\n")
    expect((await ask("GET", "/diff?fresh=true")).body.files).toHaveLength(2)
  })

  it("answers where its repository has gone", async () => {
    const repository = makeRepository(join(dirname(server.folder), "gone"))
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })).body
    rmSync(repository.folder, { recursive: true })
    for (const path of ["/merge", "/push"]) {
      const { body } = await server.call("POST", `/api/v1/sessions/${id}/worktree${path}`)
      expect(body.error.code).toBe("repository_error")
    }
  })

  it("isn't changed while an agent works in it", async () => {
    const { id, ask } = await worked("busy", { "a.txt": "a" })
    const json = { coding_agent: "mock", task_description: 'mock: {"hangs":true}' }
    const { task_id } = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body
    expect((await ask("POST", "/reset")).body.error).toMatchObject({
      code: "worktree_busy",
      details: { run_id: task_id },
    })
    expect((await ask("GET", "?fresh=true")).body).toMatchObject({ exists: true })
    await server.call("POST", `/v1/runs/${task_id}/cancel`)
  })
})
