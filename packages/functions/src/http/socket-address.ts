import { type MergedCursor, parseMergedCursor } from "@switchyard/core/sessions/events/merged-stream"
import { parseSources, type StreamSource } from "./shared-stream.ts"

/**
 * Source of a socket's messages: a session, a team's events (`id` is the ID of the team's session), or any number of
 * sources.
 */
export type SocketSubject =
  | { type: "session"; id: string; cursor: MergedCursor }
  | { type: "team"; id: string; cursor: MergedCursor }
  | { type: "shared"; sources: StreamSource[] }

const SHARED = /^(?:\/api\/v1)?\/ws$/
const SESSION = /^(?:\/api\/v1)?\/ws\/([A-Za-z0-9_-]{1,128})$/
const TEAM = /^(?:\/api\/v1\/teams|\/agents)\/([A-Za-z0-9_-]{1,128})\/events$/

/**
 * True if a socket can be opened at this path: `/ws`, `/ws/{session}`, `/agents/{team}/events`, and the same paths
 * under `/api/v1`.
 */
export function isSocketPath(path: string): boolean {
  return [SHARED, SESSION, TEAM].some((pattern) => pattern.test(path))
}

/**
 * Parses a socket's subject from its address. Throws `validation_error` if the query contains an invalid position or no
 * sources.
 */
export function parseSocketAddress(path: string, query: URLSearchParams): SocketSubject {
  if (SHARED.test(path)) return { type: "shared", sources: parseSources(query.get("sources") ?? "") }
  const cursor = parseMergedCursor(query.get("since_seq") ?? query.get("since") ?? undefined)
  const team = TEAM.exec(path)?.[1]
  if (team !== undefined) return { type: "team", id: team, cursor }
  return { type: "session", id: SESSION.exec(path)?.[1] ?? "", cursor }
}

/** Returns the grant that a ticket must contain to open this socket. */
export function ticketGrantOf(subject: SocketSubject): { purpose: "ws" | "stream"; resource: string } {
  return subject.type === "shared" ? { purpose: "stream", resource: "all" } : { purpose: "ws", resource: subject.id }
}
