import type { EventOf, LogEvent } from "../events.ts"
import type { SessionState } from "../state.ts"
import type { Part } from "./part.ts"

/** The session itself. */
export interface SessionPart {
  /** The number of times that the session was opened; files of one incarnation never meet those of another. 0: never opened. */
  incarnation: number
  deleted: boolean
  /** The event that opened or deleted the session: nothing before it matters any more. */
  since: { seq: number; ts: string } | null
  /** As its owner calls it. */
  name: string | null
  /** Listed before all others. */
  pinned: boolean
  /** The request of its first run, in a few words. */
  title: string | null
  /** The name that the first plan gave the project. */
  projectName: string | null
  /** The repository that its agents work in; null for the session's own workspace. */
  repository: string | null
}

/** The part of a name that lists have room for. A state stays small, whatever a model answers. */
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
        // A run without a title says nothing of what the session is about.
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

/** The project's name in a plan; null where the plan was too large for the log. */
function plannedName({ update }: EventOf<"node_finished">): string | null {
  return "plan" in update && update.plan ? update.plan.name.slice(0, MAX_NAME_CHARS) : null
}

/** True for an event that ends all that was in the session before it. */
export function resetsSession({ type }: LogEvent): boolean {
  return type === "session_opened" || type === "session_deleted"
}

/** True for an event that only says how the session is listed: naming it is no activity in it. */
export function isListing({ type }: LogEvent): boolean {
  return type === "session_renamed" || type === "session_pinned"
}

export function isLive({ session }: SessionState): boolean {
  return session.incarnation > 0 && !session.deleted
}
