import { createAgent } from "../../agents/conversations/rules.ts"
import type { AgentProgram } from "../../agents/conversations/schema.ts"
import { isSameName, MAX_AGENTS, openAgents } from "../../agents/conversations/state.ts"
import type { PermissionMode } from "../../agents/permissions/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { freeNames } from "../../work/bake-offs/entrant-names.ts"
import type { BakeOffRow } from "../../work/bake-offs/schema.ts"
import type { BakeOffState } from "../../work/bake-offs/state.ts"
import { MAX_ACTIVE_RUNS } from "../../work/runs/admission.ts"
import type { CreateRun, IdentifiedRun } from "../../work/runs/run-starts.ts"
import { activeRun, liveRuns } from "../../work/runs/state.ts"

/** Entrant that hasn't been given a name in the session yet. */
export interface PlannedEntrant {
  agentId: string
  wantedName: string
  program: AgentProgram
  run: IdentifiedRun
}

export interface PlannedBakeOff {
  bakeOffId: string
  title: string
  verify: boolean
  entrants: PlannedEntrant[]
  mode: PermissionMode
  baseBranch: string | undefined
  /** Maximum number of agents that work at the same time, if it differs from the default. */
  maxActive: number | undefined
}

/**
 * Adds the agents of a bake-off, each with its own worktree and run. Starts either all of them or none. Does nothing if
 * they were already started.
 */
export function startBakeOff(planned: PlannedBakeOff, createRun: CreateRun): Rule {
  const { bakeOffId: bake_off_id, title, verify, mode, baseBranch } = planned
  return inLiveSession((state) => {
    if (state.bakeOffs.list.some(({ bakeOffId }) => bakeOffId === bake_off_id)) return []
    const refused = tooMany(state, planned)
    if (refused) return refused
    const names = freeNames(
      planned.entrants.map(({ wantedName }) => wantedName),
      (name) => namesIn(state).some((one) => isSameName(one, name)),
    )
    const entrants = planned.entrants.map((entrant, index) => ({ ...entrant, name: names[index] ?? "" }))
    const agents: NewEvent[] = []
    const runs: NewEvent[] = []
    for (const { agentId, name, program, run } of entrants) {
      const agent = createAgent({ agentId, name, program, mode, worktree: "own", baseBranch })(state)
      if (agent instanceof AppError) return agent
      const created = createRun({ ...run, worktree: name })(state)
      if (created instanceof AppError) return created
      agents.push(...agent)
      runs.push(...created)
    }
    const listed = entrants.map(({ agentId: agent_id, name, program, run }) => {
      return { agent_id, name, worktree: name, ...program, run_id: run.runId }
    })
    return [...agents, { type: "bake_off_started", bake_off_id, title, verify, entrants: listed }, ...runs]
  })
}

/**
 * Chooses the entrant whose work is merged. Repeating the same choice continues an earlier attempt that was
 * interrupted.
 */
export function chooseEntrant(bakeOffId: string, adopt: string | null): Rule {
  return inLiveSession((state) => {
    const bakeOff = findBakeOff(state, bakeOffId)
    if (bakeOff.settledSeq !== null) return new AppError("merge_blocked", "This comparison is already finished.")
    if (bakeOff.choice) {
      if (bakeOff.choice.adopt === adopt) return []
      return new AppError(
        "merge_blocked",
        "A different choice is already being applied. Wait for that to finish, or make the same choice.",
      )
    }
    if (adopt !== null && activeRun(state, adopt)) {
      return new AppError("run_active", "This agent is still working. Wait for it to finish, or stop it first.")
    }
    return [{ type: "bake_off_chosen", bake_off_id: bakeOffId, adopt }]
  })
}

/** Reopens the choice because the chosen work couldn't be merged. */
export function reopenBakeOff(bakeOffId: string, reason: string): Rule {
  return inLiveSession((state) => {
    const { choice, settledSeq } = findBakeOff(state, bakeOffId)
    return choice && settledSeq === null ? [{ type: "bake_off_reopened", bake_off_id: bakeOffId, reason }] : []
  })
}

/** Records that the choice has been applied. Does nothing if this was already recorded. */
export function settleBakeOff(bakeOffId: string, rows: BakeOffRow[]): Rule {
  return inLiveSession((state) => {
    const { choice, settledSeq } = findBakeOff(state, bakeOffId)
    if (!choice || settledSeq !== null) return []
    return [{ type: "bake_off_settled", bake_off_id: bakeOffId, adopted: choice.adopt, rows }]
  })
}

/** Returns the bake-off with this ID. Throws `not_found` if there is none. */
export function findBakeOff({ bakeOffs }: Pick<SessionState, "bakeOffs">, bakeOffId: string): BakeOffState {
  const found = bakeOffs.list.find((one) => one.bakeOffId === bakeOffId)
  if (found) return found
  throw new AppError("not_found", "This session has no such comparison.", { bake_off: bakeOffId.slice(0, 100) })
}

function tooMany(state: SessionState, { entrants, maxActive = MAX_ACTIVE_RUNS }: PlannedBakeOff): AppError | undefined {
  if (openAgents(state).length + entrants.length > MAX_AGENTS) {
    const message = `With these, the session would have more than ${MAX_AGENTS} agents. Close some agents first.`
    return new AppError("limit_reached", message, { maximum: MAX_AGENTS })
  }
  if (liveRuns(state).length + entrants.length <= maxActive) return undefined
  const message = `At most ${maxActive} agents may work in a session at once. Use fewer, or wait for others to finish.`
  return new AppError("run_active", message, { limit: maxActive })
}

/** Returns the names taken by agents or worktrees in the session. An entrant needs a name that is free for both. */
function namesIn(state: SessionState): string[] {
  const agents = openAgents(state).flatMap(({ agentId, name, worktree }) => [agentId, name, worktree])
  return [MAIN_WORKTREE, ...Object.keys(state.worktrees.byName), ...agents]
}
