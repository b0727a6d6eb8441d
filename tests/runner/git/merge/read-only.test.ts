import { rm } from "node:fs/promises"
import { join } from "node:path"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { systemClock } from "@switchyard/core/time"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { readRules, rulesCommit } from "@switchyard/runner/git/worktrees/repository-rules"
import { describe, expect, it } from "vitest"
import { commit, newRepository, ourGit, placed, plainGit, signal, write } from "../repositories.ts"

const RULES = ".switchyard/permissions.yaml"
const FILE = ["-c", "protocol.file.allow=always"]
const merge = { strategy: "squash" as const, delete_worktree: false }

async function begin(rules: string) {
  const at = await newRepository({ [RULES]: rules, LICENSE: "ours\n", "a.txt": "one\n" })
  const folder = join(at.folder, "data", "s1")
  const located = () =>
    openWorktree(
      { ...placed(folder), git: ourGit(), clock: systemClock, repository: at.repo, branch: taskBranch("s1") },
      { signal },
    )
  return {
    ...at,
    located,
    async [Symbol.asyncDispose]() {
      await rm(at.folder, { recursive: true, force: true })
    },
  }
}

describe("read-only files", () => {
  it("are safe from another version of a submodule that contains them", async () => {
    await using at = await begin("readOnly: [lib/src]\n")
    const lib = join(at.folder, "lib")
    plainGit(at.folder, "init", "--quiet", "--initial-branch=main", "lib")
    await write(lib, { "src/a.txt": "one\n", "other.txt": "one\n" })
    commit(lib, "begin")
    plainGit(at.repo, ...FILE, "submodule", "--quiet", "add", lib, "lib")
    commit(at.repo, "with a submodule")
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    const inside = join(at.tree(), "lib")
    plainGit(at.tree(), ...FILE, "submodule", "--quiet", "update", "--init")
    await write(inside, { "src/a.txt": "two\n" })
    commit(inside, "work")
    const head = plainGit(at.repo, "rev-parse", "main")
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({ details: { files: ["lib"] } })
    expect(plainGit(at.repo, "rev-parse", "main")).toBe(head)
  })

  it("aren't pushed with the work's branch", async () => {
    await using at = await begin("readOnly: [LICENSE]\n")
    const remote = join(at.folder, "remote.git")
    plainGit(at.folder, "init", "--quiet", "--bare", "remote.git")
    plainGit(at.repo, "remote", "add", "origin", remote)
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { LICENSE: "theirs\n" })
    await worktrees.commit("work\n", { signal })
    const push = { branch: taskBranch("s1"), remote: "origin" }
    await expect(worktrees.push(push, { signal })).rejects.toMatchObject({ details: { files: ["LICENSE"] } })
    expect(plainGit(remote, "branch", "--list")).toBe("")
  })

  it("stay read-only in a worktree that was merged into a branch without rules", async () => {
    await using at = await begin("readOnly: [LICENSE]\n")
    plainGit(at.repo, "checkout", "--quiet", "-b", "legacy")
    await write(at.repo, { [RULES]: null })
    commit(at.repo, "no rules")
    plainGit(at.repo, "checkout", "--quiet", "main")
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    await write(at.tree(), { "a.txt": "two\n" })
    await worktrees.merge({ ...merge, target_branch: "legacy" }, { signal })
    const worktree = await at.located()
    const found = await readRules(worktree, await rulesCommit(worktree), { signal })
    expect(found?.rules.read_only).toEqual([RULES, "LICENSE"])
    await write(at.tree(), { LICENSE: "theirs\n" })
    await expect(worktrees.merge({ ...merge, target_branch: "main" }, { signal })).rejects.toThrow("read-only")
  })

  it("aren't found in what a replace ref shows for the commit", async () => {
    await using at = await begin("readOnly: [LICENSE]\n")
    const worktrees = await at.open()
    await worktrees.create({}, { signal })
    const blob = plainGit(at.repo, "rev-parse", `main:${RULES}`)
    await write(at.tree(), { "empty.yaml": "readOnly: []\n", LICENSE: "theirs\n" })
    plainGit(at.tree(), "replace", blob, plainGit(at.tree(), "hash-object", "-w", "empty.yaml"))
    await expect(worktrees.merge(merge, { signal })).rejects.toMatchObject({ details: { files: ["LICENSE"] } })
  })
})
