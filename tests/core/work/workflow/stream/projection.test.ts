import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { beginStream, isAfter, projectEvent } from "@switchyard/core/work/workflow/stream/projection"
import type { StreamFrame } from "@switchyard/core/work/workflow/stream/stream-envelope"
import { describe, expect, it } from "vitest"

const visit = { node: "planner" as const, iteration: 1, namespace: [] }
const started = { type: "node_started", ...visit, step: 1, task_id: "t1", triggers: ["start"] } satisfies NewEvent
const text = { type: "model_text", ...visit, text: "Hello", lengths: [2, 3] } satisfies NewEvent
const finished = {
  type: "node_finished",
  ...visit,
  step: 1,
  task_id: "t1",
  duration_ms: 12,
  update: { planned_files: 3 },
} satisfies NewEvent
const created: NewEvent = {
  type: "run_created",
  run_id: "run_1",
  agent_id: "main",
  kind: "workflow",
  model: "groq/openai/gpt-oss-120b",
  input: { user_prompt: "a thing", recursion_limit: 77 },
}
const completed: NewEvent = {
  type: "run_completed",
  run_id: "run_1",
  agent_id: "main",
  duration_ms: 99,
  workspace_version: 3,
}
const failed: NewEvent = {
  type: "run_failed",
  run_id: "run_1",
  agent_id: "main",
  duration_ms: 99,
  error_type: "rate_limit",
  message: "Too much.",
  hint: "Wait.",
}

describe("the /stream projection", () => {
  it("has every field on every event", () => {
    const frames = project([created, started, text, finished, { ...started, node: "architect" }, failed])
    const fields = [
      ...["run_id", "workspace_id", "event_id", "timestamp", "node", "state", "activity_score", "phase", "severity"],
      ...["message", "details", "hint", "error_type", "iteration", "duration_ms", "namespace", "raw"],
      ...["active_node_id", "node_states", "activity_by_node_id"],
    ]
    for (const { data } of frames) expect(Object.keys(data)).toEqual(expect.arrayContaining(fields))
    for (const { data } of frames) expect(Object.values(data)).not.toContain(undefined)
  })

  it("numbers events from 1 without a gap, and frames by the seq that they come from", () => {
    const frames = project([created, started, text, completed])
    expect(frames.map(({ data }) => data.event_id)).toEqual(frames.map((_, index) => index + 1))
    expect(frames.map(({ id }) => id)).toEqual(["1.1", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2"])
  })

  it("has no frames of files that are being written, nor of thinking: the commit tells more", () => {
    const part: NewEvent = { type: "file_text", ...visit, path: "a.ts", offset: 0, text: "a" }
    const frames = project([created, started, part, { type: "model_reasoning", ...visit, chars: 3 }, text])
    expect(frames.map(({ id }) => id)).toEqual(["1.1", "2.1", "2.2", "5.1", "5.2"])
    expect(frames.map(({ data }) => data.event_id)).toEqual([1, 2, 3, 4, 5])
  })

  it("begins with the provider and the limit of steps", () => {
    const [first] = project([created])
    expect(first).toMatchObject({
      event: "run_started",
      data: {
        provider: "groq",
        phase: "system",
        severity: "info",
        activity_score: 0,
        details: { stream_mode: ["debug", "messages", "updates"], recursion_limit: 77 },
      },
    })
  })

  it("keeps the last score of each node, and knows the one at work", () => {
    const frames = project([created, started, text, finished])
    const seen = frames.map(({ event, data }) => [event, data.active_node_id, data.activity_by_node_id.planner])
    expect(seen).toEqual([
      ["run_started", null, 0],
      ["on_node_start", "planner", 1],
      ["on_debug_event", "planner", 0.6],
      ["on_chat_model_stream", "planner", 0.9],
      ["on_chat_model_stream", "planner", 0.9],
      ["on_debug_event", "planner", 0.6],
      ["on_node_end", null, 0.2],
    ])
  })

  it("cuts gathered text into the tokens in which it came, counted across the run", () => {
    const tokens = project([created, started, text, { ...text, text: "你好", lengths: [2] }]).filter(
      ({ event }) => event === "on_chat_model_stream",
    )
    expect(tokens.map(({ data }) => [data.token, data.details?.token_index, data.details?.token_length])).toEqual([
      ["He", 1, 2],
      ["llo", 2, 3],
      ["你好", 3, 2],
    ])
  })

  it("names the message that a token is of, and those whose tokens count for nothing", () => {
    const other = { ...visit, node: "coder" as const, iteration: 4 }
    const say = (words: string, of: typeof visit | typeof other = visit): NewEvent => {
      return { ...text, ...of, text: words, lengths: [words.length] }
    }
    const usage = { input: 1, cache_read: 0, cache_write: 0, output: 1 }
    const used: NewEvent = { type: "model_usage", ...visit, model: "a", usage }
    const retried: NewEvent = { type: "model_retried", ...visit, error_type: "timeout", attempt: 1, wait_ms: 1 }
    const claimed = (generation: number): NewEvent => {
      return { type: "run_claimed", run_id: "run_1", agent_id: "main", generation, executor: "e" }
    }
    const frames = project([
      ...[created, claimed(1), started, say("It "), say("is", other), retried, say("It is"), used],
      ...[say("Done"), used, retried, say("Hal"), claimed(2), say("Half")],
    ])
    const dropped = frames.flatMap(({ data }) => data.details?.discarded_message_ids ?? [])
    expect(dropped).toEqual(["msg_1", "msg_2", "msg_5"])
    const said = new Map<string, string>()
    for (const { data } of frames) {
      const { message_id: id } = (data.metadata ?? {}) as { message_id?: string }
      if (id && !dropped.includes(id)) said.set(id, `${said.get(id) ?? ""}${data.token}`)
    }
    expect([...said]).toEqual([
      ["msg_3", "It is"],
      ["msg_4", "Done"],
      ["msg_6", "Half"],
    ])
  })

  it("tells what a model says outside of any node as it is", () => {
    const spoken: NewEvent = { type: "model_text", text: "Hello", lengths: [5] }
    const [frame] = project([created, spoken]).slice(-1)
    expect(frame).toMatchObject({ event: "on_debug_event", data: { node: null, details: { text: "Hello" } } })
  })

  it("says how far the coder is, in fields and in words", () => {
    const coder = {
      ...finished,
      node: "coder",
      update: { current_step_idx: 2, total_steps: 4, file_path: "a.ts" },
    } as const
    const end = project([created, coder]).at(-1)
    expect(end?.data.details).toMatchObject({
      text: "file 3/4 (2 completed)",
      completed_steps: 2,
      active_step: 3,
      total_steps: 4,
      file_path: "a.ts",
      keys: ["current_step_idx", "file_path", "total_steps"],
    })
  })

  it("closes what is still active before it says that the run is complete", () => {
    const frames = project([created, started, completed]).slice(-2)
    expect(frames[0]).toMatchObject({
      event: "on_node_end",
      data: { node: "planner", details: { status: "completed_on_finalize" }, raw: { source: "stream_finalize" } },
    })
    expect(frames[1]).toMatchObject({
      event: "run_complete",
      data: { status: "DONE", details: { run_duration_ms: 99 } },
    })
    expect(frames[1]?.data.node_states.planner).toBe("completed")
  })

  it("says at the end what to look at", () => {
    const [frame] = project([created, { ...completed, warning: "Look at it." }]).slice(-1)
    expect(frame?.data).toMatchObject({
      ...{ message: "Run complete, with a warning.", severity: "warn", hint: "Look at it." },
      details: { warning: "Look at it." },
    })
  })

  it("ends a failure with one error of the node that was at work, and no run_complete", () => {
    const frames = project([created, started, failed])
    expect(frames.at(-1)).toMatchObject({
      event: "error",
      data: {
        node: "planner",
        state: "error",
        severity: "error",
        error_type: "rate_limit",
        hint: "Wait.",
        node_states: { planner: "error", architect: "idle" },
        activity_by_node_id: { planner: 0 },
        raw: { type: "rate_limit" },
      },
    })
    expect(frames.filter(({ event }) => event === "run_complete")).toEqual([])
  })

  it("tells events that it doesn't know, and those it can't read, as warnings that change nothing", () => {
    const strange = { type: "moon_rose", run_id: "run_1" } as unknown as NewEvent
    const broken = { type: "node_started", run_id: "run_1", node: 7 } as unknown as NewEvent
    const frames = project([created, started, strange, broken]).slice(-2)
    expect(frames.map(({ data }) => [data.kind, data.severity])).toEqual([
      ["unhandled_mode", "warn"],
      ["parse_error", "warn"],
    ])
    expect(frames[1]?.data.node_states).toEqual({ planner: "active", architect: "idle", coder: "idle" })
  })

  it("goes on after any cursor with exactly the frames that come after it", () => {
    const all = project([created, started, text, finished, completed])
    for (const [index, { id }] of all.entries()) {
      expect(all.filter((frame) => isAfter(frame.id, id))).toEqual(all.slice(index + 1))
    }
    expect(isAfter("2.10", "2.9")).toBe(true)
    expect(isAfter("10.1", "9.5")).toBe(true)
  })
})

function project(events: NewEvent[]): StreamFrame[] {
  let view = beginStream("run_1", "default")
  return events.flatMap((event, index) => {
    const place = { seq: index + 1, event_id: `evt_${index}`, ts: "2026-01-01T00:00:00.000Z", run_id: "run_1" }
    const told = projectEvent(view, { ...event, ...place } as LogEvent)
    view = told.view
    return told.frames
  })
}
