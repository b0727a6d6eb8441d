import { randomBytes } from "node:crypto"
import { totalmem } from "node:os"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import type { LeftLogin } from "@switchyard/core/agents/runner/login-schema"
import { reportQueued, waitingRuns } from "@switchyard/core/agents/runner/waiting-runs"
import { awaitsRunner } from "@switchyard/core/agents/runner/worktree-command-rules"
import { createWorktreePort } from "@switchyard/core/agents/runner/worktree-commands"
import { awaitsSaving } from "@switchyard/core/files/worktrees/saving"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createWakeups } from "@switchyard/core/log/notifier"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { accountsOfRun } from "@switchyard/core/people/accounts/run-credentials"
import type { RunLogins } from "@switchyard/core/people/accounts/run-logins"
import { createStartCheck } from "@switchyard/core/sessions/requests/start-check"
import { readEntry } from "@switchyard/core/sessions/session-index"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import { awaitsPreview } from "@switchyard/core/work/preview/rules"
import { executeInWorker } from "@switchyard/core/work/runs/execute"
import { type Executor, runKinds } from "@switchyard/core/work/runs/kinds"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import { reconcileForRunner } from "@switchyard/core/work/runs/reconcile"
import { sweepRunsOf } from "@switchyard/core/work/runs/sweep"
import { compose } from "../compose.ts"
import { createWorkerWorks } from "../compose-worker.ts"
import type { Config } from "../config.ts"
import { createDemoModel } from "../demo-model.ts"
import { createWebhookDelivery } from "../webhook-delivery.ts"
import { createCheckMachine } from "./check-machine.ts"
import { createClaudeCodeModel } from "./claude-code/model.ts"
import { createLocalLauncher, executorName } from "./launcher.ts"
import { repositoriesAround } from "./repositories-around.ts"
import { createRunners } from "./runner-launcher.ts"
import { type PlaceLimits, placesFor } from "./runner-places.ts"

/** Time limit for the stores when a runner asks for a login. */
const LOGIN_WITHIN_MS = 10_000

/** Stores whose content outlives the process. */
export interface Stores {
  records: Records
  blobs: Blobs
}

export interface LocalCoreDeps extends Stores {
  clock: Clock
  /** This installation's master key. */
  key: Uint8Array
  /** Returns the server's address to show to people. */
  address: () => string
  /** Provider for models named `scripted/…`. */
  scripted: ModelProvider | undefined
  stopping: AbortSignal
  report: (error: unknown) => void
}

export interface LocalCore {
  core: ReturnType<typeof compose>
  isServed(sid: string): boolean
  /** Returns the socket of the server started by the session's project, or undefined if there is none. */
  previewSocket(sid: string): string | undefined
  /**
   * Stores the logins that dead runners left behind, and removes them from their agents' homes. Skips logins that a
   * runner has reported recently. With `everything`, recovers all logins. Set it in a process that has just started and
   * knows that its predecessor is gone.
   */
  recoverLogins(options: { signal: AbortSignal; everything?: boolean }): Promise<void>
  /** Resolves once this process has handed over its runs and its runners have exited. */
  stop(): Promise<unknown>
}

/** Composes core on one machine, with its executors: workflows run in this process, agents and checks in runners. */
export function composeLocal(config: Config, deps: LocalCoreDeps): LocalCore {
  const { records, blobs, clock, key, address, scripted, stopping, report } = deps
  const wakeups = createWakeups()
  const runners = createRunners({
    ...{
      clock,
      wakeups,
      report,
      verboseErrors: config.verboseErrors,
      allowedHosts: config.allowedHosts,
      parkAfterMs: config.parkAfterMs,
    },
    limits: placeLimits(config),
    program: fileURLToPath(new URL("../../../runner/src/main.mjs", import.meta.url)),
    dataFolder: resolve(config.dataFolder),
    services: config.services,
    async retentionOf(sid) {
      const owner = (await readEntry(records, sid, { signal: stopping }))?.owner
      return owner === undefined ? config.retentionMs : core.cleanups.retentionMs(owner, { signal: stopping })
    },
    keyOf: (sid) => runnerKey(key, sid),
    ownerOf: async (sid) => (await readEntry(records, sid, { signal: stopping }))?.owner ?? "",
    accountsOf: (launch) =>
      accountsOfRun({ ...core.executor, agentAccounts: core.agentAccounts }, launch, { signal: stopping }),
    async isNeeded(sid) {
      const { state } = await openSessionLog(core.sweep, sid, { signal: stopping })
      return waitingRuns(state).length > 0 || awaitsSession(state, clock.now()) || (await hasLogin(sid))
    },
    async reportWaiting(sid, before) {
      const options = { signal: stopping }
      await (await openSessionLog(core.sweep, sid, options)).decide(reportQueued(before), options)
    },
    leftLogins,
    async answerLogin(sid, request) {
      const isTrusted = async () => true
      return (await openLogins()).answer({ sid, isTrusted }, request, { signal: AbortSignal.timeout(LOGIN_WITHIN_MS) })
    },
    reconcile: (asked) => reconcileForRunner(core.sweep, asked, { signal: stopping }),
    async lost(sid, { parked, how }) {
      const options = { signal: stopping }
      await sweepRunsOf(core.sweep, sid, { ...options, executorEnd: parked ? undefined : how })
      const { state } = await openSessionLog(core.sweep, sid, options)
      // If the runner parked, a login alone is no reason to start another one: the parked runner already tried to
      // return the login, and another attempt follows within a minute.
      return awaitsSession(state, clock.now()) || (!parked && (await hasLogin(sid)))
    },
  })

  async function openLogins(): Promise<RunLogins> {
    const { createRunLogins } = await import("@switchyard/core/people/accounts/run-logins")
    const recover = (sid: string) => void runners.serve(sid).catch(report)
    return createRunLogins({ ...core.executor, accounts: core.accounts, recover })
  }

  async function leftLogins(sid: string): Promise<LeftLogin[]> {
    const held = await Array.fromAsync((await openLogins()).held({ signal: stopping }))
    return held.flatMap((one) => (one.sid === sid ? [one.login] : []))
  }

  async function hasLogin(sid: string): Promise<boolean> {
    return (await leftLogins(sid)).length > 0
  }

  async function recoverLogins({ signal, everything = false }: { signal: AbortSignal; everything?: boolean }) {
    for await (const { sid, until } of (await openLogins()).held({ signal })) {
      if (everything || until < clock.now()) await runners.serve(sid)
    }
  }

  const self = executorName(process.pid, randomBytes(6).toString("hex"))
  const local = createLocalLauncher({
    self,
    report,
    deliver: (launch) => createWebhookDelivery({ core, masterKey: key, address })(launch, { signal: stopping }),
    execute: (launch) => executeInWorker({ ...core.executor, executor: self }, works, launch, { signal: stopping }),
  })
  const executors: Record<Executor, Pick<Launcher, "start">> = { worker: local, runner: runners }
  const launcher: Launcher = {
    ...local,
    start: (launch, given) => executors[runKinds[launch.kind].executor].start(launch, given),
    serve: (sid) => runners.serve(sid),
    waitingBefore: async (sid) => runners.waitingBefore(sid),
    isHeld: (sid) => runners.waitingBefore(sid) !== undefined,
  }
  const core = compose(config, {
    records,
    blobs,
    clock,
    wakeups: {
      ...wakeups,
      notify(log) {
        wakeups.notify(log)
        runners.wake(log)
      },
    },
    sealer: createSealer(key),
    sealerOf: (sid) => createSealer(runnerKey(key, sid)),
    launcher,
    repositoriesAround,
    writer: self,
    report,
  })
  const works = createWorkerWorks(config, core.executor, {
    scripted: scripted ?? createDemoModel(clock),
    claudeCode: config.programs && createClaudeCodeModel(config.programs),
    startCheck: createStartCheck(core.executor),
    checkMachine: createCheckMachine(),
    worktrees: createWorktreePort({ ...core.executor, launcher }),
  })

  return {
    core,
    isServed: (sid) => runners.isServed(sid),
    previewSocket: (sid) => runners.previewSocket(sid),
    recoverLogins,
    stop: () => Promise.all([local.idle(), runners.stop()]),
  }
}

/** True if a session needs a runner for anything other than a run. */
function awaitsSession(state: SessionState, now: number): boolean {
  return awaitsRunner(state, now) || awaitsSaving(state) || awaitsPreview(state, now)
}

/** Returns the limits on runners for this machine, or for the part of its memory that this process may use. */
function placeLimits({ runners: { total, perOwner } }: Config): PlaceLimits {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const places = limitOf(total ?? placesFor(memory))
  // By default, one owner can use only half of the slots, so that other owners get the rest.
  return { total: places, perOwner: limitOf(perOwner ?? Math.ceil(places / 2)) }
}

function limitOf(setting: number): number {
  return setting === 0 ? Number.POSITIVE_INFINITY : setting
}
