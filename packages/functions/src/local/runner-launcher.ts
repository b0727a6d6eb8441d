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
  clock: Clock
  wakeups: Wakeups
  /** On whose account a run works; undefined if there is no such run any more. */
  accountOf: (launch: Launch, options: { signal: AbortSignal }) => Promise<AgentCredentials | undefined>
  /** Looks after the runs of a session whose runner is gone. Resolves to whether people still wait for another. */
  lost: (sid: string) => Promise<boolean>
  report: (error: unknown) => void
}

/** The runners of this machine, one process a session. */
export interface Runners {
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Starts the session's runner if there is none. */
  serve(sid: string): void
  /** Whether the session has a runner. */
  isServed(sid: string): boolean
  /** Tells the session's runner that one of its logs has grown. */
  wake(log: string): void
  /** Asks all to park, and resolves when they have or it takes too long: they do it without us, too. */
  stop(): Promise<void>
}

interface Runner {
  child: ChildProcess
  /** Runs that it was sent and hasn't heard of. */
  unheard: Map<string, RunMessage>
  /** Whether it went in good order. */
  parked: boolean
  send(message: ToRunner): void
}

const PARK_WITHIN_MS = 4000

/** A runner that was killed is replaced; one that dies of what it is asked to do, not for ever. */
const MAX_CRASHES = 3

export function createRunners(deps: RunnersDeps): Runners {
  const running = new Map<string, Runner>()
  const exits = new Set<Promise<void>>()
  const crashes = new Map<string, number>()
  let stopped = false

  function runnerOf(sid: string): Runner {
    const standing = running.get(sid)
    if (standing) return standing
    const runner = begin(sid)
    running.set(sid, runner)
    return runner
  }

  function begin(sid: string): Runner {
    const child = spawn(process.execPath, [deps.program], { stdio: ["pipe", "pipe", "inherit"] })
    const unheard: Runner["unheard"] = new Map()
    const send = (message: ToRunner) => void child.stdin?.write(`${JSON.stringify(message)}\n`)
    const runner: Runner = { child, unheard, send, parked: false }
    child.stdin?.on("error", () => {})
    child.on("error", deps.report)
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => hear(sid, runner, line))
    const exit = new Promise<void>((resolve) => child.once("close", () => resolve()))
      .then(() => gone(sid, runner))
      .catch(deps.report)
      .finally(() => exits.delete(exit))
    exits.add(exit)
    child.once("exit", (code) => {
      runner.parked = code === 0
    })
    const { dataFolder: data_folder, verboseErrors: verbose_errors } = deps
    send({ type: "start", sid, data_folder, local: true, idle_ms: IDLE_MS, verbose_errors, programs: [] })
    return runner
  }

  function hear(sid: string, { unheard }: Runner, line: string): void {
    const message = FromRunner.parse(JSON.parse(line))
    if (message.type === "accepted") unheard.delete(message.run_id)
    // A runner may wake readers of its own session's logs only.
    if (message.type === "wake" && isOfSession(message.log, sid)) deps.wakeups.notify(message.log)
  }

  /** One that parked while it was being asked has missed what it was asked: the next one hears it. */
  async function gone(sid: string, runner: Runner): Promise<void> {
    if (running.get(sid) === runner) running.delete(sid)
    if (stopped) return
    if (runner.parked && runner.unheard.size > 0) {
      const next = runnerOf(sid)
      for (const [runId, message] of runner.unheard) {
        next.unheard.set(runId, message)
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
      const opened = await deps.accountOf(launch, options).catch(deps.report)
      if (!opened || stopped) return
      const account = { api_key: opened.apiKey, base_url: opened.baseUrl, home: opened.home }
      const { sid, runId: run_id, expectedGeneration: expected_generation } = launch
      const message: RunMessage = { type: "run", run_id, expected_generation, account }
      const runner = runnerOf(sid)
      runner.unheard.set(run_id, message)
      runner.send(message)
    },
    wake: (log) => running.get(/^s\/([^/]+)\//.exec(log)?.[1] ?? "")?.send({ type: "wake", log }),
    isServed: (sid) => running.has(sid),
    serve: (sid) => void (stopped || runnerOf(sid)),
    async stop() {
      stopped = true
      for (const { child } of running.values()) child.kill("SIGTERM")
      const done = new AbortController()
      const patience = deps.clock.sleep(PARK_WITHIN_MS, done).catch(() => undefined)
      await Promise.race([Promise.all(exits), patience])
      done.abort()
    },
  }
}

const IDLE_MS = 300_000
