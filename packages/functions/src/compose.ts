import type { Sealer } from "@switchyard/core/access/sealing"
import { createAccounts } from "@switchyard/core/accounts/accounts"
import { createAgentAccounts } from "@switchyard/core/accounts/agents"
import { createConsents } from "@switchyard/core/agents/consents"
import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import type { Wakeups } from "@switchyard/core/log/wakeups"
import { createDueList } from "@switchyard/core/runs/due"
import type { ExecutorDeps } from "@switchyard/core/runs/execute"
import type { Launcher } from "@switchyard/core/runs/launcher"
import { createRunIndex } from "@switchyard/core/runs/run-index"
import { createRunKeys } from "@switchyard/core/runs/run-keys"
import { createRuns } from "@switchyard/core/runs/runs"
import type { SweepDeps } from "@switchyard/core/runs/sweep"
import { sweepSession } from "@switchyard/core/sessions/expiry"
import type { SessionLog } from "@switchyard/core/sessions/session-log"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { createSettings } from "@switchyard/core/settings/settings"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { patientStores } from "@switchyard/core/storage/patient"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/stream"
import { createInboxes } from "@switchyard/core/terminals/inboxes"
import { deleteCheckpoints } from "@switchyard/core/workflow/checkpoints"
import { createArchives, sweepArchive } from "@switchyard/core/workspaces/archive-job"
import { collectGarbage } from "@switchyard/core/workspaces/collect"
import type { Config } from "./config.ts"

/** What differs between one machine and the cloud. */
export interface Ports {
  records: Records
  blobs: Blobs
  clock: Clock
  wakeups?: Wakeups
  sealer: Sealer
  launcher: Launcher
  /** Stands in what this process writes. */
  writer: string
  report: (error: unknown) => void
}

/** After that, a request is told that the store doesn't answer, once the call that was the last has come to its end. */
const REQUEST_PATIENCE_MS = 6000

/** Between two steps, and between the parts of one, a workflow does something within seconds. */
const STILL_MS = 5 * 60_000

/** Puts core together on its ports: what answers requests, what executes runs and what sweeps, each with what it needs. */
export function compose(config: Config, ports: Ports) {
  const { records, clock, launcher } = ports
  const newId = createNewId(clock.now)
  const on = (stores: Pick<Ports, "records" | "blobs">, patienceMs?: number) => ({
    ...ports,
    ...stores,
    patienceMs,
    newId,
    log: createLog({ ...ports, ...stores, patienceMs }),
    due: createDueList(stores.records),
    index: createRunIndex(stores.records),
    keys: createRunKeys(stores.records, ports.sealer, clock.now),
  })
  const base = on(ports, REQUEST_PATIENCE_MS)
  const { log, keys, index } = base

  const forgetRun: SweepDeps["forgetRun"] = async (sid, runId, options) => {
    await Promise.all([keys.erase(runId, options), deleteCheckpoints(base, sid, runId, options)])
  }
  const expiry = {
    ...base,
    retentionMs: config.retentionMs,
    freeFiles: async (session: SessionLog, options: { signal: AbortSignal }) => {
      await collectGarbage(base, session, options)
    },
    forgetRun: async (sid: string, runId: string, options: { signal: AbortSignal }) => {
      await forgetRun(sid, runId, options)
      await index.remove(runId, options)
    },
  }
  const accounts = createAccounts(base)
  let unavailableAt = Number.NEGATIVE_INFINITY
  const waitingStores = patientStores(ports, clock, () => {
    unavailableAt = clock.monotonic()
  })
  return {
    log,
    newId,
    launcher,
    writer: ports.writer,
    sessions: createSessions(base),
    settings: createSettings(base),
    accounts,
    agentAccounts: createAgentAccounts({ accounts, keys: config.agentKeys, withMock: !config.production }),
    consents: createConsents(base),
    inboxes: createInboxes(base),
    runs: createRuns(base),
    archives: createArchives(base),
    // Whoever asks wants an answer or an error soon; a run that is under way rather waits.
    executor: {
      ...on(waitingStores),
      leases: records,
      stillMs: STILL_MS,
      unavailableAt: () => unavailableAt,
      verboseErrors: config.verboseErrors,
    } satisfies Omit<ExecutorDeps, "executor" | "work">,
    sweep: {
      ...base,
      launcher,
      forgetRun,
      sweepSession: ({ sid }, options) => sweepSession(expiry, sid, options),
      sweepArchive: (subject, options) => sweepArchive(base, subject, options),
    } satisfies SweepDeps,
  }
}
