import { type AgentsState, agentsPart } from "./agents/conversations/state.ts"
import { type QuestionsState, questionsPart } from "./agents/questions/state.ts"
import { type RunnerState, runnerPart } from "./agents/runner/state.ts"
import type { LogEvent } from "./events.ts"
import { type WorkspaceState, workspacePart } from "./files/workspaces/state.ts"
import { type WorktreesState, worktreesPart } from "./files/worktrees/state.ts"
import type { SessionFold } from "./kernel/fold.ts"
import type { Part } from "./kernel/part.ts"
import { isListing, resetsSession, type SessionPart, sessionPart } from "./kernel/state.ts"
import { type BudgetsState, budgetsPart } from "./people/budget/state.ts"
import { type BakeOffsState, bakeOffsPart } from "./work/bake-offs/state.ts"
import { type ChatState, chatPart } from "./work/chat/state.ts"
import { previewPart, type ServerPreviewState } from "./work/preview/state.ts"
import { storeEndedRuns } from "./work/runs/ended-runs.ts"
import { endsRun } from "./work/runs/schema.ts"
import { forgetRuns, MAX_ENDED_RUNS, type RunsState, runsPart } from "./work/runs/state.ts"
import { teamPart } from "./work/teams/fold.ts"
import type { TeamState } from "./work/teams/state.ts"
import { type UsageState, usagePart } from "./work/usage/state.ts"
import { type VerificationState, verificationPart } from "./work/verification/state.ts"

/** Parts of the session state, one per area. */
export interface StateParts {
  session: SessionPart
  workspace: WorkspaceState
  runs: RunsState
  runner: RunnerState
  worktrees: WorktreesState
  questions: QuestionsState
  agents: AgentsState
  preview: ServerPreviewState
  chat: ChatState
  team: TeamState | null
  usage: UsageState
  verification: VerificationState
  budgets: BudgetsState
  bakeOffs: BakeOffsState
}

/** State of a session, computed from its log. Only events change it. */
export interface SessionState extends StateParts {
  head: number
  /** Time of the last activity. */
  changedAt: string | null
}

export type PartName = keyof StateParts

const PARTS: { [Name in PartName]: Part<StateParts[Name]> } = {
  session: sessionPart,
  workspace: workspacePart,
  runs: runsPart,
  runner: runnerPart,
  worktrees: worktreesPart,
  questions: questionsPart,
  agents: agentsPart,
  preview: previewPart,
  chat: chatPart,
  team: teamPart,
  usage: usagePart,
  verification: verificationPart,
  budgets: budgetsPart,
  bakeOffs: bakeOffsPart,
}

const PART_NAMES = Object.keys(PARTS) as PartName[]

/** Version of the shape of each part. Snapshots also contain these versions. */
const PART_VERSIONS = Object.fromEntries(PART_NAMES.map((name) => [name, PARTS[name].version])) as Record<
  PartName,
  number
>

export const emptySession: SessionState = {
  head: 0,
  changedAt: null,
  ...(Object.fromEntries(PART_NAMES.map((name) => [name, PARTS[name].initial])) as unknown as StateParts),
}

/** Returns the state after another event. An event that doesn't affect any part only advances the head. */
export function applyEvent(state: SessionState, event: LogEvent): SessionState {
  return {
    ...applyToParts(state, event, PART_NAMES),
    head: event.seq,
    changedAt: isListing(event) ? state.changedAt : event.ts,
  }
}

/** Returns the state after another event. Only updates the parts with these names. */
function applyToParts(state: SessionState, event: LogEvent, names: readonly PartName[]): SessionState {
  const next = { ...state }
  for (const name of names) applyToPart(next, event, name)
  return next
}

function applyToPart<Name extends PartName>(next: StateParts, event: LogEvent, name: Name): void {
  const part: Part<StateParts[Name]> = PARTS[name]
  const before: StateParts[Name] = resetsSession(event) && !part.outlivesSession ? part.initial : next[name]
  next[name] = part.apply(before, event)
}

/** Returns the state with these parts reset to their initial values. */
function withoutParts(state: SessionState, names: readonly PartName[]): SessionState {
  return { ...state, ...Object.fromEntries(names.map((name) => [name, PARTS[name].initial])) }
}

/** Fold over a session log, for `openSessionLog`. */
export const sessionFold: SessionFold = {
  empty: emptySession,
  names: PART_NAMES,
  versions: PART_VERSIONS,
  apply: applyEvent,
  applyTo: applyToParts,
  without: withoutParts,
  endsWork: endsRun,
  isCrowded: ({ runs }) => Object.keys(runs.byId).length >= 2 * MAX_ENDED_RUNS,
  forget(state) {
    const { runs, left } = forgetRuns(state.runs)
    return {
      state: { ...state, runs },
      store: (records, sid, options) => storeEndedRuns(records, sid, left, options),
    }
  },
}
