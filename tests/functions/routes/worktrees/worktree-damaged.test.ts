import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { someOf } from "../../../settings.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Opens a session whose first task wrote `first.txt`, with its own repository or without one. */
async function worked(kind: "repository" | "files") {
  const repository =
    kind === "repository" ? makeRepository(join(dirname(server.folder), `r${++repositories}`)) : undefined
  const session = await openSession(server, repository?.folder)
  if (kind === "files") await session.edit("mine.txt", "mine\n")
  expect(await session.task({ files: { "first.txt": "one\n" } })).toMatchObject({ status: "completed" })
  const changed = async () =>
    (await session.ask("GET", "/diff?fresh=true")).body.files.map((file: { new_path: string }) => file.new_path)
  const told = async () => (await session.events()).filter(({ type }: { type: string }) => type === "worktree_restored")
  return { ...session, repository, changed, told }
}
let repositories = 0

describe.each(["repository", "files"] as const)("a worktree that its agent damages, of a session on %s", (kind) => {
  it("is there again with all earlier work where its folder was deleted, and the log tells", async () => {
    const { task, ask, changed, told, files } = await worked(kind)
    expect(await task({ deletes: ["."] })).toMatchObject({ status: "completed" })
    expect(await changed()).toEqual(["first.txt"])
    expect(await told()).toMatchObject([{ damage: "folder_missing", set_aside: null }])
    expect(await task({ files: { "second.txt": "two\n" } })).toMatchObject({ status: "completed" })
    expect(await changed()).toEqual(["first.txt", "second.txt"])
    const mine = kind === "files" ? { "mine.txt": "mine\n" } : {}
    expect(await files()).toMatchObject({ ...mine, "first.txt": "one\n", "second.txt": "two\n" })
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged" })
  })

  it.each(
    someOf(
      [
        { what: "deleted", knobs: { deletes: [".git"], files: { "second.txt": "two\n" } }, damage: "git_missing" },
        {
          what: "replaced",
          knobs: { deletes: [".git"], inits: true, files: { "second.txt": "two\n" } },
          damage: "git_replaced",
        },
      ],
      1,
    ),
  )("goes on with its files as they are where .git was $what", async ({ knobs, damage }) => {
    const { task, ask, changed, told, files, repository } = await worked(kind)
    expect(await task(knobs)).toMatchObject({ status: "completed" })
    expect(await ask("GET", "?fresh=true")).toMatchObject({ status: 200, body: { exists: true, has_changes: true } })
    expect(await told()).toMatchObject([{ damage, from: "folder" }])
    expect(await changed()).toEqual(["first.txt", "second.txt"])
    expect(await files()).toMatchObject({ "first.txt": "one\n", "second.txt": "two\n" })
    expect((await ask("POST", "/merge", { json: { delete_worktree: false } })).body).toMatchObject({ status: "merged" })
    if (repository) expect(repository.git("show", "--format=", "--name-only", "main")).toBe("first.txt\nsecond.txt\n")
    expect((await ask("POST", "/reset")).body).toMatchObject({ reset: true })
    expect((await ask("DELETE")).body).toMatchObject({ deleted: true })
  })
})

describe("a worktree that somebody damages between two tasks", () => {
  it("is as it was saved, also what nobody had committed", async () => {
    const { task, ask, changed, told } = await worked("repository")
    const { path } = (await ask("GET", "?fresh=true")).body
    rmSync(path, { recursive: true })
    expect(await ask("GET", "/diff/full?fresh=true")).toMatchObject({ status: 200, body: { files_changed: 1 } })
    expect(await told()).toMatchObject([{ damage: "folder_missing", from: "save" }])
    // Removes the worktree's notes, too.
    rmSync(dirname(path), { recursive: true })
    expect(await task({ files: { "second.txt": "two\n" } })).toMatchObject({ status: "completed" })
    expect(await changed()).toEqual(["first.txt", "second.txt"])
  })

  it("is one again where git can't read it", async () => {
    const { ask, changed, told, repository } = await worked("repository")
    const { branch } = (await ask("GET", "?fresh=true")).body
    repository?.git("update-ref", "-d", `refs/heads/${branch}`)
    expect(await changed()).toEqual(["first.txt"])
    expect(await told()).toMatchObject([{ damage: "git_broken" }])
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged" })
  })
})
