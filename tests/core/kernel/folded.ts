import type { NewEvent } from "@switchyard/core/events"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { numberBatch } from "@switchyard/core/log/batch"
import { applyEvent, emptySession, type SessionState } from "@switchyard/core/state"

/** Returns the session's state after these events, which all have the same time. */
export function stateAfter(events: NewEvent[], { at = 1000, state = emptySession } = {}): SessionState {
  if (events.length === 0) return state
  const batch = { batchId: "bat_test", writer: "test", at, events }
  return numberBatch(batch, state.head + 1).events.reduce(applyEvent, state)
}

/** Returns the types of the rule's events, or the code of its refusal. */
export function verdict(rule: Rule, state: SessionState): string[] | string {
  const said = rule(state)
  return Array.isArray(said) ? said.map(({ type }) => type) : said.code
}

const main = { run_id: "run_1", agent_id: "main" }

export const opened = (incarnation = 1): NewEvent => ({ type: "session_opened", session_id: "mine", incarnation })
export const deleted = (incarnation = 1): NewEvent => ({ type: "session_deleted", incarnation, reason: "request" })
export const created = (run_id = "run_1", agent_id = "main"): Extract<NewEvent, { type: "run_created" }> => ({
  type: "run_created",
  run_id,
  agent_id,
  kind: "workflow",
  model: "scripted/demo",
  title: "A page",
  input: { sha256: "0", size_bytes: 0, key: "input" },
})
export const claimed = (generation = 1): NewEvent => ({ type: "run_claimed", ...main, generation, executor: "exe" })
export const relaunched = (attempt: number): NewEvent => ({ type: "run_relaunched", ...main, attempt, reason: "late" })
export const handedOver = (generation = 1): NewEvent => ({ type: "run_handed_over", ...main, generation })
export const parked = (generation = 1): NewEvent => ({ type: "run_parked", ...main, generation, reason: "quota" })
export const resumed = (): NewEvent => ({ type: "run_resumed", ...main })
export const cancelRequested = (reason = "asked"): NewEvent => ({ type: "run_cancel_requested", ...main, reason })
export const completed = (): NewEvent => ({ type: "run_completed", ...main, duration_ms: 1, workspace_version: 0 })
export const failed = (): NewEvent => ({
  type: "run_failed",
  ...main,
  duration_ms: 1,
  error_type: "e",
  message: "m",
  hint: "h",
})
export const cancelled = (): NewEvent => ({ type: "run_cancelled", ...main, duration_ms: 1, reason: "asked" })
export const committed = (version: number, step?: string): NewEvent => ({
  type: "workspace_committed",
  ...(step ? main : {}),
  version,
  manifest: `manifest ${version}`,
  changes: [],
  step,
})
export const nodeFinished = (): NewEvent => ({
  type: "node_finished",
  ...main,
  node: "planner",
  iteration: 1,
  namespace: [],
  step: 1,
  task_id: "t",
  duration_ms: 1,
  update: { sha256: "0", size_bytes: 0, key: "update" },
})
