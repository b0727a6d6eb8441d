import { createHash } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { patientStores } from "@switchyard/core/storage/retrying-stores"
import { createQueue, systemClock } from "@switchyard/core/time"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunKeys } from "@switchyard/core/work/runs/run-secrets"
import { START_WITHIN_MS } from "@switchyard/core/work/runs/runs"
import { createAttachments } from "./agents/attachments.ts"
import { createGit } from "./git/plumbing/git.ts"
import { killFamily, MARK } from "./processes/process-tree.ts"
import { openSupervisor } from "./processes/supervisor.ts"
import { locate } from "./programs/locate.ts"
import { createAutosave } from "./project/autosave.ts"
import { createBackgroundTask } from "./project/background-task.ts"
import { createCommands } from "./project/commands/commands.ts"
import { openSandbox } from "./sandbox/sandbox.ts"
import { createAgentRun } from "./serving/agent-run.ts"
import type { RunMessage, RunnerHost } from "./serving/host.ts"
import { serveSession } from "./serving/serve-session.ts"

/** Limit for parking when the process is asked to stop. */
const STOP_WITHIN_MS = 20_000
const SAVE_EVERY_MS = 60_000
const PATIENCE = { firstMs: 120_000, idleMs: 900_000, leaveMs: 5000 }

/** Serves one session until there is nothing more to do in it, or until it is asked to stop. */
export async function runRunner(env: NodeJS.ProcessEnv): Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const stop = () => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    stopping.abort()
  }
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, stop)
  try {
    await serve(await openRunnerHost(env, signal), env, signal)
  } catch (error) {
    // A runner that is stopped before it has claimed anything has nothing to hand over.
    if (!(signal.aborted && error instanceof Error && error.name === "AbortError")) throw error
  }
}

/** Each host loads only its own dependencies. */
async function openRunnerHost(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<RunnerHost> {
  if (env.RUNNER_SESSION === undefined) {
    const { openLocalHost } = await import("./serving/local-host.ts")
    return openLocalHost(systemClock)
  }
  const { openCloudHost } = await import("./serving/cloud-host.ts")
  return openCloudHost(env, systemClock, { signal })
}

async function serve(runnerHost: RunnerHost, host: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const { sid, dataFolder, local, executor, tell } = runnerHost
  const clock = systemClock
  const newId = createNewId(clock.now)
  const folder = join(dataFolder, "runner", sid)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let unavailableAt = Number.NEGATIVE_INFINITY
  const stores = patientStores(runnerHost, clock, () => {
    unavailableAt = clock.monotonic()
  })
  const base = {
    ...stores,
    clock,
    newId,
    fold: sessionFold,
    wakeups: runnerHost.wakeups,
    writer: executor,
    report: (error: unknown) => console.error(error),
  }
  const log = createLog({ ...base })
  const attachments = createAttachments()
  // The same sid may be served from another data folder on this machine.
  const family = createHash("sha256").update(`${dataFolder}\0${sid}`).digest("hex").slice(0, 24)
  const accounts = new Map<string, RunMessage["account"]>()

  const perl = await locate("perl", host.PATH ?? "")
  const supervisor = await openSupervisor(perl?.file)
  const orphans = supervisor ? undefined : { folders: [join(dataFolder, "projects", sid)], since: 0 }

  // Marks git processes, too: the next runner ends those of a dead one before it looks at their results.
  const env = { ...gitEnvironment(host), [MARK]: `${family}.git` }
  const sandbox = await openSandbox(host.SWITCHYARD_AGENT_USER, { data: dataFolder, sid, env })
  const due = createDueList(stores.records)
  const project = {
    git: sandbox?.git ?? createGit({ env, userConfig: local }),
    ...{ clock, local, log, blobs: stores.blobs, folder: join(dataFolder, "projects"), seen: new Map() },
    ...{ notes: folder, leftOut: new Map(), opening: createQueue(), background: createBackgroundTask() },
    awaitSave: (options: { signal: AbortSignal }) =>
      due.add({ kind: "worktree", sid }, clock.now() + START_WITHIN_MS, options),
  }

  await serveSession(
    {
      ...base,
      ...{ log, attachments, tell, executor, leases: runnerHost.records, verboseErrors: runnerHost.verboseErrors },
      unavailableAt: () => unavailableAt,
      due,
      index: createRunIndex(stores.records),
      keys: createRunKeys(stores.records, nothingSealed, clock.now),
      async cleanUp() {
        const survivors = await killFamily(family, { clock, orphans })
        if (survivors.length > 0) base.report(new Error(`These processes could not be ended: ${survivors.join(", ")}.`))
      },
      createAutosave: (session, generation) =>
        createAutosave(
          { project, newId, everyMs: runnerHost.saveEveryMs ?? SAVE_EVERY_MS, report: base.report },
          session,
          generation,
        ),
      createCommands: (session, generation, autosave) =>
        createCommands({ log, project, autosave, report: base.report }, session, generation),
      createWork: ({ incarnation, sessionSeq, autosave, commands }) =>
        createAgentRun({
          ...base,
          ...{
            log,
            attachments,
            sessionSeq,
            family,
            supervisor,
            folder,
            host,
            programs: runnerHost.programs,
            patience: PATIENCE,
          },
          sandbox,
          install: { folder: join(dataFolder, "programs"), clock, host },
          openLog: (pty) => openTerminalLog({ ...base, log }, { sid, incarnation, pty, writer: executor }),
          async keepRecording(pty, source) {
            const key = `${artifactBlobs(sid, incarnation)}recordings/${pty}.cast`
            await runnerHost.blobs.put(key, source, { contentType: "application/x-asciicast" })
            return key
          },
          ended: new AbortController().signal,
          project,
          autosave,
          commands,
          accountOf(runId) {
            const { api_key = null, base_url = null, home = "none" } = accounts.get(runId) ?? {}
            const own = sandbox?.homeOf(home) ?? join(dataFolder, "homes", home)
            return { apiKey: api_key, baseUrl: base_url, home: own }
          },
        }),
    },
    { sid, idleMs: runnerHost.idleMs, launches: noted(runnerHost.launches, accounts) },
    { signal },
  )
  runnerHost.close()
}

/** The launched runs; records the account of each. */
async function* noted(
  launches: AsyncIterable<RunMessage>,
  accounts: Map<string, RunMessage["account"]>,
): AsyncGenerator<RunMessage> {
  for await (const launch of launches) {
    accounts.set(launch.run_id, launch.account)
    yield launch
  }
}

function gitEnvironment(host: NodeJS.ProcessEnv): Record<string, string> {
  const passed = ["PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]
  return Object.fromEntries(passed.flatMap((name) => (host[name] ? [[name, host[name]]] : [])))
}

/** A runner has no master key: it receives an account's key with the run. */
const nothingSealed = {
  seal: () => new Uint8Array(),
  open: () => {
    throw new Error("A runner opens nothing that is sealed.")
  },
}
