import { describe, expect, it } from "vitest"
import {
  draftOf,
  draftToStore,
  isCleared,
  type PromptInput,
  promptState,
} from "../../../../../packages/web/src/features/run/prompt/prompt-state.ts"
import type { RunView } from "../../../../../packages/web/src/session/stream/view.ts"

const done: RunView = {
  runId: "run_1",
  agentId: "main",
  worktree: "main",
  kind: "workflow",
  model: "demo",
  prompt: "Make a list.",
  agent: null,
  status: "completed",
  cancelRequested: false,
  firstSeq: 1,
  startedAt: "2026-01-02T03:04:05.000Z",
  durationMs: 10,
  warning: null,
  error: null,
}
const running: RunView = { ...done, status: "running" }
const failed: RunView = { ...done, status: "failed", error: { type: "x", message: "It broke.", hint: "Mend it." } }

describe("the draft of a prompt", () => {
  it("begins as the newest run's prompt, and is what is typed from then on, even nothing", () => {
    expect(draftOf(null, null)).toBe("")
    expect(draftOf(null, done)).toBe("Make a list.")
    expect(draftOf("", done)).toBe("")
    expect(draftOf("Make a map.", done)).toBe("Make a map.")
  })

  it("isn't stored where it is the run's prompt again", () => {
    expect(draftToStore("Make a list.", done)).toBeNull()
    expect(draftToStore("Make a list. ", done)).toBe("Make a list. ")
    expect(draftToStore("", null)).toBeNull()
  })

  it("hides a run that it isn't the prompt of", () => {
    expect(isCleared("Make a map.", done, false)).toBe(true)
    expect(isCleared(" Make a list.\n", done, false)).toBe(false)
    expect(isCleared("Make a map.", null, false)).toBe(false)
  })

  it("hides neither a run that goes on nor an earlier moment", () => {
    expect(isCleared("Make a map.", running, false)).toBe(false)
    expect(isCleared("Make a map.", done, true)).toBe(false)
  })
})

describe("the prompt bar", () => {
  const state = (change: Partial<PromptInput>) =>
    promptState({
      ...{ run: done, draft: "Make a map.", cleared: false, starting: false, readOnly: false, failure: null },
      planned: false,
      ...change,
    })

  it("runs what is typed", () => {
    expect(state({})).toEqual({ button: "run", editable: true, blocked: false, notice: null, failure: null })
    expect(state({ draft: " \n" }).blocked).toBe(true)
  })

  it("starts one run at a time, and stops it once", () => {
    expect(state({ starting: true })).toMatchObject({ button: "starting", blocked: true })
    expect(state({ run: running })).toMatchObject({ button: "stop", blocked: true, editable: false })
    expect(state({ run: { ...running, status: "queued" } }).button).toBe("stop")
    expect(state({ run: { ...running, cancelRequested: true } }).button).toBe("stopping")
  })

  it("changes nothing at an earlier moment", () => {
    expect(state({ readOnly: true })).toMatchObject({ blocked: true, editable: false })
  })

  it("shows why a run failed, with its hint once", () => {
    expect(state({ run: failed }).notice).toEqual({
      ...{ type: "run_failed", message: "It broke.", hint: "Mend it." },
      resumable: false,
    })
    const repeating = { type: "x", message: "It broke. Mend it.", hint: "Mend it." }
    expect(state({ run: { ...failed, error: repeating } }).notice).toMatchObject({ hint: null })
  })

  it("offers to resume a run that has a plan to go on with", () => {
    expect(state({ run: failed, planned: true }).notice).toMatchObject({ resumable: true })
  })

  it("shows one thing at a time: a hidden run has no error, and a new failure comes before the old one", () => {
    expect(state({ run: failed, cleared: true }).notice).toEqual({ type: "cleared" })
    expect(state({ run: failed, failure: "Offline." })).toMatchObject({ notice: null, failure: "Offline." })
    expect(state({ cleared: true, failure: "Offline." })).toMatchObject({
      notice: { type: "cleared" },
      failure: "Offline.",
    })
  })
})
