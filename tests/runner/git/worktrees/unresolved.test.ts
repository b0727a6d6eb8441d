import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, type Files, newRepository, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }
const CONFLICT = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> main\n"

/** Creates a worktree with a commit that conflicts with `main`, and runs git in it like an agent. */
async function inConflict(files: Files = { "a.txt": "theirs\n" }) {
  const at = await newRepository({ "a.txt": "one\n", "b.txt": "b\n" })
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  const tree = at.tree()
  await write(tree, { "a.txt": "ours\n" })
  commit(tree, "the work")
  await write(at.repo, files)
  const theirs = commit(at.repo, "meanwhile")
  const attempt = (...args: string[]) => {
    expect(() => plainGit(tree, ...args)).toThrow()
  }
  return { at, worktrees, tree, theirs, attempt, head: plainGit(tree, "rev-parse", "HEAD") }
}

type Scene = Awaited<ReturnType<typeof inConflict>>

const OPERATIONS: [string, string, (scene: Scene) => void, string[]][] = [
  ["merge", "A merge", ({ attempt }) => attempt("merge", "main"), ["a.txt"]],
  ["rebase", "A rebase", ({ attempt }) => attempt("rebase", "main"), ["a.txt"]],
  ["rebase", "A rebase", ({ attempt }) => attempt("rebase", "--apply", "main"), ["a.txt"]],
  ["cherry_pick", "A cherry-pick", ({ attempt }) => attempt("cherry-pick", "main"), ["a.txt"]],
  ["revert", "A revert", ({ attempt }) => attempt("revert", "--no-edit", "main"), ["a.txt"]],
  [
    "am",
    "A series of patches (git am)",
    ({ tree, attempt }) => {
      const patch = plainGit(tree, "format-patch", "-1", "--output-directory", "..", "main")
      attempt("am", "--3way", patch)
    },
    ["a.txt"],
  ],
  [
    "bisect",
    "A bisect",
    ({ tree }) => {
      plainGit(tree, "bisect", "start", "HEAD", "HEAD~1")
      plainGit(tree, "checkout", "--quiet", "--detach", "HEAD~1")
    },
    [],
  ],
]

describe("an operation that an agent left unfinished", () => {
  it.each(OPERATIONS)("is no work that leaves the worktree (%s)", async (operation, words, leave, files) => {
    const scene = await inConflict()
    await using at = scene.at
    const { worktrees, tree, head } = scene
    leave(scene)
    await write(tree, { "new.txt": "new\n" })
    const state = () => [
      plainGit(tree, "ls-files", "--stage"),
      plainGit(tree, "status"),
      plainGit(at.repo, "rev-parse", "main", "switchyard/s1"),
      readFileSync(join(tree, "a.txt"), "utf8"),
    ]
    const before = state()
    const refused = { code: "worktree_conflict", details: { operation, files } }
    expect(await worktrees.status({ signal })).toMatchObject({ uncommitted: true, unresolved: { operation, files } })
    await expect(worktrees.commit("work", { signal })).rejects.toMatchObject(refused)
    for (const strategy of ["squash", "merge"] as const) {
      const merged = worktrees.merge({ ...merge, strategy }, { signal })
      await expect(merged).rejects.toMatchObject({ ...refused, message: expect.stringContaining(words) })
    }
    await expect(worktrees.update({}, { signal })).rejects.toMatchObject(refused)
    await expect(worktrees.push({ branch: "switchyard/s1", remote: "origin" }, { signal })).rejects.toMatchObject(
      refused,
    )
    await expect(worktrees.mergeForAgent("main", { signal })).rejects.toMatchObject(refused)
    expect(state()).toEqual(before)

    await worktrees.reset({ signal })
    const status = await worktrees.status({ signal })
    expect(status).toMatchObject({ uncommitted: false, has_changes: false })
    expect(status).not.toHaveProperty("unresolved")
    expect(plainGit(tree, "status")).toContain("nothing to commit")
    expect(head).toBeDefined()
  })

  it("is finished by the save once its conflicts are resolved, staged or not", async () => {
    for (const stage of [true, false]) {
      const { at: made, worktrees, tree, attempt, theirs, head } = await inConflict()
      await using at = made
      attempt("merge", "main")
      await write(tree, { "a.txt": "both\n" })
      if (stage) plainGit(tree, "add", "a.txt")
      await worktrees.commit("merged", { signal })
      expect(plainGit(tree, "rev-parse", "HEAD^1", "HEAD^2").split("\n")).toEqual([head, theirs])
      expect(await worktrees.merge({ ...merge, strategy: "merge" }, { signal })).toMatchObject({ status: "merged" })
      expect(plainGit(at.repo, "show", "main:a.txt")).toBe("both")
    }
  })

  it("is none where a side was taken as it is; a conflict without markers waits to be staged", async () => {
    const { at: made, worktrees, tree, attempt } = await inConflict({ "a.txt": null, "b.txt": "theirs\n" })
    await using _ = made
    attempt("merge", "main")
    await expect(worktrees.commit("work", { signal })).rejects.toMatchObject({ details: { files: ["a.txt"] } })
    plainGit(tree, "add", "a.txt")
    expect(await worktrees.commit("work", { signal })).not.toBeNull()

    const other = await inConflict()
    await using __ = other.at
    other.attempt("merge", "main")
    await write(other.tree, { "a.txt": "ours\n" })
    expect(await other.worktrees.commit("ours, as it was", { signal })).not.toBeNull()

    const undriven = await inConflict()
    await using ___ = undriven.at
    await write(undriven.tree, { ".gitattributes": "a.txt -merge\n" })
    undriven.attempt("merge", "main")
    const kept = undriven.worktrees.commit("theirs is missing", { signal })
    await expect(kept).rejects.toMatchObject({ details: { files: ["a.txt"] } })
  })

  it("is found in a submodule's entry", async () => {
    const { at: made, worktrees, tree, attempt, head, theirs } = await inConflict()
    await using at = made
    const link = (folder: string, commit: string) =>
      plainGit(folder, "update-index", "--add", "--cacheinfo", `160000,${commit},lib`)
    link(tree, head)
    plainGit(tree, "commit", "-qm", "lib")
    link(at.repo, theirs)
    plainGit(at.repo, "commit", "-qm", "lib, too")
    attempt("merge", "main")
    await expect(worktrees.commit("work", { signal })).rejects.toMatchObject({ details: { files: ["a.txt", "lib"] } })
  })
})

describe("conflict markers in files", () => {
  it("get onto no branch, whoever committed them, unless they are meant", async () => {
    await using at = await newRepository({ "a.txt": "one\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    const tree = at.tree()
    await write(tree, { "a.txt": CONFLICT, "-diff.lock": CONFLICT, ".gitattributes": "*.lock -diff\n" })
    commit(tree, "conflicts and all")
    const refused = { code: "worktree_conflict", details: { files: ["-diff.lock", "a.txt"], markers: true } }
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject(refused)
    const pushed = worktrees.push({ branch: "switchyard/s1", remote: "origin" }, { signal })
    await expect(pushed).rejects.toMatchObject(refused)
    expect(plainGit(at.repo, "show", "main:a.txt")).toBe("one")
    expect(existsSync(tree)).toBe(true)
    expect(await worktrees.merge({ ...merge, allow_markers: true }, { signal })).toMatchObject({ status: "merged" })
  })

  it("are refused in a person's resolution, which can be mended", async () => {
    const { at: made, worktrees } = await inConflict()
    await using at = made
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "conflicts" })
    const resolve = (content: string) => worktrees.resolve({ file_path: "a.txt", content, complete: true }, { signal })
    await expect(resolve(CONFLICT)).rejects.toMatchObject({ details: { files: ["a.txt"], markers: true } })
    expect(plainGit(at.repo, "show", "main:a.txt")).toBe("theirs")
    expect(await resolve("both\n")).toMatchObject({ status: "merged" })
  })

  it("are no reason where they were before, where they are documented, or where they only look alike", async () => {
    await using at = await newRepository({ "fixture.txt": `before\n${CONFLICT}`, "moved.txt": CONFLICT })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    const tree = at.tree()
    appendFileSync(join(tree, "fixture.txt"), "more\n")
    rmSync(join(tree, "moved.txt"))
    await write(tree, {
      "to/moved.txt": CONFLICT,
      "docs.md": `How it looks:\n\n~~~text\n${CONFLICT}~~~\n`,
      "heading.rst": "Title\n=======\n\n<<<<<<< not one\n",
      "indented.txt": CONFLICT.replaceAll(/^/gm, "  "),
      "shift.c": "<<<<<<<<a\n=======\n>>>>>>>>b\n",
    })
    expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "merged" })
  })

  it("are found with Windows line ends, in a longer form, and around a fence", async () => {
    await using at = await newRepository({})
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    const files = {
      crlf: CONFLICT.replaceAll("\n", "\r\n"),
      "fence.md": CONFLICT.replace("ours", "```\nours\n```"),
      long: CONFLICT.replaceAll(/([<=>])\1{6}/g, "$&$1$1"),
      three: CONFLICT.replace("=======", "||||||| base\none\n======="),
    }
    await write(at.tree(), files)
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({ details: { files: Object.keys(files) } })
  })
})
