import { Cron } from "croner"
import { AppError } from "../../../errors.ts"
import { refused } from "../refusals.ts"
import type { TriggerWhen } from "../trigger-schema.ts"

const MAX_MISSED = 1000

/** Returns the first time at which a trigger created at `now` fires, or null if the trigger doesn't depend on time. */
export function firstTime(when: TriggerWhen, now: number): string | null | AppError {
  switch (when.type) {
    case "delayed":
      return isoTime(now + when.delay_seconds * 1000)
    case "at_time":
      return isoTime(Date.parse(when.at))
    case "heartbeat":
      return isoTime(now + when.interval_seconds * 1000)
    case "scheduled": {
      const cron = parseCron(when)
      if (cron instanceof AppError) return cron
      return cron.nextRun(new Date(now))?.toISOString() ?? refused(`${when.cron} never occurs.`)
    }
    default:
      return null
  }
}

/**
 * Returns the next due time of a trigger that was due at `dueAt`, and the number of times missed in between. The next
 * time is null if there is none. A single firing covers all missed times.
 */
export function nextTime(when: TriggerWhen, dueAt: string, now: number): { next: string | null; missed: number } {
  const due = Date.parse(dueAt)
  if (when.type === "heartbeat") {
    const interval = when.interval_seconds * 1000
    const missed = Math.max(0, Math.floor((now - due) / interval))
    return { next: isoTime(due + (missed + 1) * interval), missed }
  }
  const cron = when.type === "scheduled" ? parseCron(when) : undefined
  if (!cron || cron instanceof AppError) return { next: null, missed: 0 }
  let missed = 0
  let next = cron.nextRun(new Date(due))
  while (next && next.getTime() <= now && missed < MAX_MISSED) {
    missed++
    next = cron.nextRun(next)
  }
  if (next && next.getTime() <= now) next = cron.nextRun(new Date(now))
  return { next: next?.toISOString() ?? null, missed }
}

function parseCron({ cron, timezone }: Extract<TriggerWhen, { type: "scheduled" }>): Cron | AppError {
  try {
    const parsed = new Cron(cron, { timezone, mode: "5-part", paused: true })
    // Throws if the time zone is unknown.
    parsed.nextRun()
    return parsed
  } catch (error) {
    const reason = error instanceof Error ? error.message : "It can't be parsed."
    return refused(`${cron} in ${timezone} is not a valid schedule. ${reason}`)
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
