import type { NewEvent } from "@switchyard/core/events"
import { changeSession } from "@switchyard/core/sessions/rules"
import { toSession } from "@switchyard/core/sessions/session-view"
import type { SessionState } from "@switchyard/core/state"
import { describe, expect, it } from "vitest"
import { completed, created, opened, stateAfter } from "../kernel/folded.ts"

const about = { run_id: "run_1", agent_id: "main" }
const event = (fields: object) => fields as unknown as NewEvent
const commit = (by?: { run_id: string }) =>
  event({ type: "workspace_committed", ...by, version: 1, manifest: "m", changes: [], file_count: 3 })
const worktree = (hasChanges: boolean) =>
  event({
    type: "worktree_changed",
    status: { exists: true, branch: "work", has_changes: hasChanges },
    branches: {},
    diff: hasChanges ? { files_changed: 2, insertions: 12, deletions: 3, files: [] } : null,
    conflicts: null,
  })
const failed = event({ type: "run_failed", ...about, duration_ms: 1, error_type: "internal", message: "No." })
const failed2 = event({ ...failed, run_id: "run_2" })
const cancelled = event({ type: "run_cancelled", ...about, duration_ms: 1, reason: "asked for" })
const question = (title: string) =>
  event({
    type: "question_asked",
    ...about,
    question_id: "que_1",
    kind: "text",
    question: { kind: "text", text: title },
  })

const shown = (state: SessionState) =>
  toSession(
    { sid: "sid", sessionId: "s", state, history: { storedSeq: 0, unstored: [] }, touchedAt: 0 },
    { retentionMs: 1 },
  )
const folded = (...events: NewEvent[]) => stateAfter([opened(), ...events])
const columnOf = (...events: NewEvent[]) => shown(folded(...events)).column
const then = (state: SessionState, ...events: NewEvent[]) => stateAfter(events, { state })
const viewed = (state: SessionState) => then(state, ...(changeSession({ viewed: true })(state) as NewEvent[]))

describe("a session's column on the board", () => {
  it("is that of its open question, of its active run, and otherwise of its result", () => {
    expect(columnOf()).toBe("done")
    expect(columnOf(created("run_1"))).toBe("working")
    expect(columnOf(created("run_1"), question("Which port?"))).toBe("needs_you")
    expect(columnOf(created("run_1"), completed())).toBe("done")
  })

  it("is the one for reviews if a run left files, unmerged changes or a failure that no person has opened", () => {
    expect(columnOf(created("run_1"), commit(about), completed())).toBe("review")
    expect(columnOf(created("run_1"), worktree(true), completed())).toBe("review")
    expect(columnOf(created("run_1"), failed)).toBe("review")
    expect(columnOf(created("run_1"), commit(about), cancelled)).toBe("review")
    // A person's own edits need no review.
    expect(columnOf(created("run_1"), completed(), commit())).toBe("done")
  })

  it("is that of a result without a review in a snapshot of before, which has neither views nor runs' last events", () => {
    const ready = folded(created("run_1"), commit(about), completed())
    const { viewedSeq: _, ...session } = ready.session
    const { runCommitSeq: __, ...workspace } = ready.workspace
    const runs = Object.fromEntries(
      Object.entries(ready.runs.byId).map(([id, { lastSeq: _, ...run }]) => [
        id,
        run as typeof run & { lastSeq: number },
      ]),
    )
    const old = { ...ready, session, workspace, runs: { ...ready.runs, byId: runs } }
    expect(shown(old).column).toBe("done")
    expect(shown(then(old, created("run_2"), failed2)).column).toBe("review")
  })

  it("is no longer that one once the session was opened, merged or archived, until the next run ends", () => {
    const ready = folded(created("run_1"), commit(about), completed())
    expect(shown(viewed(ready)).column).toBe("done")
    expect(shown(then(ready, event({ type: "session_archived", archived: true }))).column).toBe("done")
    expect(columnOf(created("run_1"), worktree(true), completed(), worktree(false))).toBe("done")
    const again = [created("run_2"), event({ ...(commit() as object), run_id: "run_2", version: 2 })]
    const second = then(viewed(ready), ...again, event({ ...(completed() as object), run_id: "run_2" }))
    expect(shown(second).column).toBe("review")
  })

  it("records a view once, and none while nothing has ended", () => {
    const ready = folded(created("run_1"), commit(about), completed())
    expect(changeSession({ viewed: true })(viewed(ready))).toEqual([])
    expect(changeSession({ viewed: true })(folded(created("run_1")))).toEqual([])
    expect(viewed(ready).changedAt).toBe(ready.changedAt)
  })
})

describe("a session in a list", () => {
  it("has the question in one bounded line, and the size of its changes", () => {
    const long = `Which\nport\u202e? ${"x".repeat(5000)}`
    const { question: asked } = shown(folded(created("run_1"), worktree(true), question(long)))
    expect(asked?.title).toMatch(/^Which port/)
    expect(asked?.title.length).toBe(200)
    expect(shown(folded(created("run_1"), worktree(true))).changes).toEqual({ files: 2, additions: 12, deletions: 3 })
    expect(shown(folded(created("run_1"), worktree(true), worktree(false))).changes).toBeNull()
  })

  it("is shown from a snapshot that an older server wrote", () => {
    const state = folded(created("run_1"), commit(about), question("Which port?"))
    const { viewedSeq: _, archived: __, ...session } = state.session
    const waiting = state.questions.waiting.map(({ title: ___, ...rest }) => rest)
    const old = { ...state, session, questions: { ...state.questions, waiting } }
    expect(shown(old)).toMatchObject({ archived: false, column: "needs_you", question: { title: "A question" } })
  })
})
