import { hkdfSync, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { totalmem } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { getRequestListener } from "@hono/node-server"
import { runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { reportQueued, waitingRuns } from "@switchyard/core/agents/runner/waiting-runs"
import { awaitsRunner } from "@switchyard/core/agents/runner/worktree-command-rules"
import { awaitsSaving } from "@switchyard/core/files/worktrees/saving"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createWakeups } from "@switchyard/core/log/notifier"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { createModelRegistry } from "@switchyard/core/models/registry"
import { accountOfRun } from "@switchyard/core/people/accounts/run-credentials"
import { readEntry } from "@switchyard/core/sessions/session-index"
import { createStartCheck } from "@switchyard/core/sessions/start-check"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import { verifySignedBlob } from "@switchyard/core/storage/signed-blobs"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { type Clock, systemClock } from "@switchyard/core/time"
import { executeRun } from "@switchyard/core/work/runs/execute"
import { type Executor, runKinds } from "@switchyard/core/work/runs/kinds"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import { reconcileForRunner } from "@switchyard/core/work/runs/reconcile"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import { sweepRunsOf } from "@switchyard/core/work/runs/sweep"
import { createAccess } from "../access.ts"
import { createApp } from "../app.ts"
import { compose } from "../compose.ts"
import type { Config } from "../config.ts"
import { createDemoModel } from "../demo-model.ts"
import type { AppDeps } from "../deps.ts"
import { malformedRequest } from "../http/errors.ts"
import { isPreviewHost } from "../http/guards.ts"
import { readAgentIsolation } from "./agent-isolation.ts"
import { checkFolder } from "./folders.ts"
import { createLocalLauncher, executorName } from "./launcher.ts"
import { listen } from "./listen.ts"
import { maintain } from "./maintenance.ts"
import { rejectMalformed } from "./malformed-request.ts"
import { createPreviewApp } from "./preview-app.ts"
import { createPreviews } from "./previews.ts"
import { createRunners } from "./runner-launcher.ts"
import { type PlaceLimits, placesFor } from "./runner-places.ts"
import { adminToken, localToken, masterKey } from "./secrets.ts"
import { localAddress, secretAddress } from "./sign-in.ts"
import { isWebSocketUpgrade, serveSockets } from "./sockets.ts"
import { createStudioFiles } from "./studio-files.ts"

/** The persistent stores. */
export interface Stores {
  records: Records
  blobs: Blobs
}

export interface LocalOptions {
  version: string
  report: (error: unknown) => void
  /** The provider of models that are named `scripted/…`. */
  scripted?: ModelProvider
  clock?: Clock
  /** The folder of the built studio; without it, only the API is served. */
  studioFolder?: string
  /** Called for a port that another program has. Throws where no other is to be tried. */
  portTaken?: (port: number) => void
  /** Wraps the stores, for tests. */
  wrapStores?: (stores: Stores) => Stores
}

export interface LocalServer {
  url: string
  /** The file of the generated admin token, unless one is configured. */
  adminTokenFile?: string
  /** The token of the person at this machine, where the server makes one. */
  localToken?: string
  /** Hands over runs, ends streams, and closes the stores. */
  stop(): Promise<void>
}

const KEEP_ALIVE_MS = 75_000

/** Everything on one machine: the API, the worker and the sweep in one process, on SQLite and files. */
export async function startLocalServer(given: Config, options: LocalOptions): Promise<LocalServer> {
  const { config, adminTokenFile } = await withAdminToken(given)
  const { report, clock = systemClock, wrapStores = (stores) => stores } = options
  const key = await masterKey(config.dataFolder)
  const signingKey = new Uint8Array(hkdfSync("sha256", key, "", "switchyard/signed-urls", 32))
  const timer = { name: randomBytes(9).toString("base64url"), monotonic: clock.monotonic }
  const sqlite = createSqliteRecords({ file: join(config.dataFolder, "records.sqlite"), now: clock.now })
  const stopping = new AbortController()
  let url = ""
  let token: string | undefined
  const files = createFileBlobs({
    directory: join(config.dataFolder, "blobs"),
    publicUrl: () => config.publicUrl ?? url,
    signingKey,
    timer,
    now: clock.now,
  })
  const { records, blobs } = wrapStores({ records: sqlite, blobs: files })

  const wakeups = createWakeups()
  const runners = createRunners({
    ...{ clock, wakeups, report, verboseErrors: config.verboseErrors, allowedHosts: config.allowedHosts },
    limits: placeLimits(config),
    program: fileURLToPath(new URL("../../../runner/src/main.ts", import.meta.url)),
    dataFolder: resolve(config.dataFolder),
    keyOf: (sid) => runnerKey(key, sid),
    ownerOf: async (sid) => (await readEntry(records, sid, { signal: stopping.signal }))?.owner ?? "",
    accountOf: (launch) =>
      accountOfRun({ ...core.executor, agentAccounts: core.agentAccounts }, launch, { signal: stopping.signal }),
    async isNeeded(sid) {
      const { state } = await openSessionLog(core.sweep, sid, { signal: stopping.signal })
      return waitingRuns(state).length > 0 || awaitsRunner(state, clock.now()) || awaitsSaving(state)
    },
    async reportWaiting(sid, before) {
      const options = { signal: stopping.signal }
      await (await openSessionLog(core.sweep, sid, options)).decide(reportQueued(before), options)
    },
    reconcile: (asked) => reconcileForRunner(core.sweep, asked, { signal: stopping.signal }),
    async lost(sid) {
      const options = { signal: stopping.signal }
      await sweepRunsOf(core.sweep, sid, options)
      const { state } = await openSessionLog(core.sweep, sid, options)
      return awaitsRunner(state, clock.now()) || awaitsSaving(state)
    },
  })
  const self = executorName(process.pid, randomBytes(6).toString("hex"))
  const local = createLocalLauncher({
    self,
    report,
    execute: (launch) =>
      executeRun({ ...core.executor, executor: self, kind: "workflow", work }, launch, { signal: stopping.signal }),
  })
  const executors: Record<Executor, Pick<Launcher, "start">> = { worker: local, runner: runners }
  const launcher: Launcher = {
    ...local,
    start: (launch, given) => executors[runKinds[launch.kind].executor].start(launch, given),
    serve: (sid) => runners.serve(sid),
    waitingBefore: (sid) => runners.waitingBefore(sid),
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
    writer: self,
    report,
  })
  const models = createModelRegistry(config.models, { scripted: options.scripted ?? createDemoModel(clock) })
  const work = lazyWork(async () => {
    const { createWorkflow } = await import("@switchyard/core/work/workflow/run-workflow")
    return createWorkflow({
      ...core.executor,
      ...config.workflow,
      startCheck: createStartCheck(core.executor),
      openModel: (name, apiKey) => models.open(name, "general", apiKey),
    })
  })

  const access = createAccess(config, { ...core, records, clock, report, masterKey: key })
  const previews = createPreviews(config, {
    signingKey: new Uint8Array(hkdfSync("sha256", key, "", "switchyard/previews", 32)),
    secretName: () => token && secretAddress(localAddress(url), token)?.hostname,
  })
  const deps: AppDeps = {
    ...core,
    config,
    access,
    version: options.version,
    clock,
    records,
    blobs,
    report,
    stopping: stopping.signal,
    agents: { local: true, checkFolder, isolation: await readAgentIsolation(config) },
    newSessionId: () => randomBytes(16).toString("hex"),
    studio: options.studioFolder === undefined ? undefined : createStudioFiles(options.studioFolder),
    previews,
    verifySignedBlob: (pathAndQuery) => verifySignedBlob({ signingKey, timer, now: clock.now }, pathAndQuery),
  }
  const app = createApp(deps)
  const previewApp = createPreviewApp({ ...deps, previews })
  const appOf = ({ headers }: Request) => (isPreviewHost(headers.get("host") ?? "") ? previewApp : app)
  const server = createServer(
    // Longer than clients and proxies keep a quiet connection: a request must not meet one that is just being closed.
    { keepAliveTimeout: KEEP_ALIVE_MS, shouldUpgradeCallback: isWebSocketUpgrade },
    getRequestListener((request, env) => appOf(request).fetch(request, env), {
      overrideGlobalObjects: false,
      errorHandler: malformedRequest,
    }),
  )
  server.on("clientError", rejectMalformed)
  const sockets = serveSockets(server, deps)
  url = await listen(server, config, options.portTaken)
  token = config.auth.makesToken
    ? await localToken(config.dataFolder, access.tokens, { signal: stopping.signal })
    : undefined
  const disk = {
    ...core.sweep,
    dataFolder: config.dataFolder,
    isServed: (sid: string) => runners.isServed(sid),
    report,
  }
  const maintaining = maintain(
    { sweep: core.sweep, disk, shrinking: [sqlite, files], report },
    { signal: stopping.signal },
  )

  return {
    url,
    adminTokenFile,
    localToken: token,
    async stop() {
      stopping.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      sockets.close()
      await Promise.all([local.idle(), runners.stop(), maintaining])
      server.closeAllConnections()
      await closed
      sqlite.close()
      files.close()
    },
  }
}

/** The limits of runners on this machine, or in the part of it that this process may use. */
function placeLimits({ runners: { total, perOwner } }: Config): PlaceLimits {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const places = limitOf(total ?? placesFor(memory))
  // An owner leaves room for others, unless there are none.
  return { total: places, perOwner: limitOf(perOwner ?? Math.ceil(places / 2)) }
}

function limitOf(setting: number): number {
  return setting === 0 ? Number.POSITIVE_INFINITY : setting
}

/** Loads the work with the first run: the graph takes longer to load than the rest of the server. */
function lazyWork<Input>(load: () => Promise<RunWork<Input>>): RunWork<Input> {
  let loading: Promise<RunWork<Input>> | undefined
  return async (context) => {
    loading ??= load()
    const work = await loading
    await work(context)
  }
}

/** A server that demands tokens needs one to begin with. */
async function withAdminToken(config: Config): Promise<{ config: Config; adminTokenFile?: string }> {
  if (config.auth.mode === "open" || config.auth.adminToken || config.auth.makesToken) return { config }
  const { token, file } = await adminToken(config.dataFolder)
  return { config: { ...config, auth: { ...config.auth, adminToken: token } }, adminTokenFile: file }
}
