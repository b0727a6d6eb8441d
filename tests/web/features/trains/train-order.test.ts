import { expect, it } from "vitest"
import { moved, trainEntries } from "../../../../packages/web/src/features/trains/train-order.ts"
import { noWork } from "../../../../packages/web/src/session/stream/work.ts"

const changed = { ...noWork, hasChanges: true }

it("lists the worktrees with work in the chosen order, later ones at the end, each with its collisions", () => {
  const worktrees = { main: noWork, b: changed, a: changed, c: changed }
  const collisions = [{ worktrees: ["a", "c"], files: ["x.ts", "y.ts"], fileCount: 2 }]
  expect(trainEntries({ worktrees, collisions }, ["c", "gone", "main"])).toEqual([
    { worktree: "c", collidesWith: [{ worktree: "a", file: "x.ts" }] },
    { worktree: "a", collidesWith: [{ worktree: "c", file: "x.ts" }] },
    { worktree: "b", collidesWith: [] },
  ])
})

it("moves one to another place, and nothing to a place that isn't there", () => {
  const names = ["a", "b", "c"]
  expect(moved(names, 0, 2)).toEqual(["b", "c", "a"])
  expect(moved(names, 2, 0)).toEqual(["c", "a", "b"])
  for (const [from, to] of [
    [0, -1],
    [2, 3],
    [1, 1],
    [3, 0],
  ] as const) {
    expect(moved(names, from, to)).toBe(names)
  }
})
