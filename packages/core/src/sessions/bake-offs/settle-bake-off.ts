import { namedAgent } from "../../agents/conversations/state.ts"
import { type CommandDeps, commandWorktree } from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { MergeResult } from "../../files/worktrees/merge-schema.ts"
import { worktreeOf } from "../../files/worktrees/state.ts"
import { openSessionLog, type SessionLog } from "../../kernel/session-log.ts"
import type { Entrant, SettleBakeOff, SettledBakeOff } from "../../work/bake-offs/schema.ts"
import type { BakeOffState } from "../../work/bake-offs/state.ts"
import { runEnd } from "../../work/runs/follow-run.ts"
import { runOf } from "../../work/runs/state.ts"
import type { OwnedSession, SessionAgents } from "../agents/agents.ts"
import { chooseEntrant, findBakeOff, reopenBakeOff, settleBakeOff as settleRule } from "./bake-off-rules.ts"
import { type ReadBakeOffDeps, readBakeOff } from "./read-bake-off.ts"

export interface SettleDeps extends CommandDeps, ReadBakeOffDeps {
  launcher: CommandDeps["launcher"] & ReadBakeOffDeps["launcher"]
  sessionAgents: Pick<SessionAgents, "close">
}

export interface Waiting {
  signal: AbortSignal
  enough: AbortSignal
}

/**
 * Merges the chosen work like any other worktree. Then closes the other entrants and removes their worktrees. If the
 * work can't be merged, nothing changes. A client that was interrupted can continue by repeating the same choice.
 */
export async function settleBakeOff(
  deps: SettleDeps,
  session: OwnedSession,
  { bakeOff, request }: { bakeOff: BakeOffState; request: SettleBakeOff },
  options: Waiting,
): Promise<SettledBakeOff> {
  const { bakeOffId, entrants } = bakeOff
  const adopted = entrantOf(session, bakeOff, request.adopt)
  const log = await openSessionLog(deps, session.sid, options)
  const { rows } = await readBakeOff(deps, current(session, log), findBakeOff(log.state, bakeOffId), options)
  if (rows.some(({ agent_id, status }) => agent_id === adopted?.agent_id && status === "not_started")) {
    throw new AppError("task_invalid", "This agent didn't start, so it has no work to keep.")
  }
  await log.decide(chooseEntrant(bakeOffId, adopted?.agent_id ?? null), options)
  const merge = adopted ? await mergeWork(deps, log, { bakeOffId, adopted, request }, options) : null
  if (merge === null || isMade(merge)) {
    for (const entrant of entrants) if (entrant !== adopted) await discard(deps, session, log, entrant, options)
    await log.decide(settleRule(bakeOffId, rows), options)
  }
  const bake_off = await readBakeOff(deps, current(session, log), findBakeOff(log.state, bakeOffId), options)
  return { bake_off, merge }
}

function current(session: OwnedSession, { state }: SessionLog): OwnedSession {
  return { ...session, state }
}

function entrantOf(session: OwnedSession, { entrants }: BakeOffState, named: string | null): Entrant | null {
  if (named === null) return null
  const agentId = namedAgent(session.state, named)?.agentId ?? named
  const found = entrants.find(({ agent_id }) => agent_id === agentId)
  if (found) return found
  throw new AppError("agent_not_found", "This comparison has no such agent.", { agent: named.slice(0, 100) })
}

/** Merges an entrant's work. Returns null if it was already merged. If the merge fails, reopens the choice. */
async function mergeWork(
  deps: SettleDeps,
  log: SessionLog,
  { bakeOffId, adopted, request }: { bakeOffId: string; adopted: Entrant; request: SettleBakeOff },
  options: Waiting,
): Promise<MergeResult | null> {
  if (!worktreeOf(log.state, adopted.worktree).exists) return null
  const { target_branch, strategy, run_hooks } = request
  const merge = { command: "merge" as const, target_branch, strategy, run_hooks, delete_worktree: true }
  const answer = await command(deps, log, adopted, merge, options).catch(async (error) => {
    if (error instanceof AppError) await reopen(log, bakeOffId, error.message, options)
    throw error
  })
  const result = MergeResult.parse(answer ?? stillAtIt())
  if (!isMade(result)) await reopen(log, bakeOffId, result.message, options)
  return result
}

function isMade({ status }: MergeResult): boolean {
  return status === "merged" || status === "nothing_to_merge"
}

async function reopen(log: SessionLog, bakeOffId: string, reason: string, options: Waiting): Promise<void> {
  await log.decide(reopenBakeOff(bakeOffId, reason), options)
}

/** Stops and closes an entrant, and removes its worktree and branch. */
async function discard(
  deps: SettleDeps,
  session: OwnedSession,
  log: SessionLog,
  entrant: Entrant,
  options: Waiting,
): Promise<void> {
  await deps.sessionAgents.close(current(session, log), entrant.agent_id, options)
  await log.catchUp(options)
  const run = runOf(log.state, entrant.run_id)
  if (run) await runEnd(deps, session.sid, run, { signal: AbortSignal.any([options.signal, options.enough]) })
  await log.catchUp(options)
  if (worktreeOf(log.state, entrant.worktree).exists) {
    if (!(await command(deps, log, entrant, { command: "delete" as const }, options))) stillAtIt()
  }
}

/** Returns the runner's answer. Undefined if the command is still running when the request's time is up. */
async function command(
  deps: SettleDeps,
  log: SessionLog,
  { worktree }: Entrant,
  asked: Parameters<typeof commandWorktree>[2]["command"],
  options: Waiting,
): Promise<Record<string, unknown> | undefined> {
  const request = { commandId: deps.newId("cmd"), command: asked, worktree }
  const { answer } = await commandWorktree(deps, log, request, options)
  await log.catchUp(options)
  return answer
}

function stillAtIt(): never {
  throw new AppError(
    "worktree_busy",
    "This is taking longer than usual and is still in progress. Repeat the request in a moment.",
  )
}
