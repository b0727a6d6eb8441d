import type { WorktreeChange } from "@switchyard/core/files/worktrees/command-schema"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { filesIn, leftovers, newRepository, plainGit, signal, write } from "../repositories.ts"
import { runMerger } from "../run-merger.ts"

const undo: WorktreeChange & { command: "undo" } = { command: "undo" }
const MINE = { mine: "file not committed\n" }
const BEFORE = { ...MINE, a: "file 1\n", b: "file 1\n" }
const AFTER = { ...MINE, a: "file 2\n", "new/": "", "new/deep": "file n\n" }

/** Creates a repository with a merged session and an uncommitted file. */
async function newMerge({ delete_worktree = false, strategy = "squash" as "squash" | "merge" } = {}) {
  const at = await newRepository({ a: "1\n", b: "1\n" })
  const before = plainGit(at.repo, "rev-parse", "main")
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  await write(at.tree(), { a: "2\n", b: null, "new/deep": "n\n" })
  await write(at.repo, { mine: "not committed\n" })
  const merged = await worktrees.merge({ strategy, delete_worktree }, { signal })
  expect(merged).toMatchObject({ status: "merged" })
  expect(await filesIn(at.repo)).toEqual(AFTER)
  const main = () => plainGit(at.repo, "rev-parse", "main")
  return { ...at, worktrees, before, merged: merged.commit ?? "", main }
}

type Merge = Awaited<ReturnType<typeof newMerge>>

async function expectUndone(at: Merge, where = ""): Promise<void> {
  expect(at.main(), where).toBe(at.before)
  expect(await filesIn(at.repo), where).toEqual(BEFORE)
  expect(plainGit(at.repo, "status", "--porcelain"), where).toBe("?? mine")
  expect(await leftovers(at.repo), where).toEqual([])
}

async function expectRefused(at: Merge, message: RegExp, request = {}): Promise<void> {
  const [head, files] = [at.main(), await filesIn(at.repo)]
  await expect(at.worktrees.undo(request, { signal })).rejects.toThrow(message)
  expect([at.main(), await filesIn(at.repo)]).toEqual([head, files])
  expect(await leftovers(at.repo)).toEqual([])
}

describe("undoing a merge", () => {
  it.each(["squash", "merge"] as const)(
    "takes branch and checkout back, once, and the work can be merged again: %s",
    async (strategy) => {
      await using at = await newMerge({ strategy })
      const first = await at.worktrees.undo({ commit: at.merged }, { signal })
      expect(first).toMatchObject({ success: true, status: "undone", commit: at.before, checkout: at.repo })
      await expectUndone(at)
      expect(await at.worktrees.status({ signal })).toMatchObject({ exists: true, has_changes: true })
      expect(await at.worktrees.undo({ commit: at.merged }, { signal })).toEqual({ ...first, checkout: null })
      await expectUndone(at)
      expect(await at.worktrees.merge({ strategy, delete_worktree: true }, { signal })).toMatchObject({
        status: "merged",
      })
      expect(await filesIn(at.repo)).toEqual(AFTER)
      await expectRefused(at, /Only the latest/, { commit: at.merged })
    },
  )

  it("keeps the work of a worktree that was deleted", async () => {
    await using at = await newMerge({ delete_worktree: true })
    expect((await at.worktrees.undo({}, { signal })).message).toContain(at.merged)
    await expectUndone(at)
    plainGit(at.repo, "reflog", "expire", "--expire=now", "--all")
    plainGit(at.repo, "gc", "--quiet", "--prune=now")
    expect(plainGit(at.repo, "show", `${at.merged}:new/deep`)).toBe("n")
  })

  it("is refused where the branch has moved on, or a remote has the merge", async () => {
    await using at = await newMerge()
    plainGit(at.repo, "update-ref", "refs/remotes/origin/main", at.merged)
    await expectRefused(at, /was pushed/)
    plainGit(at.repo, "update-ref", "-d", "refs/remotes/origin/main")
    plainGit(at.repo, "commit", "--quiet", "--allow-empty", "--message", "on")
    await expectRefused(at, /Commits were added to main/)
  })

  it("is refused where the checkout has changes in its files", async () => {
    await using at = await newMerge()
    await write(at.repo, { a: "mine\n" })
    await expect(at.worktrees.undo({}, { signal })).rejects.toMatchObject({
      code: "merge_blocked",
      details: { files: ["a"] },
    })
    await expectRefused(at, /./)
  })

  it("is refused where nothing was merged", async () => {
    await using at = await newRepository()
    await expect((await at.open()).undo({}, { signal })).rejects.toThrow("no merge to undo")
  })

  it("is done once or not at all, wherever its process is killed", async () => {
    await using whole = await newMerge()
    const steps = Number((await runMerger(whole, 0, "undo")).output)
    await expectUndone(whole)
    expect(steps).toBeGreaterThan(20)
    const instants = cases({ usual: 4, deep: 40 })
    for (let index = 1; index <= instants; index++) {
      const dieAt = Math.ceil((index * steps) / instants)
      const where = `killed before step ${dieAt} of ${steps}`
      await using at = await newMerge()
      expect((await runMerger(at, dieAt, "undo")).killedBy, where).toBe("SIGKILL")
      expect(await filesIn(at.repo), where).toMatchObject(MINE)
      const again = await at.open()
      const found = await again.recover(undo, { signal, commandId: "c" })
      if (found) expect(found, where).toMatchObject({ status: "undone" })
      else expect([at.main(), await filesIn(at.repo)], where).toEqual([at.merged, AFTER])
      await again.undo({}, { signal })
      await expectUndone(at, where)
      expect(await again.status({ signal }), where).toMatchObject({ has_changes: true, base_commit: at.before })
    }
  })
})
