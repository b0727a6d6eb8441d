import type { Session } from "../../api/session.ts"

export interface SessionGroup {
  title: string
  sessions: Session[]
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" })
const month = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" })
const DAYS_BY_NAME = 7

/**
 * Groups sessions: those that need the user, those that are working, pinned ones, and the rest by the day of their last
 * activity.
 */
export function groupSessions(sessions: Session[], now = new Date()): SessionGroup[] {
  const groups = new Map<string, Session[]>([
    ["Needs you", []],
    ["Working", []],
    ["Pinned", []],
  ])
  const titled = sessions.map((session) => ({ title: titleOf(session, now), session }))
  for (const { title, session } of titled) groups.set(title, [...(groups.get(title) ?? []), session])
  return [...groups].filter(([, found]) => found.length > 0).map(([title, found]) => ({ title, sessions: found }))
}

/** Sorts by last activity, ignoring pins. */
export function lastActiveFirst(sessions: Session[]): Session[] {
  return sessions.toSorted((a, b) => b.last_activity.localeCompare(a.last_activity))
}

function titleOf({ status, pinned, last_activity }: Session, now: Date): string {
  if (status === "needs_input") return "Needs you"
  if (status === "busy" || status === "waiting") return "Working"
  return pinned ? "Pinned" : dayTitle(new Date(last_activity), now)
}

function dayTitle(at: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000)
  if (days <= 0) return "Today"
  if (days === 1) return "Yesterday"
  return days < DAYS_BY_NAME ? weekday.format(at) : month.format(at)
}

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}
