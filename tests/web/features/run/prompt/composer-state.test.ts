import { describe, expect, it } from "vitest"
import { composerState } from "../../../../../packages/web/src/features/run/prompt/composer-state.ts"
import type { RunView } from "../../../../../packages/web/src/session/stream/run.ts"

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
  tokens: null,
  warning: null,
  error: null,
}
const running: RunView = { ...done, status: "running" }

describe("the composer", () => {
  const state = (change: Partial<Parameters<typeof composerState>[0]>) =>
    composerState({ run: done, draft: "Make a map.", starting: false, readOnly: false, ...change })

  it("runs what is typed, and nothing else", () => {
    expect(state({})).toEqual({ button: "run", blocked: false })
    expect(state({ draft: " \n" }).blocked).toBe(true)
  })

  it("starts one run at a time, and stops it once", () => {
    expect(state({ starting: true })).toMatchObject({ button: "starting", blocked: true })
    expect(state({ run: running })).toMatchObject({ button: "stop", blocked: true })
    expect(state({ run: { ...running, status: "queued" } }).button).toBe("stop")
    expect(state({ run: { ...running, cancelRequested: true } }).button).toBe("stopping")
  })

  it("starts no run at an earlier moment", () => {
    expect(state({ readOnly: true }).blocked).toBe(true)
  })
})
