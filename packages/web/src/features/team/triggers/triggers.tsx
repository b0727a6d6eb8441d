import type { TeamTrigger } from "@switchyard/core/work/teams/trigger-schema"
import { useState } from "react"
import { useStudio, useTold } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { momentOf } from "../../../ui/time.ts"
import { oneTrigger } from "../data/responses.ts"
import { TriggerDialog } from "./trigger-dialog.tsx"

interface Props {
  teamId: string
  triggers: TeamTrigger[]
  /** Why nothing can be changed now; null if it can. */
  blocked: string | null
}

/** The triggers that wake a team later. Nothing if there are none and none can be added. */
export function Triggers({ teamId, triggers, blocked }: Props) {
  const [adding, setAdding] = useState(false)
  if (triggers.length === 0 && blocked !== null) return null
  return (
    <section aria-label="Triggers" className="max-h-48 overflow-y-auto max-lg:shrink-0 border-t border-line px-4 py-2">
      <div className="flex items-center justify-between gap-4">
        <h3 className="text-sm font-semibold">Triggers</h3>
        <Button size="sm" disabled={blocked !== null} onClick={() => setAdding(true)}>
          Add trigger
        </Button>
      </div>
      {triggers.length === 0 ? (
        <p className="pb-1 text-sm text-ink-3">
          No triggers yet. A trigger wakes the team at a set time or interval, when it's idle, or when a webhook is
          called.
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {triggers.map((trigger) => (
            <TriggerRow key={trigger.id} teamId={teamId} trigger={trigger} blocked={blocked} />
          ))}
        </ul>
      )}
      {adding && <TriggerDialog teamId={teamId} onClose={() => setAdding(false)} />}
    </section>
  )
}

function TriggerRow({ teamId, trigger, blocked }: Pick<Props, "teamId" | "blocked"> & { trigger: TeamTrigger }) {
  const { api } = useStudio()
  const told = useTold()
  const { id, action, status } = trigger
  const path = { id: teamId, trigger: id }
  const cancel = () => told(api.call("DELETE /api/v1/teams/{id}/triggers/{trigger}", { path, response: oneTrigger }))
  const what = action.type === "run_node" ? `Rerun ${action.node_id}` : action.message
  return (
    <li className="flex items-center gap-4 py-1.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="truncate" title={what}>
          {what}
        </p>
        <p className="truncate text-ink-3 nums">
          {whenWords(trigger)} · {stateWords(trigger)}
        </p>
      </div>
      {status === "active" && (
        <Button size="sm" tone="quiet" disabled={blocked !== null} onClick={cancel}>
          Cancel
        </Button>
      )}
    </li>
  )
}

const events: Record<string, string> = {
  work_node_created: "When a node is created",
  work_node_checkpointed: "When a node reaches a checkpoint",
  work_node_completed: "When a node completes",
  work_node_failed: "When a node fails",
  question_asked: "When an agent asks a question",
}

/** Describes when a trigger fires. */
function whenWords({ when }: Pick<TeamTrigger, "when">): string {
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
      return `When idle for ${durationWords(when.idle_seconds)}`
    case "webhook":
      return "Webhook"
  }
}

/** Describes a trigger's state: when it fires next, or that it has ended. */
function stateWords({ status, next_at, firings }: TeamTrigger): string {
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
