import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { ownFiles } from "@switchyard/runner/files/files"
import { clone, initRepository } from "@switchyard/runner/git/remote/clone"
import { reachDirectly as reach } from "@switchyard/runner/git/remote/remotes"
import { describe, expect, it } from "vitest"
import { commit, filesIn, newRepository, open, ourGit, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: false }

describe("a clone", () => {
  it("has every branch, is worked in, and sends a branch back", async () => {
    await using at = await newRepository()
    plainGit(at.repo, "branch", "release")
    const bare = join(at.folder, "clones/one")
    let said = ""
    const hear = { signal, onProgress: (text: string) => (said += text) }
    await clone(ourGit(), { url: `file://${at.repo}`, reach }, bare, hear)
    expect(said).toContain("Cloning into bare repository")
    // A second time is the first one.
    await clone(ourGit(), { url: "/nowhere", reach }, bare, { signal })

    const worktrees = await open(bare, join(at.folder, "data"), "s1")
    expect(await worktrees.branches({ signal })).toEqual({
      branches: ["main", "release"],
      default: "main",
      current: "main",
    })
    await worktrees.create({ base_branch: "release" }, { signal })
    await write(join(at.folder, "data/tree"), { new: "x\n" })
    expect(await worktrees.merge(merge, { signal })).toMatchObject({
      success: true,
      target_branch: "release",
      checkout: null,
    })
    const pushed = await worktrees.push({ remote: "origin" }, { signal })
    expect(pushed).toMatchObject({ remote: "origin", branch: "release" })
    expect(plainGit(at.repo, "rev-parse", "release")).toBe(pushed.commit)
  })

  it("says that the remote has gone on, or isn't one", async () => {
    await using at = await newRepository()
    const bare = join(at.folder, "clone")
    await clone(ourGit(), { url: at.repo, reach }, bare, { signal })
    plainGit(at.repo, "checkout", "--quiet", "--detach")
    await write(at.repo, { other: "x" })
    plainGit(at.repo, "update-ref", "refs/heads/main", commit(at.repo))
    const worktrees = await open(bare, join(at.folder, "data"), "s1")
    await worktrees.create({}, { signal })
    await write(join(at.folder, "data/tree"), { new: "x\n" })
    await worktrees.merge(merge, { signal })
    await expect(worktrees.push({ remote: "origin" }, { signal })).rejects.toMatchObject({
      code: "push_rejected",
      details: { branch: "main", said: expect.stringContaining("rejected") },
    })
    for (const remote of ["nowhere", "--force", "ext::sh -c 'touch x'", ""]) {
      await expect(worktrees.push({ remote }, { signal })).rejects.toMatchObject({ code: "repository_error" })
    }
    await expect(worktrees.push({ remote: "origin", branch: "--all" }, { signal })).rejects.toMatchObject({
      code: "branch_not_found",
    })
  })

  it("is there whole or not at all", async () => {
    await using at = await newRepository()
    const folder = join(at.folder, "clone")
    await mkdir(join(at.folder, "empty"))
    for (const url of [join(at.folder, "empty"), join(at.folder, "missing"), "ext::sh -c 'touch x'"]) {
      await expect(clone(ourGit(), { url, reach }, folder, { signal })).rejects.toMatchObject({
        code: "repository_error",
      })
      expect(await ownFiles.exists(folder)).toBe(false)
    }
  })
})

it("makes a repository for a workspace, without a file, which a worktree begins from and is merged into", async () => {
  await using at = await newRepository()
  const folder = join(at.folder, "workspace")
  await mkdir(folder)
  await initRepository(ourGit(), folder, { signal })
  expect(plainGit(folder, "ls-tree", "-r", "--name-only", "main")).toBe("")
  const worktrees = await open(folder, join(at.folder, "data"), "s1")
  await worktrees.create({}, { signal })
  const tree = join(at.folder, "data/tree")
  expect(await filesIn(tree)).toEqual({})
  await write(tree, { "a.txt": "a\n" })
  await worktrees.commit("One file\n", { signal })
  expect(await worktrees.merge(merge, { signal })).toMatchObject({ status: "merged", checkout: folder })
  expect(await readFile(join(folder, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n")
})
