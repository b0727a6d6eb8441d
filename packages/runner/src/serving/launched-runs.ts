import { type AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { LoginInput } from "@switchyard/core/agents/runner/login-schema"
import type { FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import { closeTerminals } from "@switchyard/core/agents/terminals/rules"
import { settle } from "@switchyard/core/errors"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { CheckInput } from "@switchyard/core/work/gate/schema"
import { type ExecutorDeps, executeRun } from "@switchyard/core/work/runs/execute"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import { type RunState, runOf } from "@switchyard/core/work/runs/state"
import type { ShellCommandInput } from "@switchyard/core/work/shell-commands/schema"
import type { TrainInput } from "@switchyard/core/work/trains/schema"

/** A runner's work for each kind of run. */
export interface RunnerWork {
  agent: RunWork<AgentInput>
  check: RunWork<CheckInput>
  train: RunWork<TrainInput>
  shellCommand: RunWork<ShellCommandInput>
  login: RunWork<LoginInput>
}

export type Launch = Extract<ToRunner, { type: "run" }>

type Launched = Pick<RunState, "agentId" | "kind">

export interface LaunchedRunsDeps extends ExecutorDeps {
  send: (message: FromRunner) => void
}

/** Runner that executes the runs. */
interface RunsOwner {
  generation: number
  work: RunnerWork
  /** Called when a run is launched and when it ends. */
  onActivity: () => void
  /** Called after each run if this runner has no other run of the same agent. */
  reportUndelivered: (agentId: string) => Promise<void>
  /** Called when another runner turns out to have claimed the session. */
  onReplaced: () => void
}

/** Runs executing in this runner. */
export interface LaunchedRuns {
  readonly busy: boolean
  isAtWork(agentId: string): boolean
  /** Starts each run that is launched. Returns when there are no more launches or the signal aborts. */
  take(launches: AsyncIterable<Launch>): Promise<void>
  /** Resolves once all started runs have ended. */
  ended(): Promise<void>
}

export const CONCLUDE_WITHIN_MS = 10_000

/** Creates the object that executes this session's runs. When the signal aborts, the next runner continues them. */
export function createLaunchedRuns(
  deps: LaunchedRunsDeps,
  session: SessionLog,
  { generation, work, onActivity, reportUndelivered, onReplaced }: RunsOwner,
  { signal }: { signal: AbortSignal },
): LaunchedRuns {
  const { sid } = session
  /** Runs that are executing in this runner, with their agents. */
  const running = new Map<Promise<void>, string>()

  async function execute(launch: Launch, { agentId, kind }: Launched): Promise<void> {
    const { run_id: runId, expected_generation: expectedGeneration } = launch
    const claimable = { sid, runId, expectedGeneration }
    const about = { signal }
    if (kind === "check") await executeRun({ ...deps, kind, work: unlessReplaced(work.check) }, claimable, about)
    else if (kind === "shell_command")
      await executeRun({ ...deps, kind, work: unlessReplaced(work.shellCommand) }, claimable, about)
    else if (kind === "login") await executeRun({ ...deps, kind, work: unlessReplaced(work.login) }, claimable, about)
    else if (kind === "train") await executeRun({ ...deps, kind, work: unlessReplaced(work.train) }, claimable, about)
    else await executeRun({ ...deps, kind: "agent", work: unlessReplaced(work.agent) }, claimable, about)
    // A cancelled run can't append events, so the runner itself closes the run's terminals.
    const concluding = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
    await session.decide(closeTerminals(generation, runId), { signal: concluding })
    const others = [...running.values()].filter((agent) => agent === agentId)
    if (others.length <= 1) await reportUndelivered(agentId)
  }

  /**
   * Wraps work that may fail because another runner has claimed the session and ended this runner's programs. In that
   * case, the run is handed over, even if this runner doesn't know about the claim yet.
   */
  function unlessReplaced<Input>(work: RunWork<Input>): RunWork<Input> {
    return async (run) => {
      try {
        return await work(run)
      } catch (error) {
        await settle(() => session.catchUp({ signal }))
        if (session.state.runner.generation > generation) onReplaced()
        throw error
      }
    }
  }

  async function findLaunched(runId: string): Promise<Launched> {
    if (!runOf(session.state, runId)) await session.catchUp({ signal })
    return runOf(session.state, runId) ?? { agentId: MAIN_AGENT, kind: "agent" }
  }

  return {
    get busy() {
      return running.size > 0
    },
    isAtWork: (agentId) => [...running.values()].includes(agentId),
    async take(launches) {
      for await (const launch of launches) {
        if (signal.aborted) return
        deps.send({ type: "accepted", run_id: launch.run_id })
        onActivity()
        const launched = await findLaunched(launch.run_id)
        const done = execute(launch, launched)
          .catch(deps.report)
          .finally(() => {
            running.delete(done)
            onActivity()
          })
        running.set(done, launched.agentId)
      }
    },
    async ended() {
      await Promise.all(running.keys())
    },
  }
}
