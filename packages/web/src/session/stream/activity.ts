import type { EventOfType, StudioEvent } from "./event.ts"
import { MAIN } from "./run.ts"

/**
 * Each agent's current activity in a few words, by agent ID. Not part of the view, because these events are too
 * frequent.
 */
export type Activity = ReadonlyMap<string, string>

export const noActivity: Activity = new Map()

/** Returns the activity after one more event; the same object if the event doesn't affect it. */
export function reduceActivity(activity: Activity, event: StudioEvent): Activity {
  const { agent_id: agent = MAIN } = event
  switch (event.type) {
    case "tool_call_started":
      return event.node === undefined ? new Map(activity).set(agent, labelOf(event)) : activity
    case "assistant_message":
      return new Map(activity).set(agent, "Writing")
    case "agent_turn_started":
      return new Map(activity).set(agent, "Thinking")
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
    case "agent_closed":
      return without(activity, agent)
    default:
      return activity
  }
}

const verbs: Record<string, string> = { read: "Reading", write: "Writing", edit: "Editing" }

function labelOf({ tool, name, path, command }: EventOfType<"tool_call_started">): string {
  if (command !== undefined) return `Running ${command}`
  if (path !== undefined) return `${verbs[tool] ?? "Using"} ${path}`
  return tool === "grep" || tool === "glob" ? "Searching" : `Using ${name ?? tool}`
}

function without(activity: Activity, agent: string): Activity {
  if (!activity.has(agent)) return activity
  const rest = new Map(activity)
  rest.delete(agent)
  return rest
}
