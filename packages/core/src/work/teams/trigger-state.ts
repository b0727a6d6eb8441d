import type { EventOf, LogEvent } from "../../events.ts"
import type { TriggerAction, TriggerStatus, TriggerWhen } from "./trigger-schema.ts"

/** State of a trigger, as needed by the team's rules. */
export interface TriggerState {
  triggerId: string
  when: TriggerWhen
  action: TriggerAction
  status: TriggerStatus
  /** Time at which the trigger fires next. Null unless the trigger waits for a time. */
  nextAt: string | null
  firings: number
  firedAt: string | null
  /** Sequence numbers of matching events for which the trigger hasn't fired yet. */
  matches: number[]
  /** IDs of the newest webhook deliveries. A repeated delivery doesn't fire the trigger again. */
  deliveries: string[]
  /** Newest firings of the trigger that are sent to the owner's webhooks. */
  calls: { firing: number; at: string }[]
}

export interface Triggers {
  [triggerId: string]: TriggerState
}

const MAX_ENDED = 10
const MAX_MATCHES = 20
const MAX_DELIVERIES = 50
const MAX_CALLS = 20

/** Returns the triggers after an event. While the team is idle, `on_idle` triggers have a due time. */
export function foldTriggers(triggers: Triggers, event: LogEvent, idleSince: string | null): Triggers {
  const folded = Object.values(changed(triggers, event)).map((trigger): [string, TriggerState] => {
    const isForIdle = trigger.status === "active" && trigger.when.type === "on_idle"
    return [trigger.triggerId, isForIdle ? { ...trigger, nextAt: idleTime(trigger, idleSince) } : trigger]
  })
  return Object.fromEntries(folded)
}

/** Returns the due time of the next trigger, or undefined if no trigger waits for a time. */
export function nextDue(triggers: Triggers): string | undefined {
  return activeTriggers(triggers)
    .flatMap(({ nextAt }) => nextAt ?? [])
    .sort()[0]
}

/**
 * Returns the time at which an `on_idle` trigger fires. Null if the team isn't idle, or if the trigger has already
 * fired since the team became idle.
 */
function idleTime({ when, firedAt }: TriggerState, idleSince: string | null): string | null {
  if (when.type !== "on_idle" || idleSince === null || (firedAt !== null && firedAt > idleSince)) return null
  return new Date(Date.parse(idleSince) + when.idle_seconds * 1000).toISOString()
}

function changed(triggers: Triggers, event: LogEvent): Triggers {
  switch (event.type) {
    case "trigger_created":
      return { ...withoutOldest(triggers), [event.trigger_id]: created(event) }
    case "trigger_fired":
      return change(triggers, event.trigger_id, (trigger) => fired(trigger, event))
    case "trigger_cancelled":
      return change(triggers, event.trigger_id, () => ({ status: "cancelled", nextAt: null, matches: [] }))
    default:
      return matched(triggers, event)
  }
}

export function activeTriggers(triggers: Triggers): TriggerState[] {
  return Object.values(triggers).filter(({ status }) => status === "active")
}

/**
 * Returns true if outsiders may have triggered work of the team, because one of its webhook triggers is active or has
 * fired.
 */
export function hasWebhook(triggers: Triggers): boolean {
  return Object.values(triggers).some(
    ({ when, status, firings }) => when.type === "webhook" && (status === "active" || firings > 0),
  )
}

function matched(triggers: Triggers, { type, seq }: LogEvent): Triggers {
  const waiting = activeTriggers(triggers).filter(({ when }) => when.type === "on_event" && when.event === type)
  return waiting.reduce(
    (all, { triggerId }) =>
      change(all, triggerId, ({ matches }) => ({ matches: [...matches, seq].slice(-MAX_MATCHES) })),
    triggers,
  )
}

function fired(trigger: TriggerState, event: EventOf<"trigger_fired">): Partial<TriggerState> {
  const { next_at: nextAt, delivery_id, ts: firedAt } = event
  const repeats = ["on_event", "on_idle", "webhook"].includes(trigger.when.type)
  const status = nextAt === null && !repeats ? ("fired" as const) : trigger.status
  const deliveries = delivery_id ? [...trigger.deliveries, delivery_id].slice(-MAX_DELIVERIES) : trigger.deliveries
  const called = trigger.action.type === "run_callback" ? [{ firing: event.firing, at: firedAt }] : []
  const calls = [...trigger.calls, ...called].slice(-MAX_CALLS)
  return { nextAt, status, firings: event.firing, firedAt, matches: [], deliveries, calls }
}

function created({ trigger_id: triggerId, when, action, next_at: nextAt }: EventOf<"trigger_created">): TriggerState {
  const nothing = { firings: 0, firedAt: null, matches: [], deliveries: [], calls: [] }
  return { triggerId, when, action, status: "active", nextAt, ...nothing }
}

/** Drops the oldest of the triggers that have ended. */
function withoutOldest(triggers: Triggers): Triggers {
  const ended = Object.values(triggers).filter(({ status }) => status !== "active")
  const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED)).map(({ triggerId }) => triggerId))
  return Object.fromEntries(Object.entries(triggers).filter(([id]) => !forgotten.has(id)))
}

function change(triggers: Triggers, id: string, how: (trigger: TriggerState) => Partial<TriggerState>): Triggers {
  const trigger = Object.hasOwn(triggers, id) ? triggers[id] : undefined
  return trigger ? { ...triggers, [id]: { ...trigger, ...how(trigger) } } : triggers
}
