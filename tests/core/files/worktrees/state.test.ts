import type { NewEvent } from "@switchyard/core/events"
import { noWorktree } from "@switchyard/core/files/worktrees/latest"
import { expect, it } from "vitest"
import { opened, stateAfter } from "../../kernel/folded.ts"

type Pair = [string, string]

const collide = (worktrees: Pair, ...files: string[]): NewEvent => {
  return { type: "worktree_collisions_changed", worktrees, files, file_count: files.length, digest: files.join() }
}
const changed = (worktree: string, exists: boolean): NewEvent => ({
  ...{ type: "worktree_changed", worktree, status: { ...noWorktree, exists } },
  ...{ branches: { branches: [], default: null, current: null }, diff: null, conflicts: null },
})
const worktrees = ["api", "docs", "tests"].map((name) => changed(name, true))
const pairs = (...events: NewEvent[]) =>
  stateAfter([opened(), ...worktrees, ...events]).worktrees.collisions.map(({ worktrees, fileCount }) => [
    ...worktrees,
    fileCount,
  ])

it("has what each pair of worktrees collides in, as it was told last, in whatever order they are named", () => {
  const told = [collide(["api", "docs"], "a"), collide(["api", "tests"], "a", "b"), collide(["docs", "tests"], "c")]
  expect(pairs(...told)).toEqual([
    ["api", "docs", 1],
    ["api", "tests", 2],
    ["docs", "tests", 1],
  ])
  expect(pairs(...told, collide(["tests", "api"], "b"))).toEqual([
    ["api", "docs", 1],
    ["docs", "tests", 1],
    ["tests", "api", 1],
  ])
  expect(pairs(...told, collide(["docs", "api"]))).toEqual([
    ["api", "tests", 2],
    ["docs", "tests", 1],
  ])
})

it("forgets the collisions of a worktree that is gone", () => {
  const told = [collide(["api", "docs"], "a"), collide(["api", "tests"], "a")]
  expect(pairs(...told, changed("tests", false))).toEqual([["api", "docs", 1]])
  expect(pairs(...told, changed("api", false))).toEqual([])
})
