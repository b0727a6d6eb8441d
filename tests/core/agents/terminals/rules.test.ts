import { appendAsRunner, claimRunner, closeAbandoned, parkRunner } from "@switchyard/core/agents/terminals/rules"
import { AppError } from "@switchyard/core/errors"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { applyEvent, emptySession, type SessionState } from "@switchyard/core/state"
import { describe, expect, it } from "vitest"

const opened: NewEvent = { type: "session_opened", session_id: "s", incarnation: 1 }
const notice: NewEvent = { type: "agent_notice", text: "x" }
const terminal: NewEvent = { type: "terminal_opened", pty: "pty_1", kind: "driver", title: "x", rows: 1, cols: 1 }

const folded = (state: SessionState, verdict: NewEvent[] | AppError) => {
  if (verdict instanceof AppError) throw verdict
  const place = (event: NewEvent, index: number) =>
    ({ ...event, seq: state.head + index + 1, ts: "2026-01-01T00:00:00.000Z", event_id: "evt" }) as LogEvent
  return verdict.map(place).reduce(applyEvent, state)
}
const live = folded(emptySession, [opened])

describe("a runner", () => {
  it("speaks only while its claim is the newest", () => {
    const first = folded(live, claimRunner("one")(live))
    expect(appendAsRunner(1, [notice])(first)).toEqual([notice])
    const second = folded(first, claimRunner("two")(first))
    expect(appendAsRunner(1, [notice])(second)).toMatchObject({ code: "run_superseded" })
    expect(appendAsRunner(2, [notice])(second)).toEqual([notice])
    expect(second.runner.executor).toBe("two")
  })

  it("closes what an older one left open, once, with what is known of it", () => {
    const first = folded(folded(live, claimRunner("one")(live)), [terminal])
    const second = folded(first, claimRunner("two")(first))
    const closed: NewEvent = { type: "terminal_closed", pty: "pty_1", exit_code: null, signal: null, recording: "r" }
    expect(closeAbandoned(2, "pty_1", [closed])(second)).toEqual([closed])
    expect(closeAbandoned(2, "pty_1", [])(second)).toEqual([{ ...closed, recording: null }])
    expect(closeAbandoned(1, "pty_1", [closed])(second)).toEqual([])
    const done = folded(second, [closed])
    expect(done.runner.terminals).toEqual([])
    expect(closeAbandoned(2, "pty_1", [closed])(done)).toEqual([])
  })

  it("parks once, and not for another", () => {
    const first = folded(live, claimRunner("one")(live))
    const parked = folded(first, parkRunner(1, "idle")(first))
    expect(parked.runner.executor).toBeNull()
    expect(parkRunner(1, "idle")(parked)).toEqual([])
    const second = folded(parked, claimRunner("two")(parked))
    expect(parkRunner(1, "late")(second)).toEqual([])
  })

  it("serves nothing that was deleted", () => {
    const deleted = folded(live, [{ type: "session_deleted", incarnation: 1, reason: "request" }])
    expect(claimRunner("one")(deleted)).toMatchObject({ code: "session_deleted" })
  })
})
