import { closeAgent, createAgent, findAgent } from "@switchyard/core/agents/conversations/rules"
import { answerQuestion } from "@switchyard/core/agents/questions/answer-question"
import { keepQuestion } from "@switchyard/core/agents/questions/rules"
import type { QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionState } from "@switchyard/core/state"
import { describe, expect, it } from "vitest"
import { completed, created, opened, stateAfter, verdict } from "../../kernel/folded.ts"

const program = { cli: "mock" as const, account: null, model: null, reasoning: null }
const content: QuestionContent = { kind: "text", text: "Which port?" }
const about = { run_id: "run_1", agent_id: "agt_1" }
const asked: NewEvent = { type: "question_asked", ...about, question_id: "que_1", kind: "text", question: content }

const adding = createAgent({ agentId: "agt_1", name: "helper", program, mode: "ask", worktree: "own" })
const waiting = stateAfter([
  opened(),
  ...(adding(stateAfter([opened()])) as NewEvent[]),
  { ...(created("run_1") as object), agent_id: "agt_1" } as NewEvent,
  asked,
])
const ended = { ...completed(), ...about } as NewEvent
const answer = answerQuestion("que_1", { content, answer: { choice: "allow", text: "8080" }, by: "anna", now: 0 })

const afterEvents = (state: SessionState, ...events: NewEvent[]) => stateAfter(events, { state })
const decided = (rule: (state: SessionState) => unknown, state: SessionState) => rule(state) as NewEvent[]

describe("a question for whose answer an agent no longer waits", () => {
  const kept = afterEvents(waiting, ...decided(keepQuestion("que_1"), waiting))

  it("outlives the run that asked it, and no other does", () => {
    expect(afterEvents(waiting, ended).questions.waiting).toEqual([])
    expect(afterEvents(kept, ended).questions.waiting).toMatchObject([{ questionId: "que_1", isKept: true }])
  })

  it("is answered by a message to the agent, once", () => {
    const idle = afterEvents(kept, ended)
    const events = decided(answer, idle)
    expect(events.map(({ type }) => type)).toEqual(["question_answered", "agent_message_queued"])
    expect(events[1]).toMatchObject({ agent_id: "agt_1", content: "You asked: Which port?\n\nThe answer: 8080" })
    const done = afterEvents(idle, ...events)
    expect(findAgent(done, "agt_1").queue).toHaveLength(1)
    expect(verdict(answer, done)).toBe("question_answered")
  })

  it("is not kept once it was answered, so that the answer comes once", () => {
    const answered = afterEvents(waiting, ...decided(answer, waiting))
    expect(decided(answer, waiting).map(({ type }) => type)).toEqual(["question_answered"])
    expect(verdict(keepQuestion("que_1"), answered)).toEqual([])
  })

  it("is withdrawn with its agent", () => {
    const closing = decided(closeAgent("agt_1", "Closed."), kept)
    expect(closing.map(({ type }) => type)).toEqual(["question_withdrawn", "agent_closed"])
    expect(afterEvents(kept, ...closing).questions.waiting).toEqual([])
  })
})
