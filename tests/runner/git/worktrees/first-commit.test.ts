import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clone } from "@switchyard/runner/git/remote/clone"
import { reachDirectly as reach } from "@switchyard/runner/git/remote/remotes"
import { describe, expect, it } from "vitest"
import { open, ourGit, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }

/** Creates a repository without a commit, like `git init`. */
async function newUnborn({ bare = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "git-"))
  const repo = join(folder, "repo")
  await mkdir(repo)
  plainGit(repo, "init", "--quiet", "--initial-branch=trunk", ...(bare ? ["--bare"] : []))
  return {
    folder,
    repo,
    open: (id: string) => open(repo, join(folder, "data", id), id),
    tree: (id: string) => join(folder, "data", id, "tree"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const filesOf = (repo: string) => plainGit(repo, "ls-tree", "-r", "--name-only", "trunk").split("\n")

describe("a repository without commits", () => {
  it("is worked in by two sessions, and has no branch until the first merge, which keeps its files", async () => {
    await using at = await newUnborn()
    await write(at.repo, { mine: "not committed\n", staged: "staged\n" })
    plainGit(at.repo, "add", "staged")
    const [one, two] = [await at.open("s1"), await at.open("s2")]
    expect(await one.create({}, { signal })).toMatchObject({
      created: true,
      target_branch: "trunk",
      has_changes: false,
    })
    await two.create({ base_branch: "trunk" }, { signal })
    await write(at.tree("s1"), { a: "1\n" })
    await write(at.tree("s2"), { b: "2\n" })
    expect((await one.diff({}, { signal })).files.map(({ new_path }) => new_path)).toEqual(["a"])
    expect(plainGit(at.repo, "for-each-ref", "refs/heads/trunk")).toBe("")
    expect(await one.merge(merge, { signal })).toMatchObject({ status: "merged", checkout: at.repo })
    expect(await two.merge({ ...merge, strategy: "merge" }, { signal })).toMatchObject({ status: "merged" })
    expect(filesOf(at.repo)).toEqual(["a", "b"])
    expect(await readFile(join(at.repo, "b"), "utf8")).toBe("2\n")
    expect(plainGit(at.repo, "status", "--porcelain")).toBe("A  staged\n?? mine")
  })

  it("has no branch yet if the first merge would overwrite a file, which is named", async () => {
    await using at = await newUnborn()
    await write(at.repo, { a: "mine\n" })
    const worktrees = await at.open("s1")
    await worktrees.create({}, { signal })
    await write(at.tree("s1"), { a: "theirs\n" })
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({
      code: "merge_blocked",
      details: { files: ["a"] },
    })
    await rm(join(at.repo, "a"))
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "merged" })
    expect(await readFile(join(at.repo, "a"), "utf8")).toBe("theirs\n")
  })

  it("is cloned, and gets its first branch by a push", async () => {
    await using at = await newUnborn({ bare: true })
    const copy = join(at.folder, "clone")
    await clone(ourGit(), { url: `file://${at.repo}`, reach }, copy, { signal })
    const worktrees = await open(copy, join(at.folder, "work"), "s1")
    await worktrees.create({}, { signal })
    await write(join(at.folder, "work/tree"), { a: "1\n" })
    await worktrees.merge({ ...merge, delete_worktree: false }, { signal })
    await worktrees.push({ remote: "origin" }, { signal })
    expect(filesOf(at.repo)).toEqual(["a"])
  })

  it("says so if another branch is asked for", async () => {
    await using at = await newUnborn()
    const worktrees = await at.open("s1")
    await expect(worktrees.create({ base_branch: "main" }, { signal })).rejects.toMatchObject({
      code: "branch_not_found",
    })
    expect(existsSync(at.tree("s1"))).toBe(false)
    expect(execFileSync("git", ["-C", at.repo, "for-each-ref"]).toString()).toBe("")
  })
})
