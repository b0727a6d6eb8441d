import type { EventOf, LogEvent } from "../events.ts"
import type { SessionState } from "../state.ts"
import type { Part } from "./part.ts"

export interface SessionPart {
  /** Number of times that the session was opened; initially 0. Incarnations never share files. */
  incarnation: number
  deleted: boolean
  /** Event that opened or deleted the session. Earlier events no longer matter. */
  since: { seq: number; ts: string } | null
  /** Name given by the owner. */
  name: string | null
  /** True if listed before all unpinned sessions. */
  pinned: boolean
  /** Short form of the first run's request. */
  title: string | null
  /** Project name from the first plan. */
  projectName: string | null
  /** Repository that the session's agents work in, or null for the session's own workspace. */
  repository: string | null
}

/** Maximum length of a project name, so that the state stays small whatever a model answers. */
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
      case "session_deleted":
        return { ...newIncarnation(event), deleted: true }
      case "run_created": {
        const { title = "", repository = session.repository } = event
        // Use the first title that isn't empty, because a run without one doesn't describe the session.
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

/** True if the event ends everything before it in the session. */
export function resetsSession({ type }: LogEvent): boolean {
  return type === "session_opened" || type === "session_deleted"
}

/** True if the event only affects the session's place in lists, which doesn't count as activity. */
export function isListing({ type }: LogEvent): boolean {
  return type === "session_renamed" || type === "session_pinned"
}

export function isLive({ session }: SessionState): boolean {
  return session.incarnation > 0 && !session.deleted
}
