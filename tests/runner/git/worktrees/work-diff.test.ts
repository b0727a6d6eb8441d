import { execFileSync } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { type WorktreeChange, WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import { DiffSummary, FullDiff } from "@switchyard/core/files/worktrees/diff-schema"
import { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { runCommand } from "@switchyard/core/files/worktrees/worktrees"
import { describe, expect, it } from "vitest"
import { commit, newRepository, plainGit, signal, write } from "../repositories.ts"

describe("what changed in a worktree", () => {
  it("is everything against where the work began: committed, staged, edited and untracked", async () => {
    await using at = await newRepository({
      committed: "1\n",
      staged: "1\n",
      edited: "1\n",
      gone: "bye\n",
      ".gitignore": "ignored\n",
    })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { committed: "2\n" })
    commit(at.tree(), "an agent's own")
    await write(at.tree(), { staged: "2\n", gone: null })
    plainGit(at.tree(), "add", "--all")
    await write(at.tree(), { edited: "2\n", "new/untracked": "1\n2\n", ignored: "x" })
    const index = join(at.repo, ".git/worktrees/tree/index")
    const before = await readFile(index)

    const summary = DiffSummary.parse(await worktrees.diff({}, { signal }))
    expect(summary.files.map(({ new_path, additions, deletions }) => [new_path, additions, deletions])).toEqual([
      ["committed", 1, 1],
      ["edited", 1, 1],
      ["gone", 0, 1],
      ["new/untracked", 2, 0],
      ["staged", 1, 1],
    ])
    expect(summary).toMatchObject({ files_changed: 5, insertions: 5, deletions: 4, complete: true, left_out: [] })
    expect(summary.summary).toBe("5 files changed, 5 insertions(+), 4 deletions(-)")
    const full = FullDiff.parse(await worktrees.fullDiff({}, { signal }))
    expect(full.files.map(({ hunks, ...entry }) => entry)).toEqual(summary.files)
    expect(full.files[3]?.hunks[0]?.lines.map(({ content }) => content)).toEqual(["1", "2"])
    expect(await readFile(index)).toEqual(before)
    WorktreeStatus.parse(await worktrees.status({ signal }))
  })

  it("contains files whose staged objects git has stored elsewhere", async () => {
    await using at = await newRepository({ f: "1\n" })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { f: "2\n", new: "1\n" })
    const elsewhere = join(at.repo, "../elsewhere")
    await mkdir(elsewhere)
    const env = { ...process.env, GIT_OBJECT_DIRECTORY: elsewhere }
    const alternates = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(at.repo, ".git/objects") }
    execFileSync("git", ["add", "--all"], { cwd: at.tree(), env: { ...env, ...alternates } })
    const { files } = await worktrees.diff({}, { signal })
    expect(files.map(({ new_path, additions }) => [new_path, additions])).toEqual([
      ["f", 1],
      ["new", 1],
    ])
  })

  it("can be asked against another branch, if they have a history in common", async () => {
    await using at = await newRepository({ f: "1\n" })
    plainGit(at.repo, "branch", "old")
    await write(at.repo, { g: "1\n" })
    commit(at.repo)
    plainGit(at.repo, "checkout", "--quiet", "--orphan", "apart")
    commit(at.repo)
    plainGit(at.repo, "checkout", "--quiet", "main")
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { h: "1\n" })
    const paths = async (branch?: string) =>
      (await worktrees.diff({ compare_branch: branch }, { signal })).files.map(({ new_path }) => new_path)
    expect(await paths()).toEqual(["h"])
    expect(await paths("old")).toEqual(["g", "h"])
    await expect(paths("apart")).rejects.toMatchObject({ code: "invalid_request", details: { branch: "apart" } })
    await expect(paths("--output=x")).rejects.toMatchObject({ code: "branch_not_found" })
  })

  it("marks what is generated or too large, and shows the latter when asked for it alone", async () => {
    const long = (of: string) => Array.from({ length: 6000 }, (_, index) => `${of} ${index}\n`).join("")
    await using at = await newRepository({
      "package-lock.json": "1\n",
      moved: long("a"),
      ".gitattributes": "made/** linguist-generated\n",
    })
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), {
      "package-lock.json": "2\n",
      "made/x": "1\n",
      "yarn.lock": "x\n",
      large: long("b"),
      wide: `${"x".repeat(1_100_000)}\n`,
      moved: null,
      "to/moved": `${long("a")}more\n`,
    })
    const { files } = await worktrees.fullDiff({}, { signal })
    expect(files.map(({ new_path, marks, hunks }) => [new_path, marks, hunks.length])).toEqual([
      ["large", ["too_large"], 0],
      ["made/x", ["generated"], 1],
      ["package-lock.json", ["generated"], 1],
      ["to/moved", [], 1],
      ["wide", ["too_large"], 0],
      ["yarn.lock", ["generated"], 1],
    ])
    expect(files[3]).toMatchObject({ is_renamed: true, old_path: "moved", additions: 1, deletions: 0 })
    const alone = await worktrees.fullDiff({ path: "large" }, { signal })
    expect(alone.files).toMatchObject([{ new_path: "large", marks: [], additions: 6000 }])
    expect(alone.files[0]?.hunks[0]?.lines).toHaveLength(6000)
    expect((await worktrees.fullDiff({ path: "to/moved" }, { signal })).files).toMatchObject([
      { is_renamed: true, additions: 1 },
    ])
  })

  it("has the files of repositories inside it, with and without a commit, and leaves out other worktrees", async () => {
    await using at = await newRepository()
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { "one/file": "x", "two [a]/file": "x", kept: "x" })
    for (const folder of ["one", "two [a]"]) plainGit(join(at.tree(), folder), "init", "--quiet")
    commit(join(at.tree(), "one"))
    plainGit(at.tree(), "worktree", "add", "--quiet", "-b", "side", "other")
    const diff = await worktrees.diff({}, { signal })
    expect(diff.files.map(({ new_path }) => new_path)).toEqual(["kept", "one/file", "two [a]/file"])
    expect(diff.left_out).toEqual(["other/"])
    expect(diff.summary).toBe("3 files changed, 3 insertions(+); omitted: other/")
    await worktrees.commit("work", { signal })
    expect(plainGit(at.tree(), "ls-files").split("\n")).toEqual(["a.txt", "kept", "one/file", "two [a]/file"])
  })
})

it("does what commands say", async () => {
  await using at = await newRepository({ f: "1\n" })
  const worktrees = await at.open()
  const send = (command: unknown) => runCommand(worktrees, WorktreeCommand.parse(command) as WorktreeChange, { signal })
  expect(await send({ command: "create" })).toMatchObject({ exists: true })
  await write(at.tree(), { f: "2\n" })
  expect(await send({ command: "abort" })).toMatchObject({ status: "no_merge" })
  await write(at.repo, { f: "3\n" })
  commit(at.repo)
  expect(await send({ command: "merge", commit_message: " \n" })).toMatchObject({ status: "conflicts" })
  expect(await send({ command: "resolve", resolution: { use_incoming: true } })).toMatchObject({ status: "merged" })
  expect(plainGit(at.repo, "log", "-1", "--format=%s")).toBe("Work of session s1")
  expect(await send({ command: "delete" })).toMatchObject({ deleted: false })
})

it("commits what an agent left on another branch, or in the middle of its own merge, to the session's", async () => {
  await using at = await newRepository({ f: "1\n" })
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  plainGit(at.tree(), "checkout", "--quiet", "-b", "agents-own")
  await write(at.tree(), { f: "2\n" })
  const theirs = commit(at.tree(), "theirs")
  plainGit(at.tree(), "checkout", "--quiet", "switchyard/s1")
  await write(at.tree(), { g: "1\n" })
  commit(at.tree(), "here")
  plainGit(at.tree(), "merge", "--no-commit", "--no-ff", "agents-own")
  await worktrees.commit("all of it", { signal })
  expect(plainGit(at.tree(), "status", "--porcelain")).toBe("")
  expect(plainGit(at.tree(), "log", "-1", "--format=%P").split(" ")).toContain(theirs)
  plainGit(at.tree(), "checkout", "--quiet", "--detach")
  await write(at.tree(), { h: "1\n" })
  const last = await worktrees.commit("detached", { signal })
  expect(plainGit(at.repo, "rev-parse", "switchyard/s1")).toBe(last)
  expect(plainGit(at.tree(), "symbolic-ref", "HEAD")).toBe("refs/heads/switchyard/s1")
  expect(plainGit(at.repo, "rev-parse", "agents-own")).toBe(theirs)
})
