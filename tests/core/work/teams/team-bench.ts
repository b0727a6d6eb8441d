import { createHash, randomBytes } from "node:crypto"
import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import type { EventOf, EventType, LogEvent } from "@switchyard/core/events"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { createNewId, sessionKey } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { requireRoom } from "@switchyard/core/people/budget/run-budgets"
import { decideTeamCommand } from "@switchyard/core/sessions/agents/team-permissions"
import { teamPrograms } from "@switchyard/core/sessions/agents/team-programs"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { createChangeTeam } from "@switchyard/core/sessions/requests/change-team"
import { createSettleTeam } from "@switchyard/core/sessions/requests/settle-team"
import { createStartInside } from "@switchyard/core/sessions/requests/start-inside"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import type { SearchWeb } from "@switchyard/core/work/pages/search-web"
import { executeInWorker, executeRun } from "@switchyard/core/work/runs/execute"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { relaunchRun } from "@switchyard/core/work/runs/rules"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createCallerKey, createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { activeRuns } from "@switchyard/core/work/runs/state"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { wakeRun, wokenBy } from "@switchyard/core/work/runs/waking"
import type { ShellCommandInput } from "@switchyard/core/work/shell-commands/schema"
import { createCoordinator } from "@switchyard/core/work/teams/members/coordinator"
import { createWorkNode } from "@switchyard/core/work/teams/members/work-node"
import { COORDINATOR, type TeamAgents, type TeamCommands, type TeamMode } from "@switchyard/core/work/teams/schema"
import { startTeam } from "@switchyard/core/work/teams/team-rules"
import { openStores, type Stores } from "../../../fixtures/stores.ts"

const signal = new AbortController().signal
const OWNER = "owner"
const LATER_MS = 3_600_000

export type TeamBench = Awaited<ReturnType<typeof openTeamBench>>

/** One session with a team on real stores, and one process after another that executes what is launched, a run at a time. */
export async function openTeamBench(given?: Stores, { now = systemClock.now }: { now?: () => number } = {}) {
  const stores = given ?? (await openStores())
  const sessionId = randomBytes(8).toString("hex")
  const sid = sessionKey(OWNER, sessionId)
  const newId = createNewId()
  let launches: Launch[] = []
  const launcher = { start: async (launch: Launch) => void launches.push(launch) }
  const report = (error: unknown) => {
    throw error
  }

  function depsOn({ records, blobs }: Pick<Stores, "records" | "blobs">) {
    const clock = { ...systemClock, now }
    const log = createLog({ records, blobs, clock })
    const keys = createRunSecrets(records, createSealer(createHash("sha256").update("test").digest()), clock.now)
    const due = createDueList(records)
    const shared = { records, blobs, log, clock, newId, due, keys, fold: sessionFold, writer: "test", report, launcher }
    return { ...shared, index: createRunIndex(records), closeLooseEnds: createLooseEnds(shared as never) }
  }
  const base = depsOn(stores)
  const session = () => openSessionLog(base, sid, { signal })
  const limits = createOwnerLimits({ ...base, limits: { sessions: 0, storedBytes: 0, terminals: 0 } } as never)
  await createSessions({ ...base, limits } as never).touch(OWNER, sessionId, { signal })

  const reported: unknown[] = []
  const bench = {
    stores,
    /** The failures that were reported as the server's own. */
    reported,
    state: async () => (await session()).state,
    async start(
      goal = "Two files",
      max_concurrent = 4,
      mode: TeamMode = "finite",
      { agents, commands }: { agents?: TeamAgents; commands?: TeamCommands } = {},
    ) {
      const input = { goal, max_concurrent, mode, ...(agents && { agents }), ...(commands && { commands }) }
      const about = { owner: OWNER, sid, sessionId, model: "scripted/test", agentId: COORDINATOR }
      const alongside = (runId: string) => startTeam(runId, input)
      await createRuns(base).start({ ...about, kind: "team", input, alongside }, { signal })
    },
    /** Executes what is launched, and what that launches, until nothing is. */
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
      const reconcile = createReconcile(deps)
      const startInside = createStartInside({ ...deps, ...noSettings } as never)
      const afterRun = createSettleTeam(deps)
      const team = {
        ...deps,
        afterRun,
        reconcile,
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
      const requireBudget = (...given: Parameters<typeof requireRoom>) => requireRoom(...given)
      const rest = {
        requireBudget,
        callerKey: createCallerKey(deps),
        leases: deps.records,
        verboseErrors: true,
        report: (error: unknown) => void reported.push(error),
      }
      const executor = { ...deps, ...rest, reconcile, executor: randomBytes(4).toString("hex") }
      for (let launch = launches.shift(); launch; launch = launches.shift()) {
        // Of a program, which this bench has no runner for.
        if (launch.kind === "agent") continue
        if (launch.kind === "shell_command") {
          await executeRun({ ...executor, kind: launch.kind, work: shell }, launch, { signal })
          continue
        }
        await executeInWorker(executor, works, launch, { signal })
      }
    },
    /** Launches what a process left that is gone, as the sweep does once the leases are over. */
    async recover() {
      launches = []
      const log = await session()
      for (const run of activeRuns(log.state)) {
        const now = base.clock.now() + LATER_MS
        const rule = run.status === "parked" ? wakeRun(run.runId, now) : relaunchRun(run, "It is gone.", now)
        const events = await log.decide(rule, { signal })
        const begins = run.status === "parked" ? wokenBy(events).length > 0 : events.length > 0
        const { kind, generation: expectedGeneration } = run
        if (begins) launches.push({ sid, runId: run.runId, kind, expectedGeneration })
      }
    },
    /** Wakes the runs that wait for a time which has come, as the sweep does. */
    async wake() {
      const log = await session()
      for (const run of activeRuns(log.state)) {
        const events = await log.decide(wakeRun(run.runId, now()), { signal })
        const { kind, generation: expectedGeneration } = run
        if (wokenBy(events).length > 0) launches.push({ sid, runId: run.runId, kind, expectedGeneration })
      }
    },
    async change(rule: Rule, { on = stores }: { on?: Stores } = {}) {
      const log = await session()
      await createChangeTeam(depsOn(on))({ sid, state: log.state }, rule, { signal })
    },
    async cancel({ on = stores }: { on?: Stores } = {}) {
      const { team } = await bench.state()
      const deps = depsOn(on)
      const afterRun = createSettleTeam(deps)
      await createRuns({ ...deps, afterRun }).cancel(OWNER, team?.runId ?? "", "Enough.", { signal })
    },
    /** Decides something, and nothing that follows from it. */
    async decide(rule: Rule) {
      await (await session()).decide(rule, { signal })
    },
    /** Looks at everything for which there is a hint, as a process does that starts. */
    async sweep() {
      const nothing = async () => {}
      const others = { sweepSession: nothing, sweepWorktree: nothing, sweepMessages: nothing, sweepArchive: nothing }
      const afterRun = createSettleTeam(base)
      await sweep({ ...base, ...others, afterRun, forgetRun: nothing }, { signal, everything: true })
    },
    events: async () => (await Array.fromAsync(base.log.read(logName(sid), 0, {}))) as LogEvent[],
    async eventsOf<T extends EventType>(type: T) {
      return (await bench.events()).filter((event) => event.type === type) as EventOf<T>[]
    },
    async files() {
      const { files } = await (await openWorkspace(stores, await session(), {})).readAllTexts({})
      return Object.fromEntries(files.map(({ path, text }) => [path, text]))
    },
    close: () => stores.close(),
  }
  return bench
}

/** The rules of an owner who has none. */
const noSettings = {
  permissionRules: { rulesFor: async () => [] },
  repositories: { setupFor: async () => undefined },
  startConsents: { digestsFor: async () => [] },
  limitSettings: { planFor: async () => undefined },
}

const unexpected = () => Promise.reject(new Error("This is no team's."))
