import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { FromRunner } from "@switchyard/core/agents/runner/messages"
import { isOfSession } from "@switchyard/core/kernel/keys"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { StoreServices } from "@switchyard/core/storage/open-stores"
import {
  type ProcessEnd,
  type RunMessage,
  type RunnerProcess,
  type StartMessage,
  startRunnerProcess,
} from "./runner-process.ts"

export interface RunnerProcessesDeps {
  /** Path of the runner program. */
  program: string
  /** Absolute path. */
  dataFolder: string
  services: StoreServices
  verboseErrors: boolean
  allowedHosts: string[]
  /** Maximum time that an agent waits for an answer before its run parks. Undefined for the default. */
  parkAfterMs?: number | undefined
  /** Returns the key that seals secrets for a session's runners. */
  keyOf: (sid: string) => Uint8Array
  wakeups: Wakeups
  /** Answers a runner's request about a login. */
  answerLogin: (sid: string, request: LoginRequest) => Promise<LoginAnswer>
  /** Reconciles one of the session's runs on behalf of the session's runner. */
  reconcile: (asked: { sid: string; runId: string }) => Promise<void>
  report: (error: unknown) => void
}

/** Runner processes on this machine. Each session has at most one. */
export interface RunnerProcesses {
  get(sid: string): RunnerProcess | undefined
  has(sid: string): boolean
  start(sid: string, found: FoundForStart): RunnerProcess
  /**
   * Returns the socket path that the session's runner reported for the project's server, or undefined if no server is
   * running.
   */
  previewSocket(sid: string): string | undefined
  /** Asks all runners to park. Resolves when they have exited. */
  park(): Promise<void>
}

/** Facts about a session that are read from the stores before its runner starts. */
interface FoundForStart {
  leftLogins: LeftLogin[]
  retentionMs: number | undefined
}

/** End of a runner, with the runs that it hadn't accepted. */
export interface RunnerExit extends ProcessEnd {
  unconfirmed: RunMessage[]
}

/** A parked runner takes a second to start again, and an idle one keeps 50 MB. */
const IDLE_MS = 30_000

/**
 * Creates the runner processes. `onExit` isn't called after `stopped` aborts, because every runner is then meant to
 * exit.
 */
export function createRunnerProcesses(
  deps: RunnerProcessesDeps,
  { stopped, onExit }: { stopped: AbortSignal; onExit: (sid: string, exit: RunnerExit) => Promise<void> },
): RunnerProcesses {
  const { report } = deps
  const running = new Map<string, RunnerProcess>()
  const exits = new Set<Promise<void>>()
  /** Sockets of the servers that sessions' projects run, by session. */
  const previews = new Map<string, string>()

  function start(sid: string, found: FoundForStart): RunnerProcess {
    const receiveFrom = { report, receive: (message: FromRunner) => receive(sid, message) }
    const runner = startRunnerProcess(deps.program, startMessage(deps, sid, found), receiveFrom)
    running.set(sid, runner)
    const exit = runner.exited
      .then((end) => handleExit(sid, { ...end, unconfirmed: runner.unconfirmed }))
      .catch(report)
      .finally(() => exits.delete(exit))
    exits.add(exit)
    return runner
  }

  async function handleExit(sid: string, exit: RunnerExit): Promise<void> {
    running.delete(sid)
    previews.delete(sid)
    if (!stopped.aborted) await onExit(sid, exit)
  }

  function receive(sid: string, message: FromRunner): void {
    // The sweep does the same work. If this process doesn't finish it, the next sweep does.
    if (message.type === "reconcile" && !stopped.aborted) {
      deps.reconcile({ sid, runId: message.run_id }).catch(report)
    }
    if (message.type === "login") void answerLogin(sid, message)
    if (message.type === "preview") notePreview(sid, message.socket)
    // A runner may only wake readers of its own session's logs.
    if (message.type === "wake" && isOfSession(message.log, sid)) deps.wakeups.notify(message.log)
  }

  /**
   * Answers a runner's request about a login. Continues even while this process is stopping, because a renewed login
   * isn't stored anywhere else.
   */
  async function answerLogin(sid: string, { id, request }: Extract<FromRunner, { type: "login" }>): Promise<void> {
    const runner = running.get(sid)
    const answer = await deps.answerLogin(sid, request).catch(report)
    runner?.send({ type: "login", id, ...(answer && { answer }) })
  }

  function notePreview(sid: string, socket: string | null): void {
    if (socket === null) previews.delete(sid)
    else previews.set(sid, socket)
  }

  return {
    get: (sid) => running.get(sid),
    has: (sid) => running.has(sid),
    start,
    previewSocket: (sid) => previews.get(sid),
    async park() {
      for (const runner of running.values()) runner.stop()
      await Promise.all(exits)
    },
  }
}

function startMessage(deps: RunnerProcessesDeps, sid: string, found: FoundForStart): StartMessage {
  const { pathStyle: path_style = false, table, bucket } = deps.services
  return {
    type: "start",
    sid,
    key: Buffer.from(deps.keyOf(sid)).toString("base64"),
    data_folder: deps.dataFolder,
    services: { table, bucket, path_style },
    verbose_errors: deps.verboseErrors,
    allowed_hosts: deps.allowedHosts,
    local: true,
    idle_ms: IDLE_MS,
    programs: [],
    park_after_ms: deps.parkAfterMs,
    retention_ms: found.retentionMs,
    left_logins: found.leftLogins,
  }
}
