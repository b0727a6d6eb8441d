import { AppError } from "@switchyard/core/errors"
import { inLiveSession, inOpenSession, openSession } from "@switchyard/core/kernel/rules"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { applyEvent, emptySession } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import { appendAsExecutor, cancelRun } from "@switchyard/core/work/runs/rules"
import { describe, expect, it } from "vitest"
import { note } from "../log/store.ts"
import { claimed, committed, completed, created, deleted, opened, stateAfter, verdict } from "./folded.ts"

const open = stateAfter([opened()])
const gone = stateAfter([opened(), deleted()])
const running = stateAfter([opened(), created(), claimed(1), committed(1, "step"), created("run_2", "reviewer")])

describe("a session", () => {
  it("is opened once, and anew after it was deleted", () => {
    expect(openSession("mine")(emptySession)).toEqual([opened(1)])
    expect(openSession("mine")(open)).toEqual([])
    expect(openSession("mine")(gone)).toEqual([opened(2)])
  })

  it("is opened by what first happens in it, in the same batch", () => {
    const rule = inOpenSession("mine", createRun(created()))
    expect(rule(emptySession)).toEqual([opened(1), created()])
    expect(rule(open)).toEqual([created()])
    expect(verdict(inOpenSession("mine", createRun(created("run_3"))), running)).toBe("run_active")
    expect(rule(gone)).toEqual([opened(2), created()])
  })

  it("is asked as it will be once open: of what was before nothing is left", () => {
    const before = stateAfter([deleted()], { state: running })
    let asked = emptySession
    inOpenSession("mine", (state) => {
      asked = state
      return []
    })(before)
    expect(asked.session).toMatchObject({ incarnation: 2, deleted: false })
    expect(asked).toMatchObject({ runs: { byId: {} }, workspace: { version: 0, manifest: null } })
    const event = { ...opened(2), event_id: "", seq: before.head + 1, ts: before.changedAt ?? "" }
    expect(asked).toEqual(applyEvent(before, event))
  })

  it("stays closed when what would open it is refused", () => {
    const refused = new AppError("validation_error", "no")
    expect(inOpenSession("mine", () => refused)(emptySession)).toBe(refused)
    expect(inOpenSession("mine", () => refused)(gone)).toBe(refused)
  })

  it("that was deleted, or never was, is told so", () => {
    const rule = inLiveSession(() => [note("hello")])
    expect(verdict(rule, open)).toEqual(["note"])
    expect(verdict(rule, gone)).toBe("session_deleted")
    expect(verdict(rule, emptySession)).toBe("session_deleted")
  })
})

describe("deleting a session", () => {
  it("cancels whatever is active in it, in the same batch", () => {
    const done = stateAfter([completed()], { state: running })
    expect(deleteSession("request")(running)).toMatchObject([
      { type: "run_cancelled", run_id: "run_1", agent_id: "main" },
      { type: "run_cancelled", run_id: "run_2", agent_id: "reviewer" },
      { type: "session_deleted", incarnation: 1, reason: "request" },
    ])
    expect(deleteSession("request")(done)).toMatchObject([{ run_id: "run_2" }, { type: "session_deleted" }])
  })

  it("says nothing of one that isn't there", () => {
    expect(deleteSession("request")(gone)).toEqual([])
    expect(deleteSession("request")(emptySession)).toEqual([])
  })

  it("for its age waits until nothing is active in it", () => {
    expect(deleteSession("retention")(running)).toEqual([])
    expect(verdict(deleteSession("retention"), open)).toEqual(["session_deleted"])
  })

  it("leaves nothing that an executor could add to, not even once it is open again", () => {
    const rule = appendAsExecutor("run_1", 1, [note("late")])
    expect(verdict(rule, running)).toEqual(["note"])
    for (const state of [
      stateAfter([deleted()], { state: running }),
      stateAfter([deleted(), opened(2)], { state: running }),
    ]) {
      expect(verdict(rule, state)).toBe("run_superseded")
      expect(verdict(cancelRun("run_1", "late", 0), state)).toBe("run_not_found")
    }
  })
})
