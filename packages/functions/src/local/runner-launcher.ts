import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { FromRunner, type ToRunner } from "@switchyard/core/agents/runner/messages"
import { isOfSession } from "@switchyard/core/kernel/keys"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { AgentCredentials } from "@switchyard/core/people/accounts/agents"
import type { Clock } from "@switchyard/core/time"
import type { Launch } from "@switchyard/core/work/runs/launcher"

type RunMessage = Extract<ToRunner, { type: "run" }>

export interface RunnersDeps {
  /** The runner's program. */
  program: string
  /** Absolute. */
  dataFolder: string
  verboseErrors: boolean
  allowedHosts: string[]
  /** The key to what is sealed for a session's runners. */
  keyOf: (sid: string) => Uint8Array
  clock: Clock
  wakeups: Wakeups
  /** The account on which a run works; undefined if there is no such run any more. */
  accountOf: (launch: Launch, options: { signal: AbortSignal }) => Promise<AgentCredentials | undefined>
  /** Takes care of the runs of a session whose runner is gone. Resolves to true if the session needs another one. */
  lost: (sid: string) => Promise<boolean>
  /** Sees to what a run of the session needs outside it, at its runner's request. */
  reconcile: (asked: { sid: string; runId: string }) => Promise<void>
  report: (error: unknown) => void
}

/** The runners of this machine, one process a session. */
export interface Runners {
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Starts the session's runner if there is none. */
  serve(sid: string): void
  /** Whether the session has a runner. */
  isServed(sid: string): boolean
  /** Wakes the session's runner, one of whose logs has grown. */
  wake(log: string): void
  /** Asks all runners to park. Resolves once they have, or after a limit: they finish without this process, too. */
  stop(): Promise<void>
}

interface Runner {
  child: ChildProcess
  /** Runs that it was sent and hasn't accepted yet. */
  unconfirmed: Map<string, RunMessage>
  /** True once it has exited without an error. */
  parked: boolean
  send(message: ToRunner): void
}

const PARK_WITHIN_MS = 4000

/** A runner that was killed is replaced, but not for ever: its work may be what kills it. */
const MAX_CRASHES = 3

export function createRunners(deps: RunnersDeps): Runners {
  const running = new Map<string, Runner>()
  const exits = new Set<Promise<void>>()
  const crashes = new Map<string, number>()
  let stopped = false

  function runnerOf(sid: string): Runner {
    const existing = running.get(sid)
    if (existing) return existing
    const runner = spawnRunner(sid)
    running.set(sid, runner)
    return runner
  }

  function spawnRunner(sid: string): Runner {
    const child = spawn(process.execPath, [deps.program], { stdio: ["pipe", "pipe", "inherit"] })
    const unconfirmed: Runner["unconfirmed"] = new Map()
    const send = (message: ToRunner) => void child.stdin?.write(`${JSON.stringify(message)}\n`)
    const runner: Runner = { child, unconfirmed, send, parked: false }
    child.stdin?.on("error", () => {})
    child.on("error", deps.report)
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => receive(sid, runner, line))
    const exit = new Promise<void>((resolve) => child.once("close", () => resolve()))
      .then(() => onExit(sid, runner))
      .catch(deps.report)
      .finally(() => exits.delete(exit))
    exits.add(exit)
    child.once("exit", (code) => {
      runner.parked = code === 0
    })
    const { dataFolder: data_folder, verboseErrors: verbose_errors, allowedHosts: allowed_hosts } = deps
    const key = Buffer.from(deps.keyOf(sid)).toString("base64")
    const settings = { data_folder, verbose_errors, allowed_hosts, local: true, idle_ms: IDLE_MS, programs: [] }
    send({ type: "start", sid, key, ...settings })
    return runner
  }

  function receive(sid: string, { unconfirmed }: Runner, line: string): void {
    const message = FromRunner.parse(JSON.parse(line))
    if (message.type === "accepted") unconfirmed.delete(message.run_id)
    if (message.type === "reconcile") reconcile(sid, message.run_id)
    // A runner may wake readers of its own session's logs only.
    if (message.type === "wake" && isOfSession(message.log, sid)) deps.wakeups.notify(message.log)
  }

  /** The sweep does it, too, so what isn't done before this process ends is done by the next one. */
  function reconcile(sid: string, runId: string): void {
    if (stopped) return
    deps.reconcile({ sid, runId }).catch((error) => stopped || deps.report(error))
  }

  /** Sends the runs that a runner missed while it parked to the next one, and replaces a runner that is still needed. */
  async function onExit(sid: string, runner: Runner): Promise<void> {
    if (running.get(sid) === runner) running.delete(sid)
    if (stopped) return
    if (runner.parked && runner.unconfirmed.size > 0) {
      const next = runnerOf(sid)
      for (const [runId, message] of runner.unconfirmed) {
        next.unconfirmed.set(runId, message)
        next.send(message)
      }
    }
    const crashed = runner.parked ? 0 : (crashes.get(sid) ?? 0) + 1
    if (crashed === 0) crashes.delete(sid)
    else crashes.set(sid, crashed)
    if ((await deps.lost(sid)) && crashed < MAX_CRASHES && !stopped) runnerOf(sid)
  }

  return {
    async start(launch, options) {
      const credentials = await deps.accountOf(launch, options).catch(deps.report)
      if (!credentials || stopped) return
      const account = { api_key: credentials.apiKey, base_url: credentials.baseUrl, home: credentials.home }
      const { sid, runId: run_id, expectedGeneration: expected_generation } = launch
      const message: RunMessage = { type: "run", run_id, expected_generation, account }
      const runner = runnerOf(sid)
      runner.unconfirmed.set(run_id, message)
      runner.send(message)
    },
    wake: (log) => running.get(/^s\/([^/]+)\//.exec(log)?.[1] ?? "")?.send({ type: "wake", log }),
    isServed: (sid) => running.has(sid),
    serve: (sid) => void (stopped || runnerOf(sid)),
    async stop() {
      stopped = true
      for (const { child } of running.values()) child.kill("SIGTERM")
      const done = new AbortController()
      const timeout = deps.clock.sleep(PARK_WITHIN_MS, done).catch(() => undefined)
      await Promise.race([Promise.all(exits), timeout])
      done.abort()
    },
  }
}

const IDLE_MS = 300_000
