import type { EventOf, LogEvent } from "../events.ts"
import type { SessionState } from "../state.ts"
import type { Part } from "./part.ts"

export interface SessionPart {
  /** Number of times that the session was opened; initially 0. Incarnations never share files. */
  incarnation: number
  deleted: boolean
  /** Event that opened or deleted the session. All earlier events are irrelevant. */
  since: { seq: number; ts: string } | null
  /** Name given by the owner. */
  name: string | null
  /** True if listed before all unpinned sessions. */
  pinned: boolean
  /** True if hidden from lists. Absent in snapshots of older servers, like `viewedSeq`. */
  archived?: boolean
  /** Event of the last `session_viewed`. Absent if there was none. */
  viewedSeq?: number
  /** Short form of the first run's request. */
  title: string | null
  /** Project name from the first plan. */
  projectName: string | null
  /** Repository that the session's agents work in, or null for the session's own workspace. */
  repository: string | null
}

/** Maximum length of a project name, so that the state remains small whatever a model answers. */
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
        // Use the first title that isn't empty, because a run without a title doesn't describe the session.
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

/** Returns the project name in a plan, or null if the plan was too large to be stored in the log. */
function plannedName({ update }: EventOf<"node_finished">): string | null {
  return "plan" in update && update.plan ? update.plan.name.slice(0, MAX_NAME_CHARS) : null
}

/** True if the event ends everything that came before it in the session. */
export function resetsSession({ type }: LogEvent): boolean {
  return type === "session_opened" || type === "session_deleted"
}

/** Types of events that only change the session's place in lists. */
const LISTING: ReadonlySet<string> = new Set([
  ...["session_renamed", "session_pinned", "session_archived", "session_viewed"],
])

/** True if the event only changes the session's place in lists. Such an event doesn't count as activity. */
export function isListing({ type }: LogEvent): boolean {
  return LISTING.has(type)
}

export function isLive({ session }: SessionState): boolean {
  return session.incarnation > 0 && !session.deleted
}
