import type { EventOf, LogEvent } from "../events.ts"
import type { SessionState } from "../state.ts"
import type { Part } from "./part.ts"

export interface SessionPart {
  /** Number of times that the session was opened. Initially 0. Incarnations never share files. */
  incarnation: number
  deleted: boolean
  /** Event that opened or deleted the session. All events before it are irrelevant. */
  since: { seq: number; ts: string } | null
  /** Name given by the owner. */
  name: string | null
  /** True if the session is listed before all sessions that aren't pinned. */
  pinned: boolean
  /** True if the session is hidden from lists. Absent in snapshots from older servers, like `viewedSeq`. */
  archived?: boolean
  /** Sequence number of the last `session_viewed` event. Absent if there was none. */
  viewedSeq?: number
  /** Short form of the request that started the first run. */
  title: string | null
  /** Project name from the first plan. */
  projectName: string | null
  /** Repository that the session's agents work in. Null for the session's own workspace. */
  repository: string | null
}

/** Maximum length of a project name. It keeps the state small, whatever a model answers. */
const MAX_NAME_CHARS = 200

export const sessionPart: Part<SessionPart> = {
  version: 3,
  initial: {
    incarnation: 0,
    deleted: false,
    since: null,
    name: null,
    pinned: false,
    title: null,
    projectName: null,
    repository: null,
  },
  apply(session, event) {
    switch (event.type) {
      case "session_opened":
        return { ...newIncarnation(event), name: event.name ?? null, repository: event.repository ?? null }
      case "session_renamed":
        return { ...session, name: event.name }
      case "session_pinned":
        return { ...session, pinned: event.pinned }
      case "session_archived":
        return { ...session, archived: event.archived }
      case "session_viewed":
        return { ...session, viewedSeq: event.seq }
      case "session_deleted":
        return { ...newIncarnation(event), deleted: true }
      case "run_created": {
        const { title = "", repository = session.repository } = event
        // Use the first title that isn't empty. A run without a title doesn't describe the session.
        return { ...session, title: session.title || title, repository }
      }
      case "node_finished": {
        const projectName = session.projectName ?? plannedName(event)
        return projectName === session.projectName ? session : { ...session, projectName }
      }
      default:
        return session
    }
  },
}

function newIncarnation({ incarnation, seq, ts }: { incarnation: number; seq: number; ts: string }): SessionPart {
  return { ...sessionPart.initial, incarnation, since: { seq, ts } }
}

/** Returns the project name in a plan. Null if the plan was too large to be stored in the log. */
function plannedName({ update }: EventOf<"node_finished">): string | null {
  return "plan" in update && update.plan ? update.plan.name.slice(0, MAX_NAME_CHARS) : null
}

/** True if the event invalidates everything that happened before it in the session. */
export function resetsSession({ type }: LogEvent): boolean {
  return type === "session_opened" || type === "session_deleted"
}

/** Types of events that only change how the session is listed. */
const LISTING: ReadonlySet<string> = new Set([
  ...["session_renamed", "session_pinned", "session_archived", "session_viewed"],
])

/** True if the event only changes how the session is listed. Such an event doesn't count as activity. */
export function isListing({ type }: LogEvent): boolean {
  return LISTING.has(type)
}

export function isLive({ session }: SessionState): boolean {
  return session.incarnation > 0 && !session.deleted
}
