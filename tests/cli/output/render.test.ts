import { SessionEvent } from "@switchyard/core/events"
import { render } from "switchyard/output/render"
import { emptyStatus, fileText, reduceStatus } from "switchyard/output/status-view"
import { describe, expect, it } from "vitest"

const base = { run_id: "run_1", agent_id: "main" }
const visit = { ...base, node: "coder", iteration: 1, namespace: [], step: 3, task_id: "t", triggers: [] }
const plan = { name: "todo", description: "", techstack: "", features: [], files: [{ path: "a.js", purpose: "" }] }
const step = (file_path: string) => ({ file_path, task_description: "" })
const ref = { sha256: "x", size_bytes: 40_000, key: "k" }

const of = (event: object) => SessionEvent.parse(event)
const finished = (node: string, update: object) =>
  of({ ...visit, type: "node_finished", node, duration_ms: 1234, update })
const run = (type: string, fields: object = {}) => of({ ...base, type, ...fields })

const LIMIT = "Your plan at Groq allows 8,000 tokens a minute."

describe("a line", () => {
  it.each([
    [of({ ...visit, type: "node_started", node: "planner" }), "planner: Planner started"],
    [finished("planner", { plan }), "planner: Planner finished: 1 file planned  1.2 s"],
    [
      finished("architect", { task_plan: { implementation_steps: [step("a"), step("b")] } }),
      "architect: Architect finished: 2 steps  1.2 s",
    ],
    [finished("coder", { file_path: "a.js", current_step_idx: 2, total_steps: 4 }), "coder: File 2 of 4: a.js  1.2 s"],
    [finished("coder", { status: "DONE", total_steps: 4 }), "coder: Coder finished: 4 of 4 files  1.2 s"],
    [finished("planner", ref), "planner: Planner finished  1.2 s"],
    [
      of({ ...visit, type: "model_retried", error_type: "rate_limit", attempt: 2, wait_ms: 90_000 }),
      "coder: The model provider's rate limit was reached  attempt 2 · retrying in 1 min 30 s",
    ],
    [
      of({ ...visit, type: "model_retried", error_type: "rate_limit", attempt: 1, wait_ms: 35_000, reason: LIMIT }),
      `coder: ${LIMIT}  attempt 1 · retrying in 35.0 s`,
    ],
    [
      of({ ...visit, type: "answer_rejected", path: "a.js", reason: "It saved nothing." }),
      "coder: Model answer couldn't be used: a.js: It saved nothing.",
    ],
    [of({ ...visit, type: "tool_call_started", tool_call_id: "t", tool: "write", path: "a.js" }), "coder: write a.js"],
    [of({ ...visit, type: "tool_call_started", tool_call_id: "t", tool: "glob" }), "coder: glob"],
    [
      run("run_created", { kind: "workflow", model: "scripted/demo", input: ref }),
      "system: Run started  scripted/demo",
    ],
    [run("run_claimed", { generation: 1, executor: "e" }), "system: Run picked up  e"],
    [run("run_claimed", { generation: 2, executor: "e" }), "system: Run continues  e"],
    [run("run_relaunched", { attempt: 2, reason: "no sign" }), "system: Restarted: no sign  attempt 2"],
    [
      run("runner_awaited", { generation: 1, attempt: 1, phase: "waiting", reason: "all places are taken" }),
      "system: No runner available yet: all places are taken",
    ],
    [run("runner_awaited", { generation: 1, attempt: 2, phase: "requested" }), "system: Runner requested  attempt 2"],
    [run("run_handed_over", { generation: 1 }), "system: Moved to another executor"],
    [run("run_parked", { generation: 1, reason: "limit" }), "system: Waiting: limit"],
    [run("run_resumed"), "system: Run resumed"],
    [run("run_cancel_requested", { reason: "asked for" }), "system: Stop requested"],
    [run("run_completed", { duration_ms: 5000, workspace_version: 3 }), "system: Run complete  5.0 s"],
    [
      run("run_completed", { duration_ms: 5000, workspace_version: 3, warning: "Look at it." }),
      "system: Run complete, with a warning: Look at it.  5.0 s",
    ],
    [
      run("run_failed", { duration_ms: 1, error_type: "auth_error", message: "No key.", hint: "Set one." }),
      "system: No key. Set one.  auth_error · 1 ms",
    ],
    [run("run_cancelled", { duration_ms: 100, reason: "asked for" }), "system: Run stopped  100 ms"],
    [of({ type: "session_deleted", incarnation: 1, reason: "request" }), "system: Session deleted"],
  ])("%# tells %o", (event, expected) => {
    const line = render(event)
    expect(`${line?.who}: ${line?.text}`).toBe(expected)
  })

  it("tells each kind of change that a commit made, and only the first of many", () => {
    const commit = (changes: unknown) =>
      render(of({ ...base, type: "workspace_committed", version: 1, manifest: "m", changes }))?.text
    const write = (path: string) => ({ op: "write", path, size_bytes: 1500 })
    expect(commit([write("a")])).toBe("a saved  version 1")
    expect(commit([{ op: "delete", path: "a" }])).toBe("a deleted  version 1")
    expect(commit([{ op: "rename", path: "b", from_path: "a" }])).toBe("b renamed  version 1")
    expect(commit([{ op: "make_folder", path: "a" }])).toBe("a created  version 1")
    expect(commit("abcdefg".split("").map((path) => ({ op: "write", path })))).toMatch(
      /^a saved, .*e saved and 2 more {2}version 1$/,
    )
    expect(commit(ref)).toBe("Many files saved  version 1")
  })

  it("is silent about model text, usage and tools that did well", () => {
    const usage = { input: null, cache_read: null, cache_write: null, output: null }
    const tool = { ...visit, type: "tool_call_finished", tool_call_id: "t", duration_ms: 1, llm_summary: "" }
    expect(render(of({ ...visit, type: "model_text", text: "x", lengths: [1] }))).toBeUndefined()
    expect(render(of({ ...visit, type: "model_usage", model: "m", usage }))).toBeUndefined()
    expect(render(of({ ...tool, exit_code: null }))).toBeUndefined()
    expect(render(of({ ...tool, exit_code: 3 }))?.text).toBe("exit 3 · 1 ms")
  })
})

describe("progress", () => {
  const started = of({ ...visit, type: "node_started" })
  const architect = finished("architect", { task_plan: { implementation_steps: [step("a.js"), step("b.js")] } })
  const wrote = (done: number) =>
    finished("coder", { file_path: done === 1 ? "a.js" : "b.js", current_step_idx: done, total_steps: 2 })
  const text = (...events: SessionEvent[]) => fileText(events.reduce(reduceStatus, emptyStatus))

  it("tells which file is being written, and nothing between files", () => {
    expect(text(started)).toBeUndefined()
    expect(text(architect)).toBeUndefined()
    expect(text(architect, started)).toBe("file 1/2  a.js")
    expect(text(architect, started, wrote(1))).toBeUndefined()
    expect(text(architect, started, wrote(1), started)).toBe("file 2/2  b.js")
    expect(text(architect, started, wrote(1), started, wrote(2), started)).toBeUndefined()
  })

  it("takes a path from the write where the steps were not told", () => {
    const write = of({ ...visit, type: "tool_call_started", tool_call_id: "t", tool: "write", path: "late.js" })
    expect(text(wrote(1), started)).toBe("file 2/2")
    expect(text(wrote(1), started, write)).toBe("file 2/2  late.js")
    expect(text(architect, started, write)).toBe("file 1/2  a.js")
  })

  it("counts what the model has written in this visit", () => {
    const said = of({ ...visit, type: "model_text", text: "12345", lengths: [5] })
    expect([started, said, said].reduce(reduceStatus, emptyStatus).characters).toBe(10)
    expect([started, said, started].reduce(reduceStatus, emptyStatus).characters).toBe(0)
  })
})
