import { expect, it } from "vitest"
import { newRepository, plainGit, signal, write } from "../repositories.ts"

const merge = { strategy: "squash" as const, delete_worktree: true }

/** Branches that prevent a branch named `switchyard/s1`. */
const IN_THE_WAY = {
  "is a file for its folder": "switchyard",
  "is a folder for it": "switchyard/s1/mine",
  "is its folder in another case": "Switchyard",
  "is it in another case": "switchyard/S1",
  "is in its folder in another case": "SwitchYard/mine",
}

it.each(Object.entries(IN_THE_WAY))("a session works under another name if a branch %s", async (_, name) => {
  await using at = await newRepository()
  plainGit(at.repo, "branch", name)
  const worktrees = await at.open()
  expect(await worktrees.create({}, { signal })).toMatchObject({ created: true, branch: "switchyard-work/s1" })
  // Another process finds the branch in the worktree's record.
  const next = await at.open()
  await write(at.tree(), { new: "new\n" })
  await next.commit("work", { signal })
  expect(await next.status({ signal })).toMatchObject({ branch: "switchyard-work/s1", has_changes: true })
  const { branches } = await next.branches({ signal })
  expect(branches).toContain("main")
  expect(branches).not.toContain("switchyard-work/s1")
  expect(await next.merge(merge, { signal })).toMatchObject({ status: "merged", worktree_deleted: true })
  expect(plainGit(at.repo, "branch", "--format=%(refname:short)").split("\n").sort()).toEqual(["main", name].sort())
  expect(plainGit(at.repo, "show", "main:new")).toBe("new")
})

it("a branch of a remote is avoided, so that the work can be pushed", async () => {
  await using at = await newRepository()
  plainGit(at.repo, "update-ref", "refs/remotes/origin/switchyard", "HEAD")
  const worktrees = await at.open()
  expect(await worktrees.create({}, { signal })).toMatchObject({ branch: "switchyard-work/s1" })
})

it("a reset keeps the branch's name, and names the branches that leave no name, before anything is lost", async () => {
  await using at = await newRepository()
  plainGit(at.repo, "branch", "switchyard")
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  expect(await worktrees.create({ reset: true }, { signal })).toMatchObject({ branch: "switchyard-work/s1" })
  await worktrees.remove({}, { signal })
  plainGit(at.repo, "branch", "switchyard-work")
  await expect(worktrees.create({}, { signal })).rejects.toMatchObject({
    code: "repository_error",
    message: expect.stringMatching(
      /switchyard and switchyard-work\. Rename .*`git branch -m switchyard switchyard-old`/,
    ),
    details: { branches: ["switchyard", "switchyard-work"] },
  })
  plainGit(at.repo, "branch", "-m", "switchyard", "switchyard-old")
  expect(await worktrees.create({}, { signal })).toMatchObject({ branch: "switchyard/s1" })
})
