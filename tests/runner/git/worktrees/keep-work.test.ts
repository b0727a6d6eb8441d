import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { systemClock } from "@switchyard/core/time"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { findLosses, isNothing } from "@switchyard/runner/git/worktrees/losses"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { describe, expect, it } from "vitest"
import { asGit, commit, newRepository, ourGit, placed, plainGit, signal, write } from "../repositories.ts"

const DAY = 86_400_000
const merge = { strategy: "squash" as const, delete_worktree: true }

async function newWork(files?: Parameters<typeof newRepository>[0]) {
  const at = await newRepository(files)
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  return { at, worktrees, tree: at.tree() }
}

const keptRefs = (repo: string) =>
  plainGit(repo, "for-each-ref", "--format=%(refname)", "refs/switchyard/kept/").split("\n").filter(Boolean)

const reaches = (repo: string, ref: string, each: string) =>
  plainGit(repo, "rev-list", ref)
    .split("\n")
    .includes(plainGit(repo, "rev-parse", each))

describe("a worktree that is removed", () => {
  it("leaves all that existed only there under a ref", async () => {
    const { at: made, worktrees, tree } = await newWork({ "a.txt": "one\n", ".gitignore": "ignored/\n" })
    await using at = made
    await write(tree, { "a.txt": "amended away\n" })
    const amended = commit(tree, "first try")
    plainGit(tree, "commit", "--quiet", "--amend", "--allow-empty", "-m", "second try")
    plainGit(tree, "checkout", "--quiet", "-b", "side", "HEAD~1")
    await write(tree, { side: "side\n" })
    const side = commit(tree, "on a branch of the agent's")
    plainGit(tree, "checkout", "--quiet", "--detach", "switchyard/s1")
    await write(tree, { detached: "detached\n" })
    const detached = commit(tree, "on no branch")
    await write(tree, { "a.txt": "staged\n" })
    plainGit(tree, "add", "a.txt")
    await write(tree, { "a.txt": "changed\n", "new.txt": "new\n", "ignored/big": "x".repeat(1000) })
    const { kept } = await worktrees.remove({}, { signal })
    expect(existsSync(tree)).toBe(false)
    const ref = `${kept?.ref}/work`
    expect(keptRefs(at.repo)).toEqual([ref])
    expect(ref).toMatch(/^refs\/switchyard\/kept\/s1\/\d{8}T\d{6}-\d{3}Z-30d\/work$/)
    for (const each of [amended, detached]) expect(reaches(at.repo, ref, each)).toBe(true)
    // The agent's branch remains in the repository.
    expect(plainGit(at.repo, "rev-parse", "side")).toBe(side)
    expect(plainGit(at.repo, "show", `${ref}:files/a.txt`)).toBe("changed")
    expect(plainGit(at.repo, "show", `${ref}:files/new.txt`)).toBe("new")
    expect(plainGit(at.repo, "show", `${ref}:index/0/a.txt`)).toBe("staged")
    expect(kept?.ignored).toEqual({ count: 1, named: [{ path: "ignored/", files: 1, bytes: 1000 }] })
  })

  it("leaves the versions of a conflict, and both sides of its merge", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await write(tree, { "a.txt": "ours\n" })
    const ours = commit(tree)
    await write(at.repo, { "a.txt": "theirs\n" })
    commit(at.repo)
    expect(() => plainGit(tree, "merge", "main")).toThrow()
    const { kept } = await worktrees.reset({ signal })
    const ref = `${kept?.ref}/work`
    const versions = ["1", "2", "3"].map((stage) => plainGit(at.repo, "show", `${ref}:index/${stage}/a.txt`))
    expect(versions).toEqual(["one\ntwo\nthree", "ours", "theirs"])
    expect(plainGit(at.repo, "show", `${ref}:files/a.txt`)).toContain("<<<<<<<")
    expect(reaches(at.repo, ref, ours)).toBe(true)
  })

  it("leaves commits that only HEAD has, in a clean checkout too", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    plainGit(tree, "checkout", "--quiet", "--detach")
    await write(tree, { detached: "detached\n" })
    const detached = commit(tree, "on no branch")
    await worktrees.remove({}, { signal })
    expect(keptRefs(at.repo).map((ref) => plainGit(at.repo, "rev-parse", ref))).toEqual([detached])
  })

  it("leaves its commits where they were squashed, and nothing where a merge has them", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await write(tree, { new: "new\n" })
    const committed = commit(tree)
    await worktrees.merge(merge, { signal })
    expect(keptRefs(at.repo).map((ref) => plainGit(at.repo, "rev-parse", ref))).toEqual([committed])
    await worktrees.create({}, { signal })
    await write(tree, { newer: "newer\n" })
    await worktrees.merge({ ...merge, strategy: "merge" }, { signal })
    expect(keptRefs(at.repo)).toHaveLength(1)
  })

  it("leaves changes that git was told to overlook, and a commit has them", async () => {
    for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
      const { at: made, worktrees, tree } = await newWork()
      await using at = made
      plainGit(tree, "update-index", flag, "a.txt")
      await write(tree, { "a.txt": "overlooked\n" })
      const { kept } = await worktrees.reset({ signal })
      expect(plainGit(at.repo, "show", `${kept?.ref}/work:files/a.txt`)).toBe("overlooked")
      expect(await readFile(join(tree, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n")
      plainGit(tree, "update-index", flag, "a.txt")
      await write(tree, { "a.txt": "again\n" })
      expect(await worktrees.diff({}, { signal })).toMatchObject({ files_changed: 1 })
      await worktrees.commit("work", { signal })
      expect(plainGit(tree, "show", "HEAD:a.txt")).toBe("again")
    }
  })

  it("stays where its work is too much to keep, unless it is discarded", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await writeFile(join(tree, "huge"), "")
    await truncate(join(tree, "huge"), 501 * 1024 * 1024)
    const refused = { code: "worktree_conflict", details: { reason: "too_large" } }
    await expect(worktrees.remove({}, { signal })).rejects.toMatchObject(refused)
    expect(existsSync(join(tree, "huge"))).toBe(true)
    expect(await worktrees.remove({ discard: true }, { signal })).toMatchObject({ deleted: true })
    expect(keptRefs(at.repo)).toEqual([])
  })

  it("is made anew without a loss, and its files are kept though its .git is gone", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await write(tree, { new: "new\n" })
    await worktrees.create({ reset: true }, { signal })
    await write(tree, { newer: "newer\n", ".git": null })
    await worktrees.remove({}, { signal })
    const files = keptRefs(at.repo).map((ref) => plainGit(at.repo, "ls-tree", "-r", "--name-only", ref))
    expect(files).toEqual(["files/a.txt\nfiles/new", "a.txt\nnewer"])
  })

  it("is forgotten after the retention of its session, also once git has packed the refs", async () => {
    await using at = await newRepository()
    let now = Date.UTC(2026, 0, 1)
    const clock = { ...systemClock, now: () => now }
    const folder = join(at.folder, "data/s1")
    const deps = { ...placed(folder), git: ourGit(), clock, repository: at.repo, branch: taskBranch("s1") }
    const until: unknown[] = []
    for (const { days, keptFor } of [
      { days: 0, keptFor: undefined },
      { days: 0, keptFor: 40 },
      { days: 29, keptFor: 1 },
      { days: 2, keptFor: 7 },
    ]) {
      now += days * DAY + 1000
      const worktrees = await createWorktrees({ ...deps, keptForMs: keptFor && keptFor * DAY }, { signal })
      await worktrees.create({}, { signal })
      await write(at.tree(), { new: `after ${days}\n` })
      until.push((await worktrees.remove({}, { signal })).kept?.until)
      plainGit(at.repo, "pack-refs", "--all")
    }
    expect(until.map((each) => `${each}`.slice(0, 10))).toEqual([
      "2026-01-31",
      "2026-02-10",
      "2026-01-31",
      "2026-02-08",
    ])
    expect(keptRefs(at.repo)).toEqual([
      "refs/switchyard/kept/s1/20260101T000002-000Z-40d/work",
      "refs/switchyard/kept/s1/20260201T000004-000Z-7d/work",
    ])
  })

  it("is checked out again by the command of its answer", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await write(tree, { "new.txt": "new\n" })
    const { kept } = await worktrees.remove({}, { signal })
    execFileSync("sh", ["-c", kept?.command ?? ""], { cwd: "/", stdio: "ignore" })
    const [folder = ""] = (await readdir(at.folder)).filter((name) => name.startsWith("kept-"))
    expect(await readFile(join(at.folder, folder, "files/new.txt"), "utf8")).toBe("new\n")
  })

  it("names what a merge that deletes it doesn't have", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using _ = made
    await write(tree, { "a.txt": "first\n" })
    const amended = commit(tree)
    plainGit(tree, "commit", "--quiet", "--amend", "-m", "second")
    const { kept } = await worktrees.merge({ ...merge, strategy: "merge" }, { signal })
    expect(kept?.commit).toBe(amended)
  })

  it("leaves the stash and the refs that its sandboxed programs have of their own", async () => {
    const { at: made, worktrees, tree } = await newWork()
    await using at = made
    await write(tree, { "a.txt": "put aside\n" })
    plainGit(tree, "stash")
    // In a sandbox, the stash is in the folder `git` beside the worktree, not in the repository.
    for (const name of ["refs/stash", "logs/refs/stash"]) {
      await write(join(tree, "..", "git"), { [name]: await readFile(join(at.repo, ".git", name)) })
      await rm(join(at.repo, ".git", name))
    }
    const { kept } = await worktrees.remove({}, { signal })
    expect(plainGit(at.repo, "show", `${kept?.ref}/work:a.txt`)).toBe("put aside")
  })
})

it("a version that was staged and then changed is kept when the files are committed", async () => {
  const { at: made, worktrees, tree } = await newWork()
  await using at = made
  await write(tree, { "a.txt": "staged\n", "b.txt": "only staged\n" })
  plainGit(tree, "add", "--all")
  await worktrees.commit("nothing but staged", { signal })
  expect(keptRefs(at.repo)).toEqual([])
  await write(tree, { "a.txt": "staged again\n" })
  plainGit(tree, "add", "--all")
  await write(tree, { "a.txt": "changed\n" })
  await worktrees.commit("work", { signal })
  expect(keptRefs(at.repo).map((ref) => plainGit(at.repo, "show", `${ref}:index/0/a.txt`))).toEqual(["staged again"])
})

it("an orphan branch without a commit counts as the branch of the work", async () => {
  const { at: made, worktrees, tree } = await newWork()
  await using at = made
  plainGit(tree, "checkout", "--quiet", "--orphan", "agents")
  await write(tree, { new: "new\n" })
  expect(await worktrees.status({ signal })).toMatchObject({ has_changes: true })
  expect(await worktrees.diff({}, { signal })).toMatchObject({ files_changed: 1 })
  await worktrees.merge(merge, { signal })
  expect(plainGit(at.repo, "show", "main:new")).toBe("new")
})

it("three processes find that a clean worktree has nothing to lose", async () => {
  const { at: made } = await newWork()
  await using at = made
  const git = ourGit()
  const calls: string[] = []
  const counting = asGit((args, call) => {
    calls.push(args[0] ?? "")
    return git(args, call)
  })
  const folder = join(at.folder, "data/s1")
  const deps = { ...placed(folder), git: counting, clock: systemClock, repository: at.repo, branch: taskBranch("s1") }
  const worktree = await openWorktree(deps, { signal })
  calls.length = 0
  expect(isNothing(await findLosses(worktree, { signal }))).toBe(true)
  expect(calls).toHaveLength(3)
})
