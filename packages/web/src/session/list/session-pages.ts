import type { Session, SessionList } from "../../api/session.ts"

/** Refetch interval of the list after an error. */
const SOON_MS = 5_000
/** The same after a success. Active sessions' changes arrive over the stream, but no other client's new sessions do. */
const LATER_MS = 60_000

/** Merges the pages and removes duplicates: a session that moved between two requests appears twice. */
export function joinPages(pages: Pick<SessionList, "sessions">[]): Session[] {
  const byId = new Map<string, Session>()
  for (const session of pages.flatMap(({ sessions }) => sessions)) byId.set(session.id, byId.get(session.id) ?? session)
  return [...byId.values()]
}

/** Returns the milliseconds until the pages are refetched; false while they are first loaded. */
export function refetchesIn(status: "pending" | "error" | "success"): number | false {
  return { pending: false as const, error: SOON_MS, success: LATER_MS }[status]
}
