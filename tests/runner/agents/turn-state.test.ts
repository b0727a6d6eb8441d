import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import { createTurnState } from "@switchyard/runner/agents/turn-state"
import { describe, expect, it } from "vitest"

const EXIT = { exitCode: 0, signal: null, stderr: "", isAborted: false }
const session: AgentEvent = { type: "session", id: "native", model: null }
const said = (text: string): AgentEvent => ({ type: "text", text, message: "m" })
const used = (input: number) => ({ input, cache_read: 0, cache_write: 0, output: 1 })
const refusal = { kind: "overloaded", message: "Overloaded" } as const

function newState(hasGateway = false, now = () => 0) {
  return { state: createTurnState({ cli: "mock", hasGateway, now }) }
}

describe("a turn", () => {
  it("needs to go on where it completes without its summary, and shows what was said last", () => {
    const { state } = newState()
    state.event(session)
    expect(state.event(said("Half of it."))).toMatchObject({ isAlive: true, isOver: false })
    expect(state.event({ type: "turn_completed" })).toMatchObject({ isOver: true })
    const { end } = state.close(EXIT)
    expect(end).toMatchObject({ outcome: { type: "needs_continuation" }, nativeSession: "native", spoke: true })
    expect(end.lastMessage).toBe("Half of it.")
  })

  it("may be silent for long while a command of its runs, and no longer", () => {
    const { state } = newState()
    const call = (id: string, tool: "bash" | "read"): AgentEvent => ({ type: "tool_started", id, tool, name: tool })
    const done = (id: string): AgentEvent => ({ type: "tool_finished", id, ok: true, exitCode: 0, summary: "" })
    const events = [call("a", "read"), call("b", "bash"), done("a"), said("Building."), done("b")]
    expect(events.map((event) => state.event(event).isBusy)).toEqual([false, true, true, true, false])
  })

  it("ends for the first reason that it was stopped for", () => {
    const { state } = newState()
    expect([state.stop("timeout"), state.stop("cancelled")]).toEqual([true, false])
    expect(state.close(EXIT).end.outcome).toMatchObject({ type: "failed", problem: "timeout" })
  })

  it("is taken over once there is a session to go on with, and not where its run was aborted", () => {
    const { state } = newState()
    expect(state.takeOver()).toBe(false)
    state.event(session)
    expect(state.takeOver()).toBe(true)
    state.stop("cancelled")
    expect(state.close(EXIT).end).toMatchObject({ takenOver: true, outcome: { type: "needs_continuation" } })
    expect(state.close({ ...EXIT, isAborted: true }).end.outcome).toMatchObject({ problem: "cancelled" })
  })

  it("isn't alive while its model is asked again and says the same", () => {
    const { state } = newState()
    const retry: AgentEvent = { type: "retrying", problem: refusal }
    const alive = [said("The same beginning"), retry, said("The same beginning"), said(", and more")]
    expect(alive.map((event) => state.event(event).isAlive)).toEqual([true, false, false, true])
  })
})

describe("a turn that is refused again and again", () => {
  it.each([true, false])(
    "ends after two minutes without an answer, by the API's word or the agent's (%s)",
    (hasGateway) => {
      let at = 0
      const { state } = newState(hasGateway, () => at)
      const refused = () =>
        hasGateway
          ? state.answer({ type: "refused", problem: refusal, final: false })
          : state.event({ type: "retrying", problem: refusal })
      const answered = () => (hasGateway ? state.answer({ type: "ok" }) : state.event(said("Here I am.")))
      const isRefused = [0, 119_000].map((now) => {
        at = now
        return refused().isRefused
      })
      expect(isRefused).toEqual([false, false])
      // A request that passes restarts the period.
      answered()
      at = 130_000
      expect(refused().isRefused).toBe(false)
      at = 249_999
      expect(refused().isRefused).toBe(false)
      at = 250_000
      expect(refused().isRefused).toBe(true)
      state.stop("refused")
      state.event({ type: "turn_failed", problem: { kind: "cancelled", message: "The turn was interrupted." } })
      expect(state.close(EXIT).end.outcome).toEqual({ type: "failed", problem: "overloaded", message: "Overloaded" })
    },
  )
})

describe("a turn behind a gateway", () => {
  it("counts what the API says as soon as it does, and what it cost, and not what the agent says", () => {
    const { state } = newState(true)
    state.event(said("Half of "))
    expect(state.answer({ type: "used", usage: used(10) }).events).toMatchObject([{ usage: { input: 10 } }])
    expect(state.event(said("a message.")).events).toEqual([])
    expect(state.event({ type: "usage", usage: used(99), costUsd: 0.5 }).events).toEqual([])
    const [cost, message, ...rest] = state.close(EXIT).events
    expect(cost).toMatchObject({ usage: { input: 0, output: 0 }, cost_usd: 0.5 })
    expect(message).toMatchObject({ blocks: [{ content: "Half of a message." }] })
    expect(rest).toEqual([])
  })

  it("fails because an answer was cut off, if the program doesn't say why it failed", () => {
    const ended = (kind: "unknown" | "auth", isAnswered = false) => {
      const { state } = newState(true)
      state.answer({ type: "broken" })
      if (isAnswered) state.answer({ type: "ok" })
      state.event({ type: "turn_failed", problem: { kind, message: "Failed." } })
      return state.close(EXIT).end.outcome
    }
    expect(ended("unknown")).toEqual({ type: "failed", problem: "network", message: "The model's answer was cut off." })
    expect(ended("unknown", true)).toMatchObject({ problem: "unknown" })
    expect(ended("auth")).toMatchObject({ type: "auth" })
  })

  it("fails as the API refused, unless it answered after that", () => {
    const { state } = newState(true)
    expect(state.answer({ type: "refused", problem: refusal, final: false })).toMatchObject({ isRefused: false })
    expect(state.event({ type: "retrying", problem: { kind: "unknown", message: "?" } }).events).toEqual([])
    expect(state.answer({ type: "refused", problem: refusal, final: true })).toMatchObject({ isRefused: true })
    state.stop("refused")
    expect(state.close(EXIT).end.outcome).toMatchObject({ problem: "overloaded" })

    const { state: other } = newState(true)
    other.answer({ type: "refused", problem: refusal, final: false })
    other.answer({ type: "ok" })
    expect(other.close({ ...EXIT, stderr: "gone" }).end.outcome).not.toMatchObject({ problem: "overloaded" })
  })
})
