import { describe, expect, it } from "vitest"
import { rowOf } from "../../../../packages/web/src/features/run/log-rows.ts"
import { toEvent } from "../../../../packages/web/src/stream/event.ts"

describe("the row of a run's end", () => {
  const ended = {
    seq: 9,
    event_id: "evt_9",
    ts: "2026-01-02T03:04:05.000Z",
    run_id: "run_1",
    type: "run_completed",
    duration_ms: 5000,
  }
  const row = (warning?: string) => rowOf(toEvent({ ...ended, workspace_version: 1, ...(warning && { warning }) }))

  it("says so where somebody should look at what it did", () => {
    expect(row()).toMatchObject({ text: "Run complete", severity: "success" })
    expect(row("Look at it.")).toMatchObject({
      text: "Run complete, with a warning",
      severity: "warn",
      hint: "Look at it.",
    })
  })
})
