import type { LogEvent } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import type { Entrant } from "./schema.ts"

/** State of a bake-off, as needed by rules and lists. */
export interface BakeOffState {
  bakeOffId: string
  title: string
  createdAt: string
  verify: boolean
  entrants: Entrant[]
  /** Base commit of all entrants. Null until the first entrant starts. */
  baseCommit: string | null
  /** Number of attempts by each entrant, by the entrant's run ID. */
  attempts: { [runId: string]: number }
  /** Choice that is being applied or has been applied. Null while the bake-off is open. */
  choice: { adopt: string | null } | null
  /** Sequence number of the event that settled the bake-off. */
  settledSeq: number | null
}

export interface BakeOffsState {
  /** The newest bake-offs, oldest first. */
  list: BakeOffState[]
}

const MAX_BAKE_OFFS = 20

export const bakeOffsPart: Part<BakeOffsState> = {
  version: 2,
  initial: { list: [] },
  apply(part, event) {
    switch (event.type) {
      case "bake_off_started":
        return { list: [...part.list, started(event)].slice(-MAX_BAKE_OFFS) }
      case "bake_off_pinned":
        return changed(part, event.bake_off_id, { baseCommit: event.base_commit })
      case "bake_off_chosen":
        return changed(part, event.bake_off_id, { choice: { adopt: event.adopt } })
      case "bake_off_reopened":
        return changed(part, event.bake_off_id, { choice: null })
      case "bake_off_settled":
        return changed(part, event.bake_off_id, { choice: { adopt: event.adopted }, settledSeq: event.seq })
      case "verification_attempt":
        return attempted(part, event.run_id, event.attempt_number)
      default:
        return part
    }
  },
}

function started(event: Extract<LogEvent, { type: "bake_off_started" }>): BakeOffState {
  const { bake_off_id: bakeOffId, title, ts: createdAt, verify, entrants } = event
  const before = { baseCommit: null, attempts: {}, choice: null, settledSeq: null }
  return { bakeOffId, title, createdAt, verify, entrants, ...before }
}

function changed(part: BakeOffsState, id: string, change: Partial<BakeOffState>): BakeOffsState {
  return { list: part.list.map((one) => (one.bakeOffId === id ? { ...one, ...change } : one)) }
}

function attempted(part: BakeOffsState, runId: string, attempt: number): BakeOffsState {
  const found = part.list.find(({ entrants }) => entrants.some(({ run_id }) => run_id === runId))
  return found ? changed(part, found.bakeOffId, { attempts: { ...found.attempts, [runId]: attempt } }) : part
}
