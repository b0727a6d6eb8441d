import { isoTime } from "../../time.ts"
import type { AgentEvent } from "../clis/protocol.ts"
import type { Problem } from "../clis/schema.ts"
import { asNumber, asObject, type JsonObject } from "./json-protocol.ts"

type Quota = Extract<AgentEvent, { type: "quota" }>

/** Limits of an account, as last reported by an app server. */
export interface AppServerLimits {
  updated(limits: JsonObject): Quota[]
  /**
   * Adds the reset time to a problem. This is the last reset of all limits that are used up, or else the time in the
   * message. `endedAt` is in Unix seconds.
   */
  withReset(problem: Problem, endedAt: number | null): Problem
}

export function createAppServerLimits(): AppServerLimits {
  let latest: Quota[] = []
  return {
    updated(limits) {
      latest = quotas(limits)
      return latest
    },
    withReset(problem, endedAt) {
      if (problem.kind !== "quota_exhausted" || problem.resets_at !== undefined) return problem
      const resets = latest.flatMap(({ usedPercent, resetsAt }) => (usedPercent >= 100 && resetsAt ? [resetsAt] : []))
      const resets_at = resets.sort().at(-1) ?? resetInWords(problem.message, endedAt)
      return { ...problem, ...(resets_at && { resets_at }) }
    },
  }
}

function quotas(limits: JsonObject): Quota[] {
  return [limits.primary, limits.secondary].flatMap((limit): Quota[] => {
    const { usedPercent, windowDurationMins, resetsAt } = asObject(limit)
    const used = asNumber(usedPercent)
    const seconds = asNumber(resetsAt)
    const minutes = asNumber(windowDurationMins)
    if (used === null) return []
    const window = minutes === 300 ? "five_hour" : minutes === 10_080 ? "seven_day" : `${minutes ?? "unknown"} minutes`
    return [
      {
        type: "quota",
        window,
        usedPercent: used,
        resetsAt: seconds === null ? null : isoTime(seconds * 1000),
      },
    ]
  })
}

/** Parses local times without seconds: "…try again at 3:31 PM." for the same day, or "at Dec 1st, 2026 11:20 PM". */
function resetInWords(message: string, endedAt: number | null): string | null {
  const found = /\btry again at (?:([A-Z][a-z]{2} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d{2} [AP]M)/.exec(
    message,
  )
  if (!found || endedAt === null) return null
  const [, day, year, time] = found
  const date = day ? `${day}, ${year}` : new Date(endedAt * 1000).toDateString()
  return isoTime(Date.parse(`${date} ${time}`) + 60_000)
}
