import { once } from "node:events"
import { pipeline } from "node:stream/promises"
import { AppError } from "@switchyard/core/errors"
import { type ProgramExit, startProgram } from "../../processes/spawner.ts"
import type { GitCall, GitOptions } from "./git.ts"

interface GitRun extends Omit<GitCall, "accept" | "env">, Pick<GitOptions, "env" | "user"> {
  maxBytes: number
  withinMs: number | undefined
}

export interface EndedGit extends ProgramExit {
  stdout: Buffer
  stderr: string
  tooMuch: boolean
  tooLate: boolean
}

/** Time between SIGTERM and SIGKILL. After SIGTERM, git removes its locks, which can take seconds on a slow disk. */
const STOP_WITHIN_MS = 10_000
/** Time limit for reading the remaining output after git has exited. */
const REST_WITHIN_MS = 1000
const STDERR_CHARS = 64 * 1024

/**
 * Runs a command line until it exits or is stopped. Throws if the program can't be started or the command's input can't
 * be read.
 */
export async function runGit(
  [file = "git", ...args]: string[],
  { cwd, env, user, input, maxBytes, withinMs, onProgress, endsAtExit, signal }: GitRun,
): Promise<EndedGit> {
  // Git has its own process group: its children are killed with it, and Ctrl-C in the runner's terminal doesn't stop it
  // midway.
  const child = await startProgram(file, args, { cwd, env, user }).catch((error) => {
    throw notStarted(error, cwd)
  })
  const stdout: Buffer[] = []
  let stderr = ""
  let bytes = 0
  let isOver = false
  let force: NodeJS.Timeout | undefined
  const kill = (killSignal: NodeJS.Signals) => {
    if (!isOver) killGroup(child.pid, killSignal)
  }
  const stop = () => {
    kill("SIGTERM")
    force ??= setTimeout(() => kill("SIGKILL"), STOP_WITHIN_MS).unref()
  }
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) stop()
    else stdout.push(chunk)
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS)
    onProgress?.(text)
  })
  const closed = Promise.all([child.stdout, child.stderr].map((stream) => stream.closed || once(stream, "close")))
  // Ignore errors: if git doesn't read all of its input, its exit code shows the cause.
  child.stdin.on("error", () => {})
  let unread: unknown
  if (input === undefined || typeof input === "string" || input instanceof Uint8Array) child.stdin.end(input)
  else {
    pipeline(input, child.stdin).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") unread = error
    })
  }
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  let tooLate = false
  const outlast = () => {
    tooLate = true
    stop()
  }
  const limit = withinMs === undefined ? undefined : setTimeout(outlast, withinMs).unref()
  let leave: NodeJS.Timeout | undefined
  const close = () => {
    child.stdout.destroy()
    child.stderr.destroy()
  }

  try {
    const exit = await child.exited.catch((error) => {
      close()
      throw notStarted(error, cwd)
    })
    isOver = true
    if (endsAtExit) leave = setTimeout(close, REST_WITHIN_MS)
    await closed
    if (unread !== undefined) throw unread
    return { ...exit, stdout: Buffer.concat(stdout), stderr, tooMuch: bytes > maxBytes, tooLate }
  } finally {
    clearTimeout(limit)
    clearTimeout(force)
    clearTimeout(leave)
    signal.removeEventListener("abort", stop)
  }
}

function killGroup(pid: number, killSignal: NodeJS.Signals): void {
  try {
    process.kill(-pid, killSignal)
  } catch (error) {
    // Git has already exited, and its exit event follows.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/**
 * Returns the error for a git process that didn't start. Names the folder, because a missing folder causes the same
 * error as a missing git.
 */
function notStarted(cause: Error, cwd: string): AppError {
  return new AppError("git_error", "Git couldn't be started in this folder.", { folder: cwd }, { cause })
}
