import { existsSync } from "node:fs"
import { mkdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { listFiles } from "@switchyard/runner/git/worktrees/workspace-changes"
import { describe, expect, it } from "vitest"
import { commit, newRepository, ourGit, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }
const NAMES = ["-x", "with space ", 'quo"te', "new\nline", "emoji 🚂", "*"]

async function newWork(files?: Parameters<typeof newRepository>[0]) {
  const at = await newRepository(files)
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  return { at, worktrees, tree: at.tree() }
}

/** Creates a repository with one commit of these files. Returns the commit. */
async function newNested(folder: string, files: Parameters<typeof write>[1]): Promise<string> {
  await mkdir(folder, { recursive: true })
  plainGit(folder, "init", "--quiet", "--initial-branch=main")
  await write(folder, files)
  return commit(folder, "in a repository of its own")
}

const filesOf = (repo: string, branch = "main") =>
  plainGit(repo, "ls-tree", "-r", "-z", "--name-only", branch).split("\0").filter(Boolean)

const keptIn = (repo: string) =>
  plainGit(repo, "for-each-ref", "--format=%(objectname)", "refs/switchyard/kept/").split("\n").filter(Boolean)

describe("a repository in a worktree", () => {
  it("is in the diff, the session's files and the branch, whatever its name, and its history is kept", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    const own: string[] = []
    for (const name of NAMES) own.push(await newNested(join(tree, name), { "f.txt": `${name}\n` }))
    const inside = await newNested(join(tree, "deep/er"), { f: "1" })
    const deepest = await newNested(join(tree, "deep/er/est"), { g: "2" })
    await write(join(tree, "deep/er"), { "new.txt": "not committed\n", "x.log": "ignored\n", ".gitignore": "*.log\n" })
    const deep = ["deep/er/.gitignore", "deep/er/est/g", "deep/er/f", "deep/er/new.txt"]
    const wanted = [...NAMES.map((name) => `${name}/f.txt`), ...deep].sort()
    const { files } = await worktrees.diff({}, { signal })
    expect(files.map(({ new_path }) => new_path).sort()).toEqual(wanted)
    const listed = await listFiles(ourGit(), { tree, base: "HEAD" }, { signal })
    expect(listed.map((each) => Buffer.from(each, "latin1").toString()).sort()).toEqual(wanted)
    const merged = await worktrees.merge(merge, { signal })
    expect(merged).toMatchObject({ status: "merged", worktree_deleted: true })
    expect(filesOf(at.repo).sort()).toEqual(["a.txt", ...wanted].sort())
    expect(await readFile(join(at.repo, "new\nline/f.txt"), "utf8")).toBe("new\nline\n")
    expect(keptIn(at.repo)).toEqual(expect.arrayContaining([...own, inside, deepest]))
  })

  it("without a file or a commit doesn't keep the worktree", async () => {
    const { at, worktrees, tree } = await newWork()
    await using _ = at
    await write(tree, { new: "new\n" })
    for (const folder of ["nested", "in/side"]) {
      await mkdir(join(tree, folder), { recursive: true })
      plainGit(join(tree, folder), "init", "--quiet")
    }
    await worktrees.commit("work", { signal })
    expect(await worktrees.status({ signal })).toMatchObject({ uncommitted: false })
    const merged = await worktrees.merge(merge, { signal })
    expect(merged).toMatchObject({ worktree_deleted: true, message: "Merged into main." })
    expect(existsSync(tree)).toBe(false)
  })

  it("that the agent committed as a gitlink is an ordinary folder of the branch, without its .git too", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    const own = await newNested(join(tree, "kept"), { f: "1" })
    await newNested(join(tree, "stripped"), { g: "2" })
    plainGit(tree, "add", "--all")
    plainGit(tree, "commit", "--quiet", "-m", "with gitlinks")
    expect(plainGit(tree, "ls-tree", "HEAD", "kept", "stripped")).toContain("160000 commit")
    await rm(join(tree, "stripped/.git"), { recursive: true })
    const { files } = await worktrees.diff({}, { signal })
    expect(files.map(({ new_path }) => new_path)).toEqual(["kept/f", "stripped/g"])
    const base = plainGit(at.repo, "rev-parse", "main")
    expect(await listFiles(ourGit(), { tree, base }, { signal })).toEqual(["kept/f", "stripped/g"])
    await worktrees.merge(merge, { signal })
    expect(filesOf(at.repo)).toEqual(["a.txt", "kept/f", "stripped/g"])
    expect(keptIn(at.repo)).toContain(own)
    const clone = join(at.folder, "clone")
    plainGit(at.folder, "-c", "protocol.file.allow=always", "clone", "--quiet", "--recurse-submodules", at.repo, clone)
    expect(await readFile(join(clone, "kept/f"), "utf8")).toBe("1")
  })

  it("leaves its own commits and staged versions when the worktree is deleted, in ignored folders too", async () => {
    const { at: made, worktrees, tree } = await newWork({ ".gitignore": "tmp/\n" })
    await using at = made
    const ignored = await newNested(join(tree, "tmp/a/b"), { f: "1" })
    const own = await newNested(join(tree, "nested"), { f: "1" })
    await worktrees.commit("work", { signal })
    await write(join(tree, "nested"), { f: "staged" })
    plainGit(join(tree, "nested"), "add", "f")
    await write(join(tree, "nested"), { f: "2" })
    const { kept } = await worktrees.remove({}, { signal })
    const inner = Object.fromEntries((kept?.inner ?? []).map((each) => [each.path, each]))
    expect(inner["tmp/a/b"]?.commit).toBe(ignored)
    const { commit: work = "" } = inner.nested ?? {}
    expect(plainGit(at.repo, "rev-parse", `${work}^`)).toBe(own)
    expect(plainGit(at.repo, "show", `${work}:index/0/f`)).toBe("staged")
    expect(plainGit(at.repo, "show", `${work}:files/f`)).toBe("2")
  })

  it("that is another worktree stays out of the branch, and its files and commits are kept in its repository", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    const other = join(at.folder, "other")
    await newNested(other, { f: "1" })
    plainGit(other, "worktree", "add", "--quiet", "--detach", join(tree, "linked"))
    await write(join(tree, "linked"), { f: "2" })
    const detached = commit(join(tree, "linked"), "on no branch")
    await write(join(tree, "linked"), { f: "3", g: "4" })
    await worktrees.commit("work", { signal })
    expect(filesOf(at.repo, "switchyard/s1")).toEqual(["a.txt"])
    const { kept } = await worktrees.remove({}, { signal })
    const { commit: work = "", repository } = kept?.inner.find(({ path }) => path === "linked") ?? {}
    expect(repository).toBe(join(other, ".git"))
    expect(plainGit(other, "rev-parse", `${work}^`)).toBe(detached)
    expect(plainGit(other, "show", `${work}:files/g`)).toBe("4")
    expect(keptIn(other)).toEqual([work])
  })
})

it("the commits and files of a repository that replaced the worktree's own are kept", async () => {
  const { at: made, worktrees, tree } = await newWork()
  await using at = made
  await rm(join(tree, ".git"))
  const own = await newNested(tree, { "a.txt": "committed in another repository\n" })
  const { kept } = await worktrees.remove({}, { signal })
  expect(kept?.inner.map((each) => each.commit)).toEqual([own])
  expect(plainGit(at.repo, "show", `${kept?.ref}/work:a.txt`)).toBe("committed in another repository")
})

describe("files that git leaves out", () => {
  it("are kept in the folder of a submodule that isn't checked out", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    plainGit(tree, "update-index", "--add", "--cacheinfo", `160000,${plainGit(tree, "rev-parse", "HEAD")},lib`)
    plainGit(tree, "commit", "--quiet", "-m", "a gitlink")
    await write(tree, { "lib/f": "in a folder of no repository\n" })
    const own = await newNested(join(tree, "lib/nested"), { g: "2" })
    const { kept } = await worktrees.remove({}, { signal })
    expect(plainGit(at.repo, "show", `${kept?.commit}:files/lib/f`)).toBe("in a folder of no repository")
    expect(plainGit(at.repo, "show", `${kept?.commit}:files/lib/nested/g`)).toBe("2")
    expect(keptIn(at.repo)).toContain(own)
  })

  it("as git can't store their names, keep the worktree, and the rest is committed", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await write(tree, { "git~1/x": "x", good: "good\n" })
    expect((await worktrees.diff({}, { signal })).left_out).toEqual(["git~1/x"])
    const merged = await worktrees.merge(merge, { signal })
    expect(filesOf(at.repo)).toEqual(["a.txt", "good"])
    expect(merged).toMatchObject({ worktree_deleted: false })
    await expect(worktrees.remove({}, { signal })).rejects.toMatchObject({ details: { files: ["git~1/x"] } })
    expect(await worktrees.remove({ discard: true }, { signal })).toMatchObject({ deleted: true })
  })

  it("are none outside a sparse checkout's cone", async () => {
    const { at: made, worktrees, tree } = await newWork({ "in/a": "a\n", "out/b": "b\n" })
    await using at = made
    plainGit(tree, "sparse-checkout", "set", "in")
    await write(tree, { "out/new": "new\n" })
    await worktrees.merge(merge, { signal })
    expect(filesOf(at.repo)).toEqual(["in/a", "out/b", "out/new"])
  })

  it("inside a submodule keep the worktree after a merge, and the answer names it", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    const lib = join(at.folder, "lib")
    await newNested(lib, { f: "1" })
    plainGit(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
    await write(join(tree, "lib"), { f: "2" })
    const { worktree_kept } = await worktrees.merge(merge, { signal })
    expect(worktree_kept).toMatchObject({ reason: "uncommitted_changes" })
    expect(worktree_kept?.message).toContain("inside lib")
  })
})
