import type { AgentProgram } from "../../agents/conversations/schema.ts"
import type { PermissionMode, PermissionRule } from "../../agents/permissions/schema.ts"
import type { Rule, SessionLogDeps, Verdict } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { WorktreePort } from "../chat/files/worktree-port.ts"
import type { ReadCheckMachine } from "../gate/environment.ts"
import type { StartCheck } from "../gate/gate.ts"
import type { CheckCommands } from "../gate/schema.ts"
import { createHarness, type HarnessContext, type ModelDeps } from "../harness/context.ts"
import type { FetchPage } from "../pages/fetch-page.ts"
import type { SearchWeb } from "../pages/search-web.ts"
import type { KindAndInput } from "../runs/kinds.ts"
import type { AfterRun, Reconcile } from "../runs/reconcile.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { SessionlessRun } from "../runs/run-starts.ts"
import type { TeamAgents, TeamCoordinator } from "./schema.ts"
import type { WorkerState } from "./state.ts"
import type { NewWorker } from "./team-rules.ts"

type Unowned<R> = R extends unknown ? Omit<R, "owner"> : never

/** Starts a run in the session of another run, on behalf of that run's owner. */
export type StartInside = (
  asking: { runId: string },
  run: Unowned<SessionlessRun & Extract<KindAndInput, { kind: "work_node" | "agent" | "train" | "shell_command" }>> & {
    runId: string
  },
  options: { signal: AbortSignal },
) => Promise<void>

/**
 * The team's access to programs that are workers or coordinators. It keeps the code of teams independent of the code of
 * agents.
 */
export interface TeamPrograms {
  /** Adds a program to the team, with its own worktree. */
  spawn(state: SessionState, worker: NewWorker, about: { program: AgentProgram; mode: PermissionMode }): Verdict
  /** Returns a run that has a program do a task. `branch` is merged into the program's worktree first. */
  runOf(
    state: SessionState,
    worker: WorkerState,
    work: { task: string; branch: string | undefined; checks: CheckCommands | null },
    agents: TeamAgents,
  ): Unowned<Extract<SessionlessRun, { kind: "agent" }>>
  /**
   * Makes a program the team's coordinator, with its own worktree. Does nothing if a program already coordinates the
   * team.
   */
  join(state: SessionState, coordinator: { agentId: string; program: TeamCoordinator; workerTypes: string[] }): Verdict
  /** Aborts a merge that is waiting for its conflicts to be resolved. */
  abortMerge(commandId: string, worktree: string): Rule
}

/**
 * Decides whether a model worker may run a command without asking. If the worker has to ask, `rule` is the permission
 * rule that would allow such commands in the future.
 */
export type DecideCommand = (
  state: SessionState,
  workerId: string,
  command: string,
) => { effect: "allow" } | { effect: "ask"; rule?: PermissionRule | undefined } | { effect: "deny"; reason: string }

export interface TeamDeps extends SessionLogDeps, ModelDeps {
  blobs: Blobs
  startInside: StartInside
  /** Absent if commands can't be run. */
  startCheck?: StartCheck
  /** Reads the settings of the machine that runs checks. */
  checkMachine?: ReadCheckMachine
  decideCommand: DecideCommand
  programs: TeamPrograms
  /** Absent if there are no runners. */
  worktrees?: WorktreePort
  reconcile: Reconcile
  fetchPage: FetchPage
  /** Absent if no key for a search service is configured. */
  searchWeb?: SearchWeb
  /** Starts turns of programs that have waiting messages, and cancels runs that the team no longer needs. */
  afterRun?: AfterRun
}

/** Creates the context that a team member uses to call its model. */
export function createMemberHarness(deps: TeamDeps, context: RunContext<unknown>): HarnessContext {
  return {
    ...createHarness(deps, context, { modelName: context.model, cacheKey: context.runId }),
    emitText: (piece) => context.emitText({}, piece),
    emitFileText: (part) => context.emitFileText({}, part),
    emitReasoning: (chars) => context.emitReasoning({}, chars),
  }
}

/**
 * Wraps a context so that its decisions immediately launch the runs that they wake. Otherwise, the sweep would launch
 * those runs later.
 */
export function launchingWoken<Input>(deps: TeamDeps, context: RunContext<Input>): RunContext<Input> {
  return {
    ...context,
    async decide(rule) {
      const decided = await context.decide(rule)
      const woken = decided.flatMap((event) => (event.type === "run_resumed" ? [event.run_id] : []))
      const session = { sid: context.sid, state: context.state() }
      if (decided.some(({ type }) => type === "agent_message_queued"))
        await deps.afterRun?.(session, context.runId, { signal: context.signal })
      for (const runId of woken) await deps.reconcile(session, runId, { signal: context.signal })
      return decided
    },
  }
}
