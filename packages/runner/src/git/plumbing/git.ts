import { spawn } from "node:child_process"
import { pipeline } from "node:stream/promises"
import { AppError } from "@switchyard/core/errors"
import { gitFailure } from "./git-errors.ts"

export interface GitCall {
  cwd: string
  input?: Uint8Array | string | AsyncIterable<Uint8Array>
  /** Above what every call has. */
  env?: Record<string, string>
  /** Exit codes beyond 0 that are an answer, not a failure. */
  accept?: number[]
  /** How much may be printed before git is stopped. */
  maxBytes?: number
  /** Hears what git prints for people while it runs. */
  onProgress?: (text: string) => void
  /** Whether it is over when git itself is, though what git started goes on and holds its output. */
  endsAtExit?: boolean
  signal: AbortSignal
}

export interface GitAnswer {
  code: number
  stdout: Buffer
  stderr: string
}

/**
 * Runs git. Throws `AppError` for what git refuses, and the signal's reason once that is aborted. What moves branches is
 * not begun then, but neither stopped halfway: it is short, and a git that is asked to stop just as it takes its first
 * lock leaves that behind.
 *
 * A repository's own configuration names programs to run: whoever may change that acts as whoever runs git there.
 */
export type Git = (args: string[], call: GitCall) => Promise<GitAnswer>

/** For what must not be stopped halfway. */
export const NEVER = new AbortController().signal

export interface GitOptions {
  /** All of the environment that git inherits: PATH at least, HOME where ssh looks for its keys. */
  env: Record<string, string>
  /**
   * Whether the configuration of the user and of the machine counts: filters as of LFS, line endings, what is ignored
   * everywhere, credentials. Whatever would change how git answers us is overruled all the same.
   */
  userConfig?: boolean
  /** Whom it runs as, where that isn't us: what agents can write in a repository must not be what root does. */
  user?: { uid: number; gid: number }
}

const MOVES_BRANCHES = new Set(["update-ref", "symbolic-ref", "branch"])

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
/**
 * Git removes its locks when it is asked to stop; after so long it is made to, and leaves them. A slow disk can hold it
 * up for seconds.
 */
const STOP_WITHIN_MS = 10_000
/** How long the rest of the output of one that is over is waited for. */
const REST_WITHIN_MS = 1000

export function createGit({ env, userConfig = false, user }: GitOptions): Git {
  const closed: Record<string, string> = userConfig
    ? {}
    : { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" }
  const environment = { ...env, ...closed, ...ENVIRONMENT }
  const settings = [...SETTINGS, ...(userConfig ? [] : CLOSED_SETTINGS)].flatMap((setting) => ["-c", setting])

  return async (args, call) => {
    const { cwd, input, accept = [], maxBytes = MAX_OUTPUT_BYTES, onProgress, endsAtExit, signal } = call
    signal.throwIfAborted()
    const movesBranches = MOVES_BRANCHES.has(args[0] ?? "")
    const ended = await run([...settings, ...args], {
      cwd,
      env: { ...environment, ...call.env },
      user,
      input,
      maxBytes,
      onProgress,
      endsAtExit,
      signal: movesBranches ? NEVER : signal,
    })
    if (!movesBranches) signal.throwIfAborted()
    if (ended.tooMuch) throw new AppError("git_error", `Git printed more than ${maxBytes} bytes.`, { command: args[0] })
    const { code } = ended
    if (code === null || (code !== 0 && !accept.includes(code))) throw gitFailure(args[0] ?? "", ended)
    return { code, stdout: ended.stdout, stderr: ended.stderr }
  }
}

const ENVIRONMENT = {
  LC_ALL: "C",
  LANGUAGE: "C",
  // Nobody is there to answer.
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_EDITOR: ":",
  GIT_PAGER: "cat",
  GIT_MERGE_AUTOEDIT: "no",
  // Looking changes nothing, not even an index that could be refreshed.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
  GIT_PROTOCOL_FROM_USER: "0",
}

/** What answers depend on, and what would start programs or write in the background. */
const SETTINGS = [
  "core.quotePath=off",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.safecrlf=false",
  "core.checkStat=default",
  "core.trustctime=true",
  "color.ui=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "i18n.commitEncoding=UTF-8",
  "submodule.recurse=false",
  "diff.renames=true",
  "diff.renameLimit=2000",
  "diff.suppressBlankEmpty=false",
  "diff.orderFile=/dev/null",
  "merge.renames=true",
  "merge.renameLimit=2000",
  "merge.directoryRenames=conflict",
  "merge.conflictStyle=merge",
  "merge.renormalize=false",
  "rerere.enabled=false",
  "credential.interactive=false",
  "advice.detachedHead=false",
]

const CLOSED_SETTINGS = ["core.excludesFile=/dev/null", "core.attributesFile=/dev/null"]

interface Run extends Omit<GitCall, "accept">, Pick<GitOptions, "user"> {
  maxBytes: number
}

export interface EndedGit {
  code: number | null
  killedBy: NodeJS.Signals | null
  stdout: Buffer
  stderr: string
  tooMuch: boolean
}

function run(
  args: string[],
  { cwd, env, user, input, maxBytes, onProgress, endsAtExit, signal }: Run,
): Promise<EndedGit> {
  // A group of its own: what git starts ends with it, and a Ctrl-C that is meant for us doesn't stop git halfway.
  const child = spawn("git", args, { cwd, env, ...user, detached: true, stdio: "pipe" })
  const stdout: Buffer[] = []
  let stderr = ""
  let bytes = 0
  let force: NodeJS.Timeout | undefined
  const kill = (killSignal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid, killSignal)
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
  // Whoever doesn't read its input to the end says why in its exit code.
  child.stdin.on("error", () => {})
  let unread: unknown
  if (input === undefined || typeof input === "string" || input instanceof Uint8Array) child.stdin.end(input)
  else {
    pipeline(input, child.stdin).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") unread = error
    })
  }
  signal.addEventListener("abort", stop, { once: true })
  let leave: NodeJS.Timeout | undefined
  const close = () => {
    child.stdout.destroy()
    child.stderr.destroy()
  }
  if (endsAtExit) child.once("exit", () => (leave = setTimeout(close, REST_WITHIN_MS)))

  return new Promise<EndedGit>((resolve, reject) => {
    child.on("error", (error) => reject(notStarted(error, cwd)))
    child.on("close", (code, killedBy) => {
      if (unread !== undefined) reject(unread)
      else resolve({ code, killedBy, stdout: Buffer.concat(stdout), stderr, tooMuch: bytes > maxBytes })
    })
  }).finally(() => {
    clearTimeout(force)
    clearTimeout(leave)
    signal.removeEventListener("abort", stop)
  })
}

function killGroup(pid: number, killSignal: NodeJS.Signals): void {
  try {
    process.kill(-pid, killSignal)
  } catch (error) {
    // It has ended, and we are about to hear of it.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

const STDERR_CHARS = 64 * 1024

/** A folder that isn't there and a git that isn't there look alike. */
function notStarted(cause: Error, cwd: string): AppError {
  return new AppError("git_error", "Git could not be started in this folder.", { folder: cwd }, { cause })
}
