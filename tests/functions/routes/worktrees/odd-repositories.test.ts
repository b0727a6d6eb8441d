import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { entriesOf } from "../../../core/files/archives/entries.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const placeOf = (name: string) => join(dirname(server.folder), name)

describe("a repository that git can't handle whole on this machine", () => {
  it("is worked in: the agent and the log are told of a missing program and of files that git refuses", async () => {
    const attributes = "*.utf working-tree-encoding=UTF-16\n*.big filter=lfs\n"
    const here = makeRepository(placeOf("odd"), { ".gitattributes": attributes, "a.big": "pointer\n" })
    const program = "/nonexistent/git-lfs"
    for (const [name, value] of [
      ["process", `${program} filter-process`],
      ["clean", `${program} clean`],
      ["smudge", `${program} smudge`],
      ["required", "true"],
    ])
      here.git("config", `filter.lfs.${name}`, `${value}`)
    const { task, ask, events } = await openSession(server, here.folder)
    const end = await task({ files: { "x.utf": "no byte order mark\n", "y.txt": "good\n" } })
    expect(end).toMatchObject({ status: "completed", warning: expect.stringContaining("x.utf (BOM is required") })
    const all = await events()
    const notices = all.filter(({ type }) => type === "agent_notice").map(({ text }) => `${text}`)
    expect(notices.filter((text) => text.includes(`${program} isn't installed here`))).toHaveLength(1)
    expect(notices.filter((text) => text.includes("Git can't commit x.utf (BOM is required"))).toHaveLength(1)
    const sent = all.filter(({ type, content }) => type === "user_message" && `${content}`.includes("# Not done yet"))
    expect(sent.map(({ content }) => `${content}`.includes("x.utf"))).toEqual([true])
    const homes = join(server.folder, "homes")
    const sessions = readdirSync(homes, { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.mock\/.*json$/.test(path),
    )
    expect(sessions.map((path) => readFileSync(join(homes, path), "utf8")).join()).toContain(
      `${program} isn't installed here`,
    )
    const { path, branch, left_out } = (await ask("GET", "?fresh=true")).body
    expect(readFileSync(join(path, "a.big"), "utf8")).toBe("pointer\n")
    expect(left_out).toMatchObject([{ path: "x.utf", reason: "refused" }])
    expect(here.git("show", `${branch}:y.txt`)).toBe("good\n")
    // The agent is told only once.
    expect(await task({ files: { "z.txt": "more\n" } })).toMatchObject({ status: "completed" })
    const later = (await events()).filter(({ content }) => `${content}`.includes("# Not done yet"))
    expect(later).toHaveLength(1)
    expect((await ask("POST", "/merge")).body).toMatchObject({ worktree_kept: { reason: "left_out" } })
    expect(here.git("show", "main:z.txt")).toBe("more\n")
  })
})

describe("a repository without commits", () => {
  it("gets its first branch from the first merge, and the session its zip", async () => {
    const folder = placeOf("unborn")
    mkdirSync(folder)
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" })
    git("init", "--quiet", "--initial-branch=trunk")
    const { id, task, ask, files } = await openSession(server, folder)
    expect(await task({ files: { "src/a.ts": "1\n" } })).toMatchObject({ status: "completed" })
    expect(await files()).toEqual({ "src/a.ts": "1\n" })
    expect(git("branch", "--list", "trunk")).toBe("")
    const zip = await fetch(`${server.url}/workspace/download?workspace_id=${id}`)
    const entries = await entriesOf(Buffer.from(await zip.arrayBuffer()))
    expect(entries.map(({ path }) => path)).toContain("src/a.ts")
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged", target_branch: "trunk" })
    expect(git("ls-tree", "-r", "--name-only", "trunk")).toBe("src/a.ts\n")
    expect(readFileSync(join(folder, "src/a.ts"), "utf8")).toBe("1\n")
    expect(git("status", "--porcelain")).toBe("")
  })
})

describe("a repository with a branch named switchyard", () => {
  it("is worked in on a branch of another name", async () => {
    const here = makeRepository(placeOf("named"))
    here.git("branch", "switchyard")
    const { task, ask } = await openSession(server, here.folder)
    expect(await task({ files: { "a.txt": "1\n" } })).toMatchObject({ status: "completed" })
    const { branch } = (await ask("GET", "?fresh=true")).body
    expect(branch).toMatch(/^switchyard-work\//)
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged", worktree_deleted: true })
    expect(here.git("branch", "--format=%(refname:short)")).toBe("main\nswitchyard\n")
  })
})
