import type { Session, SessionList } from "../../api/session.ts"

/** Refetch interval of the list after an error, or while a session is active. */
const SOON_MS = 5_000

/** Merges the pages and removes duplicates: a session that moved between two requests appears twice. */
export function joinPages(pages: Pick<SessionList, "sessions">[]): Session[] {
  const byId = new Map<string, Session>()
  for (const session of pages.flatMap(({ sessions }) => sessions)) byId.set(session.id, byId.get(session.id) ?? session)
  return [...byId.values()]
}

/** Returns the milliseconds until the pages are refetched; false to wait for a change. */
export function refetchesIn(status: "pending" | "error" | "success", pages: Pick<SessionList, "sessions">[]) {
  const active = pages.some(({ sessions }) => sessions.some((session) => session.active))
  return status === "error" || active ? SOON_MS : false
}
