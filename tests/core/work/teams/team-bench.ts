import type { Rule } from "@switchyard/core/kernel/session-log"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { requireRoom } from "@switchyard/core/people/budget/run-budgets"
import { decideTeamCommand } from "@switchyard/core/sessions/agents/team-permissions"
import { teamPrograms } from "@switchyard/core/sessions/agents/team-programs"
import { createChangeTeam } from "@switchyard/core/sessions/requests/change-team"
import { createSettleTeam } from "@switchyard/core/sessions/requests/settle-team"
import { createStartInside } from "@switchyard/core/sessions/requests/start-inside"
import { systemClock } from "@switchyard/core/time"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import type { SearchWeb } from "@switchyard/core/work/pages/search-web"
import { executeInWorker, executeRun } from "@switchyard/core/work/runs/execute"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { relaunchRun } from "@switchyard/core/work/runs/rules"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { activeRuns, type RunState } from "@switchyard/core/work/runs/state"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { wakeRun, wokenBy } from "@switchyard/core/work/runs/waking"
import type { ShellCommandInput } from "@switchyard/core/work/shell-commands/schema"
import { createCoordinator } from "@switchyard/core/work/teams/members/coordinator"
import { createWorkNode } from "@switchyard/core/work/teams/members/work-node"
import { COORDINATOR, type TeamAgents, type TeamCommands, type TeamMode } from "@switchyard/core/work/teams/schema"
import { startTeam } from "@switchyard/core/work/teams/team-rules"
import type { Stores } from "../../../fixtures/stores.ts"
import { openSessionBench } from "../session-bench.ts"

const signal = new AbortController().signal
const LATER_MS = 3_600_000

export type TeamBench = Awaited<ReturnType<typeof openTeamBench>>

/** Opens a session with a team on real stores. One process after another executes the launches, one run at a time. */
export async function openTeamBench(given?: Stores, { now = systemClock.now }: { now?: () => number } = {}) {
  let launches: Launch[] = []
  const launcher = { start: async (launch: Launch) => void launches.push(launch) }
  const shared = await openSessionBench(given, { clock: { ...systemClock, now }, launcher })
  const { stores, sid, base, depsOn, runs, session } = shared

  /** Decides a rule for each active run and launches the runs that begin. */
  async function launchBy(ruleFor: (run: RunState) => Rule) {
    const log = await session()
    for (const run of activeRuns(log.state)) {
      const events = await log.decide(ruleFor(run), { signal })
      const begins = run.status === "parked" ? wokenBy(events).length > 0 : events.length > 0
      const { kind, generation: expectedGeneration } = run
      if (begins) launches.push({ sid, runId: run.runId, kind, expectedGeneration })
    }
  }

  const reported: unknown[] = []
  return {
    ...shared,
    /** Errors that were reported as the server's own. */
    reported,
    async start(
      goal = "Two files",
      max_concurrent = 4,
      mode: TeamMode = "finite",
      { agents, commands }: { agents?: TeamAgents; commands?: TeamCommands } = {},
    ) {
      const input = { goal, max_concurrent, mode, ...(agents && { agents }), ...(commands && { commands }) }
      const about = { ...shared.about, model: "scripted/test", agentId: COORDINATOR }
      const alongside = (runId: string) => startTeam(runId, input)
      await runs.start({ ...about, kind: "team", input, alongside }, { signal })
    },
    /** Executes all launches, including the launches that result from them. */
    async drive(
      provider: ModelProvider,
      {
        on = stores,
        fetchPage = unexpected,
        searchWeb,
        shell = unexpected,
      }: { on?: Stores; fetchPage?: FetchPage; searchWeb?: SearchWeb; shell?: RunWork<ShellCommandInput> } = {},
    ) {
      const deps = depsOn(on)
      const startInside = createStartInside({ ...deps, ...noSettings } as never)
      const afterRun = createSettleTeam(deps)
      const team = {
        ...deps,
        afterRun,
        reconcile: createReconcile(deps),
        startInside,
        programs: teamPrograms,
        decideCommand: decideTeamCommand,
        fetchPage,
        searchWeb,
        openModel: () => ({ provider, model: "test" }),
      }
      const works = {
        ...{ workflow: unexpected, chat: unexpected, page: unexpected, rewind: unexpected, fork: unexpected },
        chat_files: unexpected,
        ...{ team: createCoordinator(team), work_node: createWorkNode(team) },
      }
      const report = (error: unknown) => void reported.push(error)
      const executor = { ...shared.executorOn(deps), requireBudget: requireRoom, report }
      for (let launch = launches.shift(); launch; launch = launches.shift()) {
        // An agent's program needs a runner, which this bench doesn't have.
        if (launch.kind === "agent") continue
        if (launch.kind === "shell_command") {
          await executeRun({ ...executor, kind: launch.kind, work: shell }, launch, { signal })
          continue
        }
        await executeInWorker(executor, works, launch, { signal })
      }
    },
    /** Launches the runs of a process that died, as the sweep does after their leases expire. */
    async recover() {
      launches = []
      const later = base.clock.now() + LATER_MS
      await launchBy((run) =>
        run.status === "parked" ? wakeRun(run.runId, later) : relaunchRun(run, "It is gone.", later),
      )
    },
    /** Wakes runs whose waiting time is over, as the sweep does. */
    wake: () => launchBy((run) => wakeRun(run.runId, now())),
    async change(rule: Rule, { on = stores }: { on?: Stores } = {}) {
      const log = await session()
      await createChangeTeam(depsOn(on))({ sid, state: log.state }, rule, { signal })
    },
    async cancel({ on = stores }: { on?: Stores } = {}) {
      const { team } = await shared.state()
      const deps = depsOn(on)
      const afterRun = createSettleTeam(deps)
      await createRuns({ ...deps, afterRun }).cancel(shared.about.owner, team?.runId ?? "", "Enough.", { signal })
    },
    /** Sweeps every hint, as a starting process does. */
    async sweep() {
      const nothing = async () => {}
      const others = { sweepSession: nothing, sweepWorktree: nothing, sweepMessages: nothing, sweepArchive: nothing }
      const afterRun = createSettleTeam(base)
      await sweep({ ...base, ...others, afterRun, forgetRun: nothing }, { signal, everything: true })
    },
  }
}

/** An owner without any settings. */
const noSettings = {
  permissionRules: { rulesFor: async () => [] },
  repositories: { setupFor: async () => undefined },
  startConsents: { digestsFor: async () => [] },
  setupConsents: { allowedFor: async () => ({}) },
  limitSettings: { planFor: async () => undefined },
}

const unexpected = () => Promise.reject(new Error("This is no team's."))
