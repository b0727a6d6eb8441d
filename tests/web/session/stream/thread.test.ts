import { describe, expect, it } from "vitest"
import { type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import { reduceThread, type Thread } from "../../../../packages/web/src/session/stream/thread.ts"

let seq = 0
function event(type: string, fields: object = {}): StudioEvent {
  seq++
  const ts = "2026-11-24T12:00:00.000Z"
  return toEvent({ event_id: `evt_${seq}`, seq, ts, run_id: "run_1", agent_id: "main", type, ...fields })
}
const fold = (...events: StudioEvent[]): Thread => events.reduce(reduceThread, [])
const message = (content: string, more = {}) =>
  event("assistant_message", { blocks: [{ kind: "text", content }], ...more })
const started = (id: string, more = {}) =>
  event("tool_call_started", { tool_call_id: id, tool: "bash", command: id, ...more })
const finished = (id: string, more = {}) => {
  return event("tool_call_finished", {
    tool_call_id: id,
    exit_code: 0,
    duration_ms: 5,
    llm_summary: `${id} done`,
    ...more,
  })
}
const ended = { duration_ms: 10, error_type: "internal_error", message: "It failed.", hint: "" }
const shapes = (thread: Thread) => thread.map((item) => (item.type === "said" ? `said ${item.text}` : item.type))

describe("the conversation with an agent", () => {
  it("keeps what was said and done in its order, with each tool's result at its call", () => {
    const thread = fold(
      event("user_message", { content: "Do it.", source: "ui" }),
      event("assistant_message", {
        blocks: [
          { kind: "thinking", content: "Hm." },
          { kind: "text", content: "I do." },
        ],
      }),
      started("a"),
      started("b"),
      finished("a"),
      message("Done."),
    )
    expect(shapes(thread)).toEqual(["told", "thought", "said I do.", "tool", "tool", "said Done."])
    const calls = thread.flatMap((item) => (item.type === "tool" ? [item.call.result?.summary ?? null] : []))
    expect(calls).toEqual(["a done", null])
    expect(new Set(thread.map((item) => item.seq)).size).toBe(thread.length)
  })

  it("begins with the task as soon as the run exists, and shows it once after the agent has received it", () => {
    const program = { cli: "claude", account: null, model: null }
    const input = { task: "Fix it.", cli: "claude", account: null, mode: "ask" }
    const created = event("run_created", { kind: "agent", model: "claude/default", program, input })
    expect(fold(created)).toMatchObject([{ type: "told", text: "Fix it." }])
    const received = event("user_message", { content: "Fix it.", source: "task" })
    expect(fold(created, received)).toMatchObject([{ type: "told", seq: received.seq, text: "Fix it." }])
    // A run that fails before its program starts keeps its message.
    expect(shapes(fold(created, event("run_failed", ended)))).toEqual(["told", "ended"])
    const turn = event("run_created", {
      ...{ kind: "agent", model: "claude/default", program },
      input: { ...input, messages: ["m"] },
    })
    expect(fold(turn)).toEqual([])
  })

  it("shows a message while it is written, and once in the end", () => {
    const piece = (text: string) => event("model_text", { text, lengths: [text.length] })
    const written = fold(piece("I "), piece("do"))
    expect(shapes(written)).toEqual(["said I do"])
    expect(shapes(reduceThread(written, message("I do it.")))).toEqual(["said I do it."])
  })

  it("leaves out what the nodes of a workflow write", () => {
    expect(fold(event("model_text", { text: '{"files": [', lengths: [11], node: "planner" }))).toEqual([])
  })

  it("leaves what was being written where a turn ends in the middle of it", () => {
    const thread = fold(event("model_text", { text: "I ", lengths: [2] }), event("run_cancelled", { duration_ms: 10 }))
    expect(thread[0]).toMatchObject({ type: "said", isWriting: false })
    expect(thread[1]).toMatchObject({ type: "ended", status: "cancelled" })
  })

  it("puts a sub-agent's words and tools under its call, whatever comes between", () => {
    const inner = { parent_tool_call_id: "helper" }
    const thread = fold(
      started("helper", { tool: "other", name: "Task" }),
      started("own"),
      started("inner", inner),
      finished("inner"),
      message("Found it.", inner),
      finished("helper"),
    )
    expect(shapes(thread)).toEqual(["tool", "tool"])
    const [helper] = thread
    if (helper?.type !== "tool") throw new Error("The first row is no tool.")
    expect(shapes(helper.call.inner)).toEqual(["tool", "said Found it."])
    expect(helper.call.inner[0]).toMatchObject({ call: { result: { summary: "inner done" } } })
    expect(helper.call.result?.summary).toBe("helper done")
  })

  it("tells how a question was answered, and forgets one that was withdrawn", () => {
    const question = { kind: "permission", tool: "bash", name: "Bash", command: "ls" }
    const asked = (id: string) => event("question_asked", { question_id: id, question })
    const thread = fold(
      asked("q1"),
      asked("q2"),
      event("question_answered", { question_id: "q1", answer: { choice: "deny", text: "No." }, by: "ada" }),
      event("question_withdrawn", { question_id: "q2", reason: "The turn ended." }),
    )
    expect(thread).toHaveLength(1)
    expect(thread[0]).toMatchObject({ questionId: "q1", answer: { choice: "deny", text: "No.", by: "ada" } })
  })
})
