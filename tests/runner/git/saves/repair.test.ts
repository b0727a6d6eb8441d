import { cp, mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import { systemClock } from "@switchyard/core/time"
import { damageOf, repairWork } from "@switchyard/runner/git/saves/repair"
import { openWorktree } from "@switchyard/runner/git/worktrees/open-worktree"
import { expect, it } from "vitest"
import { asGit, commit, filesIn, newRepository, ourGit, placed, plainGit, signal, write } from "../repositories.ts"

async function damaged() {
  const at = await newRepository({ "a.txt": "a\n" })
  const worktrees = await at.open()
  const { branch } = await worktrees.create({}, { signal })
  await write(at.tree(), { "b.txt": "b\n" })
  const about = { git: ourGit(), clock: systemClock, repository: at.repo, branch: "switchyard/s1" }
  const worktree = await openWorktree({ ...about, ...placed(join(at.folder, "data", "s1")) }, { signal })
  return { at, worktrees, worktree, branch: branch ?? "" }
}

it("says where nothing is left to go on from, and the worktree can be deleted and made anew", async () => {
  const { at, worktrees, worktree, branch } = await damaged()
  await rm(join(worktree.tree, ".git"))
  plainGit(at.repo, "worktree", "prune")
  plainGit(at.repo, "update-ref", "-d", `refs/heads/${branch}`)
  expect(await damageOf(worktree, { signal })).toBe("git_missing")
  await expect(repairWork(worktree, "git_missing", null, { signal })).rejects.toSatisfy((error) =>
    isAppError(error, "worktree_damaged"),
  )
  expect(await worktrees.remove({}, { signal })).toMatchObject({ deleted: true })
  expect(await worktrees.create({}, { signal })).toMatchObject({ created: true })
  expect(await damageOf(worktree, { signal })).toBeUndefined()
  await at[Symbol.asyncDispose]()
})

it("is begun again where it died, with the files as they were", async () => {
  const { at, worktree } = await damaged()
  const files = await filesIn(worktree.tree)
  await rm(join(worktree.tree, ".git"))
  // The first repair dies after it has moved the files away.
  const stop = new AbortController()
  const git = asGit((args, call) => {
    if (args.includes("--no-checkout")) stop.abort(new Error("killed"))
    return worktree.git(args, { ...call, signal: stop.signal })
  })
  await expect(repairWork({ ...worktree, git }, "git_missing", null, { signal })).rejects.toThrow("killed")
  expect(await damageOf(worktree, { signal })).toBe("git_replaced")
  await repairWork(worktree, "git_replaced", null, { signal })
  expect(await filesIn(worktree.tree)).toEqual(files)
  expect(plainGit(worktree.tree, "status", "--porcelain")).toBe("?? b.txt")
  await at[Symbol.asyncDispose]()
})

it("finds a worktree again whose data folder was moved, before git forgets it", async () => {
  const { at, worktree, branch } = await damaged()
  plainGit(worktree.tree, "add", "b.txt")
  await rename(join(at.folder, "data"), join(at.folder, "moved # data"))
  const about = { git: ourGit(), clock: systemClock, repository: at.repo, branch }
  const moved = await openWorktree({ ...about, ...placed(join(at.folder, "moved # data", "s1")) }, { signal })
  expect(await damageOf(moved, { signal })).toBeUndefined()
  plainGit(at.repo, "worktree", "prune", "--expire=now")
  expect(plainGit(moved.tree, "status", "--porcelain")).toBe("A  b.txt")
  await at[Symbol.asyncDispose]()
})

it("leaves a worktree where it is whose data folder was copied", async () => {
  const { at, worktree, branch } = await damaged()
  await cp(join(at.folder, "data"), join(at.folder, "copy"), { recursive: true })
  const about = { git: ourGit(), clock: systemClock, repository: at.repo, branch }
  const copied = await openWorktree({ ...about, ...placed(join(at.folder, "copy", "s1")) }, { signal })
  await damageOf(copied, { signal })
  plainGit(at.repo, "worktree", "prune", "--expire=now")
  expect(plainGit(worktree.tree, "status", "--porcelain")).toBe("?? b.txt")
  expect(plainGit(at.repo, "worktree", "list", "--porcelain")).toContain(`worktree ${worktree.tree}`)
  await at[Symbol.asyncDispose]()
})

it("takes an agent's orphan branch for no damage, and keeps what was committed in submodules if .git is gone", async () => {
  const { at: made, worktree, branch } = await damaged()
  await using at = made
  plainGit(worktree.tree, "checkout", "--quiet", "--orphan", "agents")
  expect(await damageOf(worktree, { signal })).toBeUndefined()
  plainGit(worktree.tree, "checkout", "--quiet", "--force", branch)
  const lib = join(at.folder, "lib")
  await mkdir(lib)
  plainGit(lib, "init", "--quiet")
  commit(lib)
  plainGit(worktree.tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
  const own = commit(join(worktree.tree, "lib"))
  commit(worktree.tree)
  await rm(join(worktree.tree, ".git"))
  const damage = (await damageOf(worktree, { signal })) ?? "git_broken"
  await repairWork(worktree, damage, null, { signal })
  expect(plainGit(join(worktree.tree, "lib"), "rev-parse", "HEAD")).toBe(own)
})
