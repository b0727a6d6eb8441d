import { type KindAndInput, runKinds, summaryOf } from "../../work/runs/kinds.ts"
import type { ApiEvent } from "../schema.ts"

/** Event names that clients of similar servers expect, and our event types with the same content. */
const OTHER_NAMES: { [name: string]: { types: string[]; toOther: (event: ApiEvent) => object } } = {
  session_started: { types: ["run_created"], toOther: sessionStarted },
  session_ended: { types: ["run_completed", "run_failed", "run_cancelled"], toOther: sessionEnded },
}

/**
 * Returns the event types with these names, and a function that converts events to the requested format. If an event
 * was also requested under its own name, it keeps that name.
 */
export function namedEvents(names: string[]): { types: Set<string>; toNamed: (event: ApiEvent) => ApiEvent } {
  const asked = new Set(names)
  const others = Object.entries(OTHER_NAMES).filter(([name]) => asked.has(name))
  const types = new Set([...names, ...others.flatMap(([, { types }]) => types)])
  return {
    types,
    toNamed(event) {
      const other = asked.has(event.type) ? undefined : others.find(([, { types }]) => types.includes(event.type))
      if (!other) return event
      const { event_id, seq, ts, session_id, run_id, agent_id, turn_id } = event
      const about = { event_id, seq, ts, session_id, run_id, agent_id, ...(turn_id !== undefined && { turn_id }) }
      return { ...about, type: other[0], ...other[1].toOther(event) }
    },
  }
}

function sessionStarted({ kind, input, repository, model }: ApiEvent): object {
  const [provider, name] = String(model).split(/\/(.*)/s)
  const summary = Object.hasOwn(runKinds, String(kind)) ? summaryOf({ kind, input } as KindAndInput) : undefined
  return {
    task_description: summary?.words ?? "",
    project_path: repository ?? null,
    coding_provider: provider,
    coding_account: summary?.program?.account ?? null,
    coding_model: name === "default" ? null : name,
  }
}

function sessionEnded({ type, message }: ApiEvent): object {
  const reasons: { [type: string]: string } = { run_completed: "completed", run_cancelled: "cancelled" }
  return { success: type === "run_completed", reason: reasons[type] ?? `error: ${message}` }
}
