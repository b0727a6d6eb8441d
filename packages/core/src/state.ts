import { type RunnerState, runnerPart } from "./agents/runner/state.ts"
import type { LogEvent } from "./events.ts"
import { type WorkspaceState, workspacePart } from "./files/workspaces/state.ts"
import { type WorktreeState, worktreePart } from "./files/worktrees/state.ts"
import type { Part } from "./kernel/part.ts"
import { beginsAnew, type SessionPart, sessionPart } from "./kernel/state.ts"
import { type RunsState, runsPart } from "./work/runs/state.ts"

/** Each noun's part of the fold. */
export interface StateParts {
  session: SessionPart
  workspace: WorkspaceState
  runs: RunsState
  runner: RunnerState
  worktree: WorktreeState
}

/** A session as its log tells it. A fold: never changed but by an event. */
export interface SessionState extends StateParts {
  head: number
  /** When something last happened. */
  changedAt: string | null
}

export type PartName = keyof StateParts

const PARTS: { [Name in PartName]: Part<StateParts[Name]> } = {
  session: sessionPart,
  workspace: workspacePart,
  runs: runsPart,
  runner: runnerPart,
  worktree: worktreePart,
}

export const PART_NAMES = Object.keys(PARTS) as PartName[]

/** The version of each part's shape, for what is stored of it. */
export const PART_VERSIONS = Object.fromEntries(PART_NAMES.map((name) => [name, PARTS[name].version])) as Record<
  PartName,
  number
>

export const emptySession: SessionState = {
  head: 0,
  changedAt: null,
  ...(Object.fromEntries(PART_NAMES.map((name) => [name, PARTS[name].initial])) as unknown as StateParts),
}

/** The state after one more event. An event that says nothing to a part, or to any, only moves the head. */
export function applyEvent(state: SessionState, event: LogEvent): SessionState {
  return { ...applyToParts(state, event, PART_NAMES), head: event.seq, changedAt: event.ts }
}

/** The state with only these parts after one more event. */
export function applyToParts(state: SessionState, event: LogEvent, names: PartName[]): SessionState {
  const next = { ...state }
  for (const name of names) applyToPart(next, event, name)
  return next
}

function applyToPart<Name extends PartName>(next: StateParts, event: LogEvent, name: Name): void {
  const part: Part<StateParts[Name]> = PARTS[name]
  const before: StateParts[Name] = beginsAnew(event) && !part.outlivesSession ? part.initial : next[name]
  next[name] = part.apply(before, event)
}

/** The state with only these parts as they were before anything happened. */
export function withoutParts(state: SessionState, names: PartName[]): SessionState {
  return { ...state, ...Object.fromEntries(names.map((name) => [name, PARTS[name].initial])) }
}
