import type { TeamTrigger } from "@switchyard/core/work/teams/trigger-schema"
import { momentOf } from "../../../ui/time.ts"

const events: Record<string, string> = {
  work_node_created: "When a node is created",
  work_node_checkpointed: "When a node has a checkpoint",
  work_node_completed: "When a node is completed",
  work_node_failed: "When a node fails",
  question_asked: "When a question is asked",
}

/** The moment at which a trigger fires, in words. */
export function whenWords({ when }: Pick<TeamTrigger, "when">): string {
  switch (when.type) {
    case "delayed":
      return "Once"
    case "at_time":
      return "Once"
    case "scheduled":
      return `${when.cron}, ${when.timezone}`
    case "heartbeat":
      return `Every ${durationWords(when.interval_seconds)}`
    case "on_event":
      return events[when.event] ?? when.event
    case "on_idle":
      return `After ${durationWords(when.idle_seconds)} without work`
    case "webhook":
      return "Webhook"
  }
}

/** The state of a trigger in words: when it comes next, or that it has ended. */
export function stateWords({ status, next_at, firings }: TeamTrigger): string {
  if (status === "cancelled") return "Cancelled"
  const fired = firings === 1 ? "fired once" : firings > 1 ? `fired ${firings} times` : null
  if (status === "fired") return fired === null ? "Fired" : capitalized(fired)
  const next = next_at === null ? null : `next ${momentOf(next_at)}`
  return capitalized([next, fired].filter((part) => part !== null).join(", ") || "not fired yet")
}

function durationWords(seconds: number): string {
  for (const [unit, size] of units) {
    if (seconds % size === 0) return seconds === size ? `1 ${unit}` : `${seconds / size} ${unit}s`
  }
  return `${seconds} seconds`
}

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
