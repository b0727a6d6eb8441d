import { expect, it } from "vitest"
import { emptyView, reduceView } from "../../../../packages/web/src/session/stream/view.ts"
import { foldOf, type Told } from "./fold.ts"

const viewAfter = foldOf(reduceView, emptyView)
const about = { run_id: "run_9", agent_id: "merges" }
const created: Told = [
  "run_created",
  { ...about, kind: "train", model: "none", input: { worktrees: ["a", "b"], checks: true } },
]
const step = (worktree: string, status: string): Told => [
  "merge_train_step_finished",
  { ...about, worktree, status, message: "m", commit: null, conflicts: [], verdict: { status: "passed" } },
]

it("shows a merge train beside the agents, and what became of each worktree", () => {
  const failed: Told = ["run_failed", { ...about, duration_ms: 1, error_type: "x", message: "It stopped.", hint: "" }]
  const view = viewAfter(created, ["run_claimed", { ...about, generation: 1, executor: "x" }], step("a", "merged"))
  expect(view.run).toBeNull()
  expect(view.train).toMatchObject({ worktrees: ["a", "b"], checks: true, run: { status: "running" } })
  expect(view.train?.steps).toMatchObject([{ worktree: "a", status: "merged", check: "passed" }])
  const over = viewAfter(created, step("a", "merged"), step("b", "conflicts"), failed)
  expect(over.train).toMatchObject({ run: { status: "failed", error: { message: "It stopped." } } })
  expect(viewAfter(created, step("a", "merged"), failed, created).train).toMatchObject({ steps: [] })
})

it("knows which worktrees have work to merge", () => {
  const changed = (worktree: string, exists: boolean, has_changes: boolean): Told => [
    "worktree_changed",
    { worktree, status: { exists, has_changes } },
  ]
  const view = viewAfter(changed("a", true, true), changed("b", true, false), changed("c", false, true))
  expect(Object.entries(view.worktrees).map(([name, { hasChanges }]) => [name, hasChanges])).toEqual([
    ["a", true],
    ["b", false],
    ["c", false],
  ])
})
