import type { Outcome } from "@switchyard/core/agents/clis/schema"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import { firstTurn, nextTurn, takesMessages } from "@switchyard/runner/agents/next-turn"
import type { Task } from "@switchyard/runner/agents/task"
import type { EndOfTurn } from "@switchyard/runner/agents/turn"
import { describe, expect, it } from "vitest"

const completed: Outcome = { type: "completed" }
const unfinished: Outcome = { type: "needs_continuation" }
const circles = { type: "failed", problem: "repeating", message: "It ran `ls` again and again." } as Outcome
const forgotten = { type: "failed", problem: "session_not_found", message: "No such session." } as Outcome
const broken = { type: "failed", problem: "unknown", message: "It broke." } as Outcome
const message = { content: "Also in red.", source: "api" } as const

const task = {
  input: { cli: "mock", task: "Paint it." },
  notes: { documents: [], checks: [], screenshots: [] },
  account: {},
  resume: null,
  followUp: false,
  interrupted: false,
} as unknown as Task
const answer = { ...task, input: { ...task.input, messages: [] } } as unknown as Task

function ended(outcome: Outcome, changes: Partial<EndOfTurn> = {}, aborted = false) {
  const said = { summary: undefined, nativeSession: "native", lastMessage: "Half.", spoke: true }
  const model = { failingSince: null, hasWorked: false }
  const end: EndOfTurn = { outcome, ...said, ...model, takenOver: false, parked: undefined, ...changes }
  return { turn: firstTurn(task), end, aborted }
}

describe("after a turn", () => {
  it("nothing follows one that is completed, failed, or waits for an answer", () => {
    for (const end of [ended(completed), ended(broken), ended(unfinished, { parked: new RunParked("asked") })]) {
      expect(nextTurn(task, end, [])).toBeNull()
    }
  })

  it("messages that it hasn't taken begin the next, in the same session", () => {
    const before = ended(completed)
    expect(takesMessages(before)).toBe(true)
    const next = nextTurn(task, { ...before, turn: { ...before.turn, attempt: 3 } }, [message as never])
    expect(next?.turn).toMatchObject({ attempt: 1, resume: "native" })
    expect(next?.turn.prompt).toContain("Also in red.")
    expect(next?.words).toEqual([{ type: "user_message", ...message }])
  })

  it("messages wait while an answer is awaited, a person works with the agent, or the run is to stop", () => {
    expect(takesMessages(ended(completed, { parked: new RunParked("asked") }))).toBe(false)
    expect(takesMessages(ended(completed, { takenOver: true }))).toBe(false)
    expect(takesMessages(ended(completed, {}, true))).toBe(false)
    expect(takesMessages(ended(broken))).toBe(false)
  })

  it("an agent that isn't done is told to go on, three times; one in a conversation is not", () => {
    const next = nextTurn(task, ended(unfinished), [])
    expect(next).toMatchObject({ turn: { attempt: 2, resume: "native" }, words: [{ source: "continuation" }] })
    const before = ended(unfinished)
    expect(nextTurn(task, { ...before, turn: { ...before.turn, attempt: 4 } }, [])).toBeNull()
    expect(nextTurn(answer, ended(unfinished), [])).toBeNull()
  })

  it("one that goes in circles is told once, then begins without its memory, then has failed", () => {
    const told = nextTurn(task, ended(circles), [])?.turn
    expect(told).toMatchObject({ circles: 1, resume: "native" })
    const anew = nextTurn(task, { ...ended(circles), turn: { ...firstTurn(task), ...told } }, [])?.turn
    expect(anew).toMatchObject({ circles: 2, resume: null })
    expect(nextTurn(task, { ...ended(circles), turn: { ...firstTurn(task), ...anew } }, [])).toBeNull()
  })

  it("a person who took over works with the agent first, and it goes on in its session then", () => {
    const next = nextTurn(task, ended(broken, { takenOver: true }), [])
    expect(next).toMatchObject({ withPerson: true, turn: { resume: "native" }, words: [{ source: "continuation" }] })
  })

  it("one whose own session is gone begins anew, as the same turn, and only once", () => {
    const before = ended(forgotten, { nativeSession: null })
    const next = nextTurn(task, { ...before, turn: { ...before.turn, resume: "gone" } }, [])
    expect(next?.turn.resume).toBeNull()
    expect(next?.turn.prompt).toContain("Paint it.")
    expect(next?.words).toBeUndefined()
    expect(nextTurn(task, before, [])).toBeNull()
  })

  it("a program that has said nothing is started in its other way, if it has one, and only once", () => {
    const codex = { ...task, input: { ...task.input, cli: "codex" } } as unknown as Task
    const silent = ended(broken, { spoke: false })
    expect(nextTurn(codex, silent, [])?.turn.fallback).toBe(true)
    expect(nextTurn(codex, { ...silent, turn: { ...silent.turn, fallback: true } }, [])).toBeNull()
    expect(nextTurn(codex, ended(broken), [])).toBeNull()
    expect(nextTurn(task, silent, [])).toBeNull()
  })

  it("nothing goes on once the run is to stop", () => {
    for (const outcome of [unfinished, circles]) expect(nextTurn(task, ended(outcome, {}, true), [])).toBeNull()
    expect(nextTurn(task, ended(completed, { takenOver: true }, true), [])).toBeNull()
  })
})
