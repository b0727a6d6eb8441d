import { MAIN_AGENT } from "../../agents/conversations/schema.ts"
import { isAppError } from "../../errors.ts"
import { MAIN_WORKTREE, namedWorktree } from "../../files/worktrees/names-schema.ts"
import type { Remote } from "../../files/worktrees/remote.ts"
import type { DueList } from "../../kernel/due.ts"
import { both, inOpenSession } from "../../kernel/rules.ts"
import { openSessionLog, type Rule, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { WorkBudgetChange } from "../../people/budget/schema.ts"
import { createRun } from "./admission.ts"
import { requireRun } from "./ended-runs.ts"
import { type KindAndInput, summaryOf } from "./kinds.ts"
import { type Launcher, START_WITHIN_MS } from "./launcher.ts"
import type { RunIndex } from "./run-index.ts"
import type { RunSecrets } from "./run-secrets.ts"
import { type RunState, runOf } from "./state.ts"
import { titleOf } from "./title.ts"

export interface StartDeps extends SessionLogDeps {
  due: DueList
  index: RunIndex
  keys: RunSecrets
  launcher: Pick<Launcher, "start">
  /** Maximum number of active agents per session. If absent, the default applies. */
  maxActive?: number
}

/** A run to start, without its session. `apiKey` and the credentials in `remote` are never written to the log. */
export type SessionlessRun = KindAndInput & {
  owner: string
  model: string
  apiKey?: string
  /** Account that the key belongs to, if any. */
  account?: string | undefined
  /** The request's repository, with credentials. */
  remote?: Remote
  /** Agent of the run. The default agent and the default worktree are both `main`. */
  agentId?: string
  worktree?: string
  /** Budget of the run, which is set in the batch that creates the run. */
  budget?: WorkBudgetChange | null | undefined
  /** ID of the run, if the caller must know it in advance. */
  runId?: string
  /** Set if the run opens the session. Contains the session's repository, if any. */
  opensWith?: { repository?: string }
  /** Bytes to store as the session's artifacts before the run is created. */
  artifacts?: readonly Uint8Array[]
  /** True if other requests may start the run with the same ID, either now or later. */
  repeatable?: boolean
  /** Decides additional events for the batch that creates the run. If this rule refuses, the run isn't created. */
  alongside?: (runId: string) => Rule
}

export type NewRun = SessionlessRun & { sid: string; sessionId: string }

export type IdentifiedRun = NewRun & { runId: string }

/** Returns a rule that creates the run. */
export type CreateRun = (run: IdentifiedRun) => Rule

export type RunStarts = ReturnType<typeof createRunStarts>

export function createRunStarts(deps: StartDeps) {
  const { clock, newId, due, index, keys, launcher } = deps

  /**
   * Registers the run for the sweep. Must be called before the event that creates the run is appended. If this process
   * dies after appending the event, the sweep launches the run.
   */
  async function announce(run: IdentifiedRun, options: { signal: AbortSignal }): Promise<void> {
    const { owner, sid, sessionId: session_id, runId: run_id, apiKey } = run
    const { repository } = summaryOf(run)
    const placed = typeof repository === "string" && { repository }
    await Promise.all([
      index.add({ run_id, owner, sid, session_id, created_at: clock.now(), ...placed }, options),
      due.add({ kind: "run", sid, run_id }, clock.now() + START_WITHIN_MS, options),
      apiKey === undefined ? undefined : keys.store(owner, run_id, apiKey, options),
    ])
  }

  async function withdraw(runId: string, options: { signal: AbortSignal }): Promise<void> {
    await Promise.all([index.remove(runId, options), keys.erase(runId, options)])
  }

  function creation(run: IdentifiedRun): Rule {
    const { runId: run_id, model, kind, input, account, agentId = MAIN_AGENT, worktree = MAIN_WORKTREE } = run
    const { words, repository, program, verify } = summaryOf(run)
    const about = { run_id, agent_id: agentId, ...namedWorktree(worktree) }
    const created = createRun(
      { ...about, kind, model, title: titleOf(words), account, repository, program, verify, input },
      deps,
    )
    const { usd = null, tokens = null, minutes = null } = run.budget ?? {}
    const budget = { usd, tokens, minutes }
    if (Object.values(budget).every((limit) => limit === null)) return created
    return both(created, () => [{ type: "budget_set", run_id, agent_id: agentId, scope: "run", ...budget }])
  }

  /**
   * Creates a run and launches it. Opens the session if necessary. Throws `run_active` if the agent or the worktree
   * already has an active run.
   */
  async function start(asked: NewRun, options: { signal: AbortSignal }): Promise<RunState> {
    const run = { ...asked, runId: asked.runId ?? newId("run") }
    const { runId, sid, sessionId, kind } = run
    const session = await openSessionLog(deps, sid, options)
    await announce(run, options)
    const rule = creation(run)
    const created = run.alongside ? both(rule, run.alongside(runId)) : rule
    try {
      await session.decide(inOpenSession(sessionId, created, run.opensWith), options)
    } catch (error) {
      // Only a refusal proves that the run wasn't created. If other requests may start the same run, leave its entries
      // to the sweep.
      if (isRefusal(error) && !run.repeatable) {
        await withdraw(runId, options)
      }
      throw error
    }
    await launcher.start({ sid, runId, expectedGeneration: 0, kind }, options)
    return requireRun(deps.records, session, runId, options)
  }

  /**
   * Creates runs of one session atomically, in one batch, and launches them. The rule creates the runs with `create`,
   * and may add more events. If the rule returns no events, nothing is launched.
   */
  async function startTogether(
    runs: IdentifiedRun[],
    rule: (create: CreateRun) => Rule,
    options: { signal: AbortSignal },
  ): Promise<void> {
    const [first] = runs
    if (!first) return
    await Promise.all(runs.map((run) => announce(run, options)))
    const session = await openSessionLog(deps, first.sid, options)
    try {
      await session.decide(rule(creation), options)
    } catch (error) {
      if (isRefusal(error)) await Promise.all(runs.map(({ runId }) => withdraw(runId, options)))
      throw error
    }
    for (const { sid, runId, kind } of runs) {
      if (runOf(session.state, runId)) await launcher.start({ sid, runId, expectedGeneration: 0, kind }, options)
    }
  }

  return { start, startTogether }
}

/** Errors that guarantee that nothing was appended. */
const REFUSALS = [
  "run_active",
  "idempotency_conflict",
  "task_invalid",
  "agent_closed",
  "agent_exists",
  "team_refused",
  "limit_reached",
] as const

function isRefusal(error: unknown): boolean {
  return REFUSALS.some((code) => isAppError(error, code))
}
