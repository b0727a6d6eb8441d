import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describeDeep, itDeep } from "../../../depth.ts"
import { readFrames } from "../../agents/frames.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Seven files, including a file that git ignores. */
const SEVEN = {
  ".gitignore": "*.log\n",
  "index.html": "<p>\n",
  "app.js": "1\n",
  "src/a.js": "a\n",
  "src/b.js": "b\n",
  'it"s.txt': "c\n",
  "kept.log": "d\n",
}

async function withFiles(files: Record<string, string>) {
  const session = await openSession(server)
  for (const [path, content] of Object.entries(files)) await session.edit(path, content)
  return session
}

describe("the worktree of a session without a repository", () => {
  it("begins with the session's files, and none of them goes when it is deleted and made anew", async () => {
    const { task, ask, files } = await withFiles(SEVEN)
    expect(await task({ files: { "agent.txt": "one\n" } })).toMatchObject({ status: "completed" })
    const diff = await ask("GET", "/diff?fresh=true")
    expect(diff.body.files).toMatchObject([{ new_path: "agent.txt", is_new: true }])
    expect((await ask("DELETE")).body).toMatchObject({ deleted: true })
    expect(await task({ files: { "more.txt": "two\n" } })).toMatchObject({ status: "completed" })
    expect(await files()).toEqual({ ...SEVEN, "agent.txt": "one\n", "more.txt": "two\n" })
    expect((await ask("GET", "/diff?fresh=true")).body.files).toMatchObject([{ new_path: "more.txt" }])
  })

  it("has the session's files, too, where it is made before anything ran, and takes none of them", async () => {
    const { ask, task, files } = await withFiles({ "a.txt": "1\n", "src/b.txt": "2\n" })
    expect((await ask("POST")).status).toBe(201)
    expect(await files()).toEqual({ "a.txt": "1\n", "src/b.txt": "2\n" })
    expect((await ask("GET", "?fresh=true")).body).toMatchObject({ has_changes: false })
    await task({ files: { "c.txt": "3\n" } })
    expect(await files()).toEqual({ "a.txt": "1\n", "src/b.txt": "2\n", "c.txt": "3\n" })
  })

  itDeep("is put back to the session's files, with what people did to them since", async () => {
    const { task, ask, edit, files } = await withFiles(SEVEN)
    await task({ files: { "agent.txt": "one\n", "app.js": "agent's\n" } })
    expect((await ask("POST", "/reset")).body).toMatchObject({ reset: true })
    expect(await files()).toEqual(SEVEN)

    await edit("by-hand.txt", "mine\n")
    await edit("app.js", "mine\n")
    await task({ files: { "agent.txt": "two\n" } })
    expect((await ask("GET", "/diff?fresh=true")).body.files).toMatchObject([{ new_path: "agent.txt" }])
    await ask("POST", "/reset")
    expect(await files()).toEqual({ ...SEVEN, "by-hand.txt": "mine\n", "app.js": "mine\n" })
    expect((await ask("GET", "?fresh=true")).body).toMatchObject({ has_changes: false })
  })

  it("is merged, and goes on from there with what people edit", async () => {
    const { task, ask, edit, files } = await withFiles({ "a.txt": "1\n" })
    await task({ files: { "b.txt": "1\n" } })
    await edit("a.txt", "2\n")
    await task({ files: { "a.txt": "3\n" } })
    expect((await ask("POST", "/merge", { json: { delete_worktree: false } })).body).toMatchObject({ status: "merged" })
    await edit("a.txt", "4\n")
    await task({ files: { "c.txt": "1\n" } })
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged", worktree_deleted: true })
    expect(await files()).toEqual({ "a.txt": "4\n", "b.txt": "1\n", "c.txt": "1\n" })
    expect((await ask("POST")).status).toBe(201)
    expect((await ask("GET", "/diff?fresh=true")).body).toMatchObject({ files_changed: 0 })
    expect(await files()).toEqual({ "a.txt": "4\n", "b.txt": "1\n", "c.txt": "1\n" })
    expect(server.reported).toEqual([])
  })
})

describe("a merge that an agent leaves in conflict", () => {
  it("stays in conflict when people change other files, and takes them once it is resolved", async () => {
    const { task, ask, edit, files } = await withFiles({ "a.txt": "1\n", "b.txt": "1\n" })
    const git = "git -c user.name=A -c user.email=a@example.org"
    const commit = (text: string) => `echo ${text} > a.txt && ${git} commit -qam ${text}`
    const merge = `(git checkout -qb side && ${commit("side")} && git checkout -q - && ${commit("ours")} && ${git} merge side)`
    const warned = {
      warning: expect.stringContaining("A merge in the worktree isn't finished, with conflicts in a.txt."),
    }
    // The agent repeats these commands when it is sent back.
    const commands = [`git rev-parse -q --verify MERGE_HEAD || ${merge} || true`]
    expect(await task({ commands })).toMatchObject(warned)
    await edit("b.txt", "2\n")
    expect(await task({})).toMatchObject(warned)
    expect((await ask("GET", "?fresh=true")).body.unresolved).toEqual({ operation: "merge", files: ["a.txt"] })
    await task({ commands: [commit("both")] })
    await task({})
    expect(await files()).toEqual({ "a.txt": "both\n", "b.txt": "2\n" })
    expect((await ask("GET", "?fresh=true")).body.unresolved).toBeUndefined()
  })
})

describe("what people do to a session's files while an agent works", () => {
  it("stays as it is, and is in the worktree with the next task", async () => {
    const session = await withFiles({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n", "d.txt": "1\n" })
    const { task, ask, edit, files, events } = session
    const given = task({ duration_ms: 2000, files: { "agent.txt": "1\n", "c.txt": "agent's\n", "d.txt": "agent's\n" } })
    for await (const { data } of readFrames(server, `/api/v1/sessions/${session.id}/stream`)) {
      if (data.type === "agent_session_opened") break
    }
    await edit("a.txt", "2\n")
    await edit("c.txt", "2\n")
    await edit("new.txt", "2\n")
    await server.call("DELETE", `/workspace/file?path=b.txt&workspace_id=${session.id}`)
    expect(await given).toMatchObject({ status: "completed" })
    const all = { "a.txt": "2\n", "agent.txt": "1\n", "c.txt": "2\n", "d.txt": "agent's\n", "new.txt": "2\n" }
    expect(await files()).toEqual(all)
    const notices = (await events()).flatMap(({ type, text }) => (type === "agent_notice" ? [text] : []))
    expect(notices).toEqual([
      expect.stringMatching(/^These files were also changed in the session while the agent worked: c.txt\./),
    ])

    await task({ files: { "more.txt": "3\n" } })
    expect(await files()).toEqual({ ...all, "more.txt": "3\n" })
    await ask("POST", "/merge")
    await ask("POST")
    expect(await files()).toEqual({ ...all, "more.txt": "3\n" })
  })
})

describe("a task that deletes more than half of a session's files", () => {
  const four = { "a.txt": "a\n", "b.txt": "b\n", "src/c.txt": "c\n", "d.txt": "d\n" }
  const deletes = ["a.txt", "b.txt", "src"]
  const left = { "d.txt": "d\n", "e.txt": "e\n" }

  it("warns, and deletes them from the session once somebody confirms", async () => {
    const { task, ask, files, events } = await withFiles(four)
    expect(await task({ deletes, files: { "e.txt": "e\n" } })).toMatchObject({ status: "completed" })
    expect(await files()).toEqual({ ...four, ...left })
    const said = await events()
    const held = { count: 3, paths: ["a.txt", "b.txt", "src/c.txt"] }
    expect(said).toContainEqual(expect.objectContaining({ type: "deletions_held", ...held, file_count: 4 }))
    const warning = expect.stringMatching(/^3 of the session's 4 files were deleted/)
    expect(said).toContainEqual(expect.objectContaining({ type: "agent_notice", text: warning }))
    expect((await ask("GET", "?fresh=true")).status).toBe(200)
    expect((await ask("GET")).body.unconfirmed_deletions).toEqual(held)

    expect(await ask("POST", "/confirm-deletions")).toMatchObject({ status: 200, body: { deleted_files: 3 } })
    expect(await files()).toEqual(left)
    await expect.poll(async () => (await ask("GET")).body.unconfirmed_deletions).toBeUndefined()
    expect((await ask("POST", "/confirm-deletions")).body.error.code).toBe("worktree_conflict")
  })

  itDeep("loses none of them where nobody confirms: the next task has them again", async () => {
    const { task, ask, files, events } = await withFiles(four)
    await task({ deletes, files: { "e.txt": "e\n" } })
    expect(await task({ files: { "f.txt": "f\n" } })).toMatchObject({ status: "completed" })
    expect(await files()).toEqual({ ...four, "e.txt": "e\n", "f.txt": "f\n" })
    expect(await events()).toContainEqual(expect.objectContaining({ type: "deletions_settled", confirmed: false }))
    await expect.poll(async () => (await ask("GET")).body.unconfirmed_deletions).toBeUndefined()
    expect((await ask("GET", "/diff?fresh=true")).body.files).toMatchObject([
      { new_path: "e.txt", is_new: true },
      { new_path: "f.txt", is_new: true },
    ])
  })

  itDeep("is taken at its word where the files only moved, or fewer go", async () => {
    const { task, files } = await withFiles(four)
    await task({ deletes: ["a.txt", "b.txt", "src"], files: { "x/a.txt": "a\n", "x/b.txt": "b\n", "x/c.txt": "c\n" } })
    expect(Object.keys(await files()).sort()).toEqual(["d.txt", "x/a.txt", "x/b.txt", "x/c.txt"])
    await task({ deletes: ["x/a.txt", "d.txt"] })
    expect(Object.keys(await files())).toEqual(["x/b.txt", "x/c.txt"])
  })
})

describe("what people do to the files of a session on a repository", () => {
  async function begun(name: string) {
    const repository = makeRepository(join(dirname(server.folder), name), {
      "README.md": "Theirs.\n",
      "old.txt": "old\n",
    })
    const session = await openSession(server, repository.folder)
    const remove = (path: string) => server.call("DELETE", `/workspace/file?path=${path}&workspace_id=${session.id}`)
    const diff = async () => {
      const { files } = (await session.ask("GET", "/diff?fresh=true")).body
      return files.map((file: { new_path: string }) => file.new_path)
    }
    return { repository, ...session, remove, diff }
  }

  it("is part of the diff and of the merge, and stays in the list until it is merged", async () => {
    const { repository, task, ask, edit, files, diff, remove } = await begun("edited")
    await edit("first.txt", "1\n")
    await task({ files: { "agent.txt": "1\n", "extra.txt": "1\n" } })
    expect(await files()).toEqual({ "first.txt": "1\n", "agent.txt": "1\n", "extra.txt": "1\n" })
    await edit("README.md", "Mine.\n")
    await edit("agent.txt", "2\n")
    await remove("extra.txt")
    const all = { "first.txt": "1\n", "agent.txt": "2\n", "README.md": "Mine.\n" }
    expect(await diff()).toEqual(["README.md", "agent.txt", "first.txt"])
    expect(await files()).toEqual(all)
    await edit("last.txt", "1\n")
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged", worktree_deleted: true })
    expect(repository.git("ls-tree", "-r", "--name-only", "main").trim().split("\n")).toEqual([
      "README.md",
      "agent.txt",
      "first.txt",
      "last.txt",
      "old.txt",
    ])
    expect(repository.git("show", "main:README.md")).toBe("Mine.\n")
    // A merged file stays in the repository, but isn't listed in the next work.
    await task({ files: { "next.txt": "1\n" } })
    expect(await files()).toEqual({ "next.txt": "1\n" })
    expect(await diff()).toEqual(["next.txt"])
  })

  it("stays as it is while an agent works, and is in the worktree with the next task", async () => {
    const { id, task, edit, files, diff, repository, ask } = await begun("meanwhile")
    const given = task({ duration_ms: 2000, files: { "agent.txt": "agent's\n", "both.txt": "agent's\n" } })
    for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream`)) {
      if (data.type === "agent_session_opened") break
    }
    await edit("both.txt", "mine\n")
    await edit("mine.txt", "mine\n")
    expect(await given).toMatchObject({ status: "completed" })
    const all = { "agent.txt": "agent's\n", "both.txt": "mine\n", "mine.txt": "mine\n" }
    expect(await files()).toEqual(all)
    expect(await diff()).toEqual(["agent.txt", "both.txt", "mine.txt"])
    await task({ files: { "more.txt": "more\n" } })
    expect(await files()).toEqual({ ...all, "more.txt": "more\n" })
    await ask("POST", "/merge")
    expect(repository.git("show", "main:both.txt", "main:mine.txt")).toBe("mine\nmine\n")
  })
})

describeDeep("the files of a session on a repository", () => {
  it("are those that differ from where the work began, and only they are stored", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `src/${index}.txt`)
    const content = Object.fromEntries(names.map((name) => [name, `${name}\n`]))
    const repository = makeRepository(join(dirname(server.folder), "larger"), { ...content, run: "#!/bin/sh\n" })
    const { task, ask, files, events } = await openSession(server, repository.folder)
    const left = async () => {
      const commit = (await events()).findLast(({ type }) => type === "workspace_committed")
      return ((commit?.changes ?? []) as { op: string }[]).filter(({ op }) => op === "delete")
    }
    const stored = async () => {
      const all = await Array.fromAsync(server.stores.blobs.list("s/"))
      return all.filter(({ key }) => /^s\/[^/]+\/\d+\/blobs\//.test(key)).length
    }
    const before = await stored()
    expect(await task({ files: { "src/7.txt": "changed\n", "new.txt": "new\n" } })).toMatchObject({
      status: "completed",
    })
    expect(await files()).toEqual({ "src/7.txt": "changed\n", "new.txt": "new\n" })
    expect(await stored()).toBe(before + 2)

    // A file with its original text leaves the list, and a deleted file isn't in the list.
    await task({ files: { "src/7.txt": "src/7.txt\n" }, deletes: ["src/8.txt"] })
    expect(await files()).toEqual({ "new.txt": "new\n" })
    expect(await left()).toEqual([{ op: "delete", path: "src", in_repository: true }])
    expect((await ask("GET", "/diff?fresh=true")).body.files).toMatchObject([
      { new_path: "new.txt", is_new: true },
      { new_path: "src/8.txt", is_deleted: true },
    ])
    await ask("POST", "/reset")
    expect(await files()).toEqual({})
    expect(await left()).toEqual([{ op: "delete", path: "new.txt" }])
    await task({ files: { "src/9.txt": "nine\n" } })
    expect(await files()).toEqual({ "src/9.txt": "nine\n" })
    expect((await ask("POST", "/merge", { json: { delete_worktree: false } })).body).toMatchObject({ status: "merged" })
    expect(await files()).toEqual({})
    expect(await left()).toEqual([{ op: "delete", path: "src", in_repository: true }])
    expect(repository.git("show", "main:src/9.txt")).toBe("nine\n")
  })
})

describeDeep("a task that leaves very many files", () => {
  it("is over when the agent is, and its files are saved behind, with how far that is", async () => {
    const { id, task, ask, files, events } = await withFiles({ "a.txt": "a\n" })
    const { path } = (await ask("POST")).body
    mkdirSync(join(path, "many"))
    for (let index = 0; index < 2500; index++) writeFileSync(join(path, "many", `${index}.txt`), `${index}\n`)
    expect(await task({ files: { "b.txt": "b\n" } })).toMatchObject({ status: "completed" })
    const saving = async () => (await server.call("GET", `/api/v1/sessions/${id}`)).body.saving
    await expect.poll(saving).toBeUndefined()
    const said = await events()
    const told = said.filter(({ type }) => type === "workspace_save_progressed")
    const [first, last] = [told[0], told.at(-1)]
    expect(first).toMatchObject({ saved: 0 })
    expect(last?.saved).toBe(last?.total)
    const ended = said.find(({ type }) => type === "run_completed")?.seq ?? 0
    expect(first?.seq).toBeLessThan(ended)
    expect(said.filter(({ type, seq }) => type === "workspace_committed" && seq > ended).length).toBeGreaterThan(1)
    expect(Object.keys(await files())).toHaveLength(2502)
    expect((await ask("GET")).body.saving).toBeUndefined()
  })
})

describeDeep("asking for a worktree that is there", () => {
  it("answers that one, and throws its work away only where it is told to", async () => {
    const repository = makeRepository(join(dirname(server.folder), "again"))
    const { task, ask } = await openSession(server, repository.folder)
    expect(await ask("POST")).toMatchObject({ status: 201, body: { created: true } })
    await task({ files: { "x.txt": "x\n" } })
    const again = await ask("POST")
    expect(again).toMatchObject({ status: 200, body: { created: false, exists: true, has_changes: true } })
    expect(readdirSync(again.body.path)).toContain("x.txt")
    expect((await ask("GET", "/diff?fresh=true")).body).toMatchObject({ files_changed: 1 })

    const anew = await ask("POST", "?reset=true")
    expect(anew).toMatchObject({ status: 201, body: { created: true, has_changes: false } })
    expect(readdirSync(again.body.path)).not.toContain("x.txt")
    rmSync(repository.folder, { recursive: true })
  })
})
