import type { Session, SessionList } from "../../api/session.ts"

/** The list is refetched this often after an error, or while a session is active. */
const SOON_MS = 5_000

/** The sessions of all pages, each once: one that moved between two requests is on two. */
export function joinPages(pages: Pick<SessionList, "sessions">[]): Session[] {
  const byId = new Map<string, Session>()
  for (const session of pages.flatMap(({ sessions }) => sessions)) byId.set(session.id, byId.get(session.id) ?? session)
  return [...byId.values()]
}

/** The milliseconds until the pages are requested again; false where that waits for a change. */
export function refetchesIn(status: "pending" | "error" | "success", pages: Pick<SessionList, "sessions">[]) {
  const active = pages.some(({ sessions }) => sessions.some((session) => session.active))
  return status === "error" || active ? SOON_MS : false
}
