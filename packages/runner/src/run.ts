import { systemClock } from "@switchyard/core/time"
import { createServeDeps } from "./compose/serve-deps.ts"
import type { RunMessage, RunnerHost } from "./serving/host.ts"
import { serveInTurns } from "./serving/standby.ts"

/** Time limit for parking runs after the runner receives a stop signal. */
const STOP_WITHIN_MS = 20_000

export interface RunnerOptions {
  /** Wraps the host. Used only by tests. */
  wrapHost?: (host: RunnerHost) => RunnerHost
}

/** Serves one session until it has no more work or the runner receives a stop signal. */
export async function runRunner(
  env: NodeJS.ProcessEnv,
  { wrapHost = (host) => host }: RunnerOptions = {},
): Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const stop = () => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    stopping.abort()
  }
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, stop)
  try {
    const host = await openRunnerHost(env, signal)
    if (host) await serve(wrapHost(host), env, signal)
  } catch (error) {
    // A runner that is stopped before it claims the session has nothing to hand over.
    if (!(signal.aborted && error instanceof Error && error.name === "AbortError")) throw error
  }
}

/**
 * Opens the host, and loads only the dependencies that this host needs. Returns undefined for a warm runner that isn't
 * needed.
 */
async function openRunnerHost(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<RunnerHost | undefined> {
  if (env.RUNNER_SESSION === undefined && env.RUNNER_WARM === undefined) {
    const { openLocalHost } = await import("./serving/local-host.ts")
    return openLocalHost(systemClock, { signal })
  }
  const { openCloudHost, openWarmHost } = await import("./serving/cloud-host.ts")
  const open = env.RUNNER_WARM === undefined ? openCloudHost : openWarmHost
  return open(env, systemClock, { signal })
}

async function serve(host: RunnerHost, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const accounts = new Map<string, RunMessage>()
  const deps = await createServeDeps(host, env, (runId, account) => accountIn(accounts.get(runId), account))
  const launches = (options: { signal: AbortSignal }) => noteAccounts(host.launches(options), accounts)
  await serveInTurns(deps, { ...host, launches }, { signal })
  host.close()
}

/** Returns the account of a launch. If `fallback` is given, returns the launch's fallback account with this name. */
function accountIn(launch: RunMessage | undefined, fallback: string | undefined): RunMessage["account"] | undefined {
  return fallback === undefined ? launch?.account : launch?.fallbacks?.[fallback]
}

/** Yields launched runs and records their accounts. */
async function* noteAccounts(
  launches: AsyncIterable<RunMessage>,
  accounts: Map<string, RunMessage>,
): AsyncGenerator<RunMessage> {
  for await (const launch of launches) {
    accounts.set(launch.run_id, launch)
    yield launch
  }
}
