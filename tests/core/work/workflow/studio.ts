import { createHash, randomBytes } from "node:crypto"
import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import type { EventOf, EventType, LogEvent } from "@switchyard/core/events"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { createNewId, sessionKey } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import { type Clock, systemClock } from "@switchyard/core/time"
import { type ExecuteOptions, executeRun } from "@switchyard/core/work/runs/execute"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createCallerKey, createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import type { RunState } from "@switchyard/core/work/runs/state"
import { createWorkflow } from "@switchyard/core/work/workflow/run-workflow"
import type { WorkflowInput } from "@switchyard/core/work/workflow/schema"
import { openStores, type Stores } from "../../../fixtures/stores.ts"

const signal = new AbortController().signal

/** Waits shortly wherever the product waits long, so that nothing here depends on how long that is. */
const clock: Clock = { ...systemClock, sleep: (ms, options) => systemClock.sleep(Math.min(ms, 3), options) }

const OWNER = "owner"

/** One session of one owner on real stores, and executors for its runs. */
export interface Studio {
  stores: Stores
  sid: string
  start(input?: Partial<WorkflowInput>): Promise<string>
  /** Executes the run as whoever is launched next would; on other stores, if any are given. */
  execute(
    runId: string,
    provider: ModelProvider,
    options?: Partial<ExecuteOptions> & { on?: Stores; filesAtOnce?: number; review?: boolean },
  ): Promise<void>
  cancel(runId: string): Promise<void>
  run(runId: string): Promise<RunState>
  events(): Promise<LogEvent[]>
  eventsOf<T extends EventType>(type: T): Promise<EventOf<T>[]>
  /** A person's own change; null deletes. */
  edit(files: Record<string, string | null>): Promise<void>
  files(): Promise<Record<string, string>>
  close(): Promise<void>
}

/** A session on stores of its own, or another one on those that there are. */
export async function openStudio(stores?: Stores): Promise<Studio> {
  return createStudio(stores ?? (await openStores()), randomBytes(8).toString("hex"))
}

async function createStudio(stores: Stores, sessionId: string): Promise<Studio> {
  const newId = createNewId()
  const sid = sessionKey(OWNER, sessionId)

  const report = (error: unknown) => {
    throw error
  }

  function depsOn({ records, blobs }: Pick<Stores, "records" | "blobs">) {
    const log = createLog({ records, blobs, clock })
    const sealer = createSealer(createHash("sha256").update("test").digest())
    const keys = createRunSecrets(records, sealer, clock.now)
    const due = createDueList(records)
    const repositoryCredentials = createRepositoryCredentials({ records, sealerOf: () => sealer })
    const shared = { records, blobs, log, clock, newId, due, keys, fold: sessionFold, writer: "test", report }
    return { ...shared, repositoryCredentials, index: createRunIndex(records), closeLooseEnds: createLooseEnds(shared) }
  }
  const base = depsOn(stores)
  const runs = createRuns({ ...base, launcher: { start: async () => {} } })
  const session = () => openSessionLog(base, sid, { signal })
  const limits = createOwnerLimits({ ...base, limits: { sessions: 0, storedBytes: 0, terminals: 0 } })
  await createSessions({ ...base, gitHostGrants: { grant: async () => {} }, limits }).touch(OWNER, sessionId, {
    signal,
  })

  async function run(runId: string) {
    return (await runs.get(OWNER, runId, { signal })).run
  }

  return {
    stores,
    sid,
    async start(input = {}) {
      const request = { user_prompt: "Make a thing.", recursion_limit: 100, ...input }
      const asked = { kind: "workflow" as const, input: request }
      return (await runs.start({ owner: OWNER, sid, sessionId, model: "scripted/test", ...asked }, { signal })).runId
    },
    async execute(runId, provider, { on = stores, filesAtOnce, review, ...options } = {}) {
      const deps = depsOn(on)
      const work = createWorkflow({ ...deps, filesAtOnce, review, openModel: () => ({ provider, model: "test" }) })
      const executor = {
        ...deps,
        reconcile: createReconcile(deps),
        callerKey: createCallerKey(deps),
        leases: deps.records,
        kind: "workflow" as const,
        work,
        executor: randomBytes(4).toString("hex"),
        verboseErrors: true,
        report: () => {},
      }
      const { generation } = await run(runId)
      await executeRun(executor, { sid, runId, expectedGeneration: generation }, { signal, ...options })
    },
    async cancel(runId) {
      await runs.cancel(OWNER, runId, "asked", { signal })
    },
    run,
    events: () => Array.fromAsync(base.log.read(logName(sid), 0, {})),
    async eventsOf(type) {
      const events = await Array.fromAsync(base.log.read(logName(sid), 0, {}))
      return events.filter((event) => event.type === type) as EventOf<typeof type>[]
    },
    async edit(files) {
      const changes = Object.entries(files).map(([path, text]) => {
        const at = workspacePath(path)
        if (text === null) return { op: "delete" as const, path: at }
        return { op: "write" as const, path: at, bytes: Buffer.from(text) }
      })
      await commitChanges(stores, await session(), changes, { signal })
    },
    async files() {
      const { files } = await (await openWorkspace(stores, await session(), {})).readAllTexts({})
      return Object.fromEntries(files.map(({ path, text }) => [path, text]))
    },
    close: () => stores.close(),
  }
}
