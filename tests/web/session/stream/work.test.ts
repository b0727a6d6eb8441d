import { describe, expect, it } from "vitest"
import { noWork, reduceWork } from "../../../../packages/web/src/session/stream/work.ts"
import { foldOf, type Told } from "./fold.ts"

const viewAfter = foldOf(reduceWork, noWork)

const requested = (command_id: string, command: object): Told => ["worktree_command_requested", { command_id, command }]
const answered = (command_id: string, answer: object | null, error: object | null = null): Told => [
  "worktree_command_finished",
  { command_id, answer, error },
]
const push = { remote: "origin", branch: "main" }
const merged = { status: "merged", message: "Merged.", commit: "c0ffee" }
const conflicts = { status: "conflicts", message: "1 of 1 conflicts still need resolving.", commit: null }
const refused = { code: "push_rejected", message: "No.", details: { said: "fetch first" } }
const run: Told = ["run_created", { run_id: "r", kind: "agent", model: "m", input: { user_prompt: "x" } }]

describe("what the log says of a worktree", () => {
  it("knows what a merge leaves to do, until it is pushed", () => {
    const made = [requested("a", { command: "merge" }), answered("a", { ...merged, push })]
    expect(viewAfter(...made).merged?.push).toEqual({ ...push, done: false, error: null })
    const pushes = [requested("b", { command: "push" }), answered("b", null, refused)]
    expect(viewAfter(...made, ...pushes).merged?.push?.error).toEqual(refused)
    // A merge that waits for its push still waits after the next task.
    expect(viewAfter(...made, ...pushes, run).merged?.push?.done).toBe(false)
    const done = [requested("c", { command: "push" }), answered("c", { ...push, commit: "c0ffee" })]
    expect(viewAfter(...made, ...pushes, ...done).merged?.push).toEqual({ ...push, done: true, error: null })
    expect(viewAfter(...made, ...done, run).merged).toBeNull()
  })

  it("offers to undo a merge until it is undone or pushed", () => {
    const made = [requested("a", { command: "merge" }), answered("a", { ...merged, push })]
    expect(viewAfter(...made).merged?.canUndo).toBe(true)
    const undo = requested("b", { command: "undo" })
    const moved = { code: "worktree_conflict", message: "No.", details: {} }
    expect(viewAfter(...made, undo, answered("b", null, moved)).merged?.canUndo).toBe(true)
    expect(viewAfter(...made, undo, answered("b", { ...merged, status: "undone" })).merged).toBeNull()
    const done = [requested("c", { command: "push" }), answered("c", { ...push, commit: "c0ffee" })]
    expect(viewAfter(...made, ...done).merged?.canUndo).toBe(false)
    expect(viewAfter(requested("a", { command: "merge" }), answered("a", conflicts)).merged).toBeNull()
  })

  it("has what a removal kept, until an agent works again", () => {
    const place = { ref: "refs/switchyard/kept/s/1-30d", until: "2026-12-29T00:00:00.000Z", command: "git …" }
    const kept = { ...place, commit: "c0ffee", inner: [], ignored: { count: 2, named: [] } }
    const shown = { ...place, inner: [], ignored: 2 }
    for (const command of ["delete", "reset", "merge"]) {
      const answer = command === "merge" ? merged : { message: "Done." }
      const ended = [requested("a", { command }), answered("a", { ...answer, kept })]
      expect(viewAfter(...ended).kept).toEqual(shown)
      expect(viewAfter(...ended, run).kept).toBeNull()
    }
    const nothing = { ...kept, ref: null, command: null, until: null }
    expect(
      viewAfter(requested("a", { command: "delete" }), answered("a", { message: "", kept: nothing })).kept,
    ).toBeNull()
  })

  it("tells a merge that is completed from an update, and remembers whether hooks were to run", () => {
    const completed = (command: string) =>
      viewAfter(
        requested("a", { command, run_hooks: true }),
        answered("a", conflicts),
        // The second command is refused, so the first merge is still open.
        requested("b", { command: command === "merge" ? "update" : "merge" }),
        answered("b", null, { code: "worktree_conflict", message: "A merge waits.", details: {} }),
        requested("c", { command: "complete" }),
        answered("c", merged),
      )
    expect(completed("update")).toMatchObject({ merged: null, begun: { direction: "update", runHooks: true } })
    expect(completed("merge")).toMatchObject({ merged: { commit: "c0ffee" }, begun: { direction: "merge" } })
    expect(completed("merge").pending).toEqual({})
  })

  it("takes what answers a question, whatever its fields, for no merge", () => {
    expect(viewAfter(requested("a", { question: "status" }), answered("a", { ...merged, push })).merged).toBeNull()
    expect(viewAfter(answered("__proto__", merged)).merged).toBeNull()
  })

  it("knows what is saved, and what waits for somebody to confirm", () => {
    const held: [string, object] = ["deletions_held", { count: 2, paths: ["a", "b"], file_count: 3 }]
    expect(viewAfter(held).held).toEqual({ count: 2, paths: ["a", "b"], of: 3 })
    expect(viewAfter(held, ["deletions_settled", { confirmed: false }]).held).toBeNull()
    const saving = (saved: number, total: number): Told => ["workspace_save_progressed", { saved, total }]
    expect(viewAfter(saving(1, 9)).saving).toEqual({ saved: 1, total: 9 })
    expect(viewAfter(saving(1, 9), saving(0, 0)).saving).toBeNull()
  })

  it("has the failure of the latest command, until the next command or run", () => {
    const error = { code: "merge_blocked", message: "README.md is in the way.", details: { files: ["README.md"] } }
    const failed = [requested("a", { command: "merge" }), answered("a", null, error)]
    expect(viewAfter(...failed).failure).toEqual({ command: "merge", error })
    expect(viewAfter(...failed, requested("b", { question: "status" })).failure).not.toBeNull()
    expect(viewAfter(...failed, requested("b", { command: "update" })).failure).toBeNull()
    expect(viewAfter(...failed, run).failure).toBeNull()
    const expired: Told = ["worktree_command_expired", { command_id: "a" }]
    expect(viewAfter(requested("a", { command: "reset" }), expired).failure).toMatchObject({ command: "reset" })
  })

  it("leaves the failure of a write to the chat, and of a merge's push to that merge", () => {
    expect(viewAfter(requested("a", { command: "write" }), answered("a", null, refused)).failure).toBeNull()
    const pushed = [requested("b", { command: "push" }), answered("b", null, refused)]
    expect(viewAfter(...pushed).failure).toEqual({ command: "push", error: refused })
    const made = [requested("a", { command: "merge" }), answered("a", { ...merged, push })]
    expect(viewAfter(...made, ...pushed).failure).toBeNull()
  })
})
