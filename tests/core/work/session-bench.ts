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
import { openSessionLog, type Rule } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createCallerKey, createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { openStores, type Stores } from "../../fixtures/stores.ts"

const signal = new AbortController().signal
const OWNER = "owner"

interface BenchOptions {
  clock: Clock
  launcher?: Launcher
}

/** Opens a session with everything that its executors need. Creates new stores unless `given`. */
export async function openSessionBench(
  given: Stores | undefined,
  { clock, launcher = { start: async () => {} } }: BenchOptions,
) {
  const stores = given ?? (await openStores())
  const sessionId = randomBytes(8).toString("hex")
  const sid = sessionKey(OWNER, sessionId)
  const newId = createNewId()
  const report = (error: unknown) => {
    throw error
  }

  function depsOn({ records, blobs }: Pick<Stores, "records" | "blobs">) {
    const log = createLog({ records, blobs, clock })
    const sealer = createSealer(createHash("sha256").update("test").digest())
    const keys = createRunSecrets(records, sealer, clock.now)
    const due = createDueList(records)
    const shared = { records, blobs, log, clock, newId, due, keys, fold: sessionFold, writer: "test", report, launcher }
    const repositoryCredentials = createRepositoryCredentials({ records, sealerOf: () => sealer })
    return { ...shared, repositoryCredentials, index: createRunIndex(records), closeLooseEnds: createLooseEnds(shared) }
  }
  const base = depsOn(stores)
  const session = () => openSessionLog(base, sid, { signal })
  const limits = createOwnerLimits({ ...base, limits: { sessions: 0, storedBytes: 0, terminals: 0 } })
  const sessions = createSessions({ ...base, gitHostGrants: { grant: async () => {} }, limits })
  await sessions.touch(OWNER, sessionId, { signal })
  const runs = createRuns(base)
  const events = async (): Promise<LogEvent[]> => Array.fromAsync(base.log.read(logName(sid), 0, {}))

  return {
    ...{ stores, sid, base, depsOn, runs, session, events },
    /** Names the session in a new run. */
    about: { owner: OWNER, sid, sessionId },
    /** Returns the dependencies of a newly launched executor. */
    executorOn: (deps: ReturnType<typeof depsOn>) => ({
      ...deps,
      reconcile: createReconcile(deps),
      callerKey: createCallerKey(deps),
      leases: deps.records,
      executor: randomBytes(4).toString("hex"),
      verboseErrors: true,
      report: () => {},
    }),
    state: async () => (await session()).state,
    run: async (runId: string) => (await runs.get(OWNER, runId, { signal })).run,
    async cancel(runId: string) {
      await runs.cancel(OWNER, runId, "stopped", { signal })
    },
    async eventsOf<T extends EventType>(type: T) {
      return (await events()).filter((event) => event.type === type) as EventOf<T>[]
    },
    /** Decides a rule without its follow-ups. */
    async decide(rule: Rule) {
      await (await session()).decide(rule, { signal })
    },
    /** Changes files as a person does. Null deletes a file. */
    async write(files: Record<string, string | Uint8Array | null>) {
      const changes = Object.entries(files).map(([name, text]) => {
        const path = workspacePath(name)
        if (text === null) return { op: "delete" as const, path }
        return { op: "write" as const, path, bytes: typeof text === "string" ? Buffer.from(text) : text }
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
