import type { NewEvent } from "@switchyard/core/events"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { liveSession, type Stage, signal } from "./stage.ts"

/** Words that a model writes in a quarter of a second, which an executor gathers into one event. */
const WORDS_GATHERED = 15
const GATHERED_A_FILE = 40
const FILES_A_RUN = 10

/**
 * Creates a session of exactly this many events, as executors write them: runs of ten files, each with ten seconds of
 * model text, a tool call and a commit. Events written at the same time form one batch.
 */
export async function longSession(stage: Stage, events: number): Promise<SessionLog> {
  const session = await liveSession(stage)
  await fillSession(session, events)
  return session
}

/** Appends runs to a session until it has exactly this many events. */
export async function fillSession(session: SessionLog, events: number): Promise<void> {
  let left = events - session.state.head
  for (let run = 0; left > 0; run++) {
    for (const batch of runBatches(`run_${String(run).padStart(26, "0")}`, session.state.workspace.version)) {
      const said = batch.slice(0, left)
      left -= said.length
      if (said.length > 0) await session.decide(() => said, { signal })
    }
  }
}

/** Returns a model's text of a quarter of a second. */
export function words(iteration: number): NewEvent {
  const pieces = Array.from({ length: WORDS_GATHERED }, (_, index) => `word${index} `)
  const lengths = pieces.map((piece) => piece.length)
  return { type: "model_text", ...ofNode("run_0123456789abcdefghijklmnop", iteration), text: pieces.join(""), lengths }
}

function* runBatches(run_id: string, version: number): Generator<NewEvent[]> {
  const run = { run_id, agent_id: "main" }
  const input = { user_prompt: "Make a thing that does something.", recursion_limit: 100 }
  yield [{ type: "run_created", ...run, kind: "workflow", model: "scripted/bench", input }]
  yield [{ type: "run_claimed", ...run, generation: 1, executor: "bench" }]
  for (let file = 1; file <= FILES_A_RUN; file++) yield* fileBatches(run_id, file, version + file)
  yield [{ type: "run_completed", ...run, duration_ms: 100_000, workspace_version: version + FILES_A_RUN }]
}

function* fileBatches(run_id: string, file: number, version: number): Generator<NewEvent[]> {
  const node = ofNode(run_id, file)
  const task = { step: file, task_id: "0f2ce5a6-33dc-5d5c-8a5c-31d6f6b0f9a4" }
  const path = `src/file-${file}.ts`
  const sha256 = "0".repeat(63) + (file % 10)
  const call = { tool_call_id: `tc_${file}` }
  yield [{ type: "node_started", ...node, ...task, triggers: ["branch:to:coder"] }]
  for (let said = 0; said < GATHERED_A_FILE; said++) yield [{ ...words(file), run_id }]
  yield [
    { type: "model_usage", ...node, model: "scripted/bench", usage: noUsage },
    { type: "tool_call_started", ...node, ...call, tool: "write", path, file_bytes: 2400, sha256 },
    { type: "tool_call_finished", ...node, ...call, exit_code: 0, duration_ms: 1, llm_summary: `Wrote ${path}.` },
  ]
  const change = { op: "write" as const, path, sha256, size_bytes: 2400 }
  yield [
    {
      type: "workspace_committed",
      run_id,
      agent_id: "main",
      version,
      manifest: sha256,
      changes: [change],
      step: `coder:${file}:${path}`,
    },
  ]
  const update = { file_path: path, current_step_idx: file, total_steps: FILES_A_RUN }
  yield [{ type: "node_finished", ...node, ...task, duration_ms: 10_000, update }]
}

function ofNode(run_id: string, iteration: number) {
  return { run_id, agent_id: "main", node: "coder" as const, iteration, namespace: [] }
}

const noUsage = { input: null, cache_read: null, cache_write: null, output: null }
