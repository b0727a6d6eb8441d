import { AppError } from "@switchyard/core/errors"
import { type Files, ownFiles } from "../../files/files.ts"
import { gitFailure } from "./git-errors.ts"
import { runGit } from "./git-process.ts"

export interface GitCall {
  cwd: string
  input?: Uint8Array | string | AsyncIterable<Uint8Array>
  /** In addition to the environment of every call. */
  env?: Record<string, string>
  /** Exit codes besides 0 that are an answer, not a failure. */
  accept?: number[]
  /** Limit of the output, beyond which git is stopped. */
  maxBytes?: number
  /** Receives git's progress messages while it runs. */
  onProgress?: (text: string) => void
  /** Whether to resolve when git itself exits, even if processes that it started still hold its output. */
  endsAtExit?: boolean
  signal: AbortSignal
}

export interface GitAnswer {
  code: number
  stdout: Buffer
  stderr: string
}

/**
 * Runs git. Throws `AppError` where git refuses, and the signal's reason once that is aborted. A command that moves branches
 * isn't started then, but never stopped halfway either: it is short, and a git that is stopped just as it takes its first
 * lock leaves the lock behind.
 *
 * A repository's own configuration names programs to run: write access to it is as good as the rights of git's user.
 */
export interface Git {
  (args: string[], call: GitCall): Promise<GitAnswer>
  /** The files of its repositories, for the same user. */
  readonly files: Files
  /** Whether several users of one group work in its repositories. */
  readonly isShared: boolean
}

/** For calls that must not be stopped halfway. */
export const NEVER = new AbortController().signal

export interface GitOptions {
  /** The whole environment that git inherits: PATH at least, HOME if ssh needs its keys. */
  env: Record<string, string>
  /**
   * Whether the configuration of the user and of the machine applies: filters such as LFS, line endings, global ignores,
   * credentials. Settings that would change the format of git's output are overruled in any case.
   */
  userConfig?: boolean
  /** The user to run as, if not the runner's own: agents must not decide what root does by writing to a repository. */
  user?: { uid: number; gid: number }
  /** The command that starts git, if anything is taken from it before: git runs what a repository's configuration names. */
  startedBy?: string[]
  /** The files as that user sees them, if it isn't the runner's own. */
  files?: Files
  /** Whether its repositories are the session's own, in which each worktree has a user of its own. */
  isShared?: boolean
  /** Limit of a command that neither uses a network nor runs a hook. */
  withinMs?: number
}

const MOVES_BRANCHES = new Set(["update-ref", "symbolic-ref", "branch"])

/**
 * An agent can leave a pipe where git expects a file, for which git would wait for good. Nothing of ours takes as long with
 * hundreds of thousands of files.
 */
const WITHIN_MS = 10 * 60_000
const UNLIMITED = new Set(["clone", "fetch", "push", "ls-remote", "hook"])

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
export function createGit(options: GitOptions): Git {
  const { env, userConfig = false, user, files = ownFiles, isShared = false, withinMs = WITHIN_MS } = options
  const { startedBy = [] } = options
  const closed: Record<string, string> = userConfig
    ? {}
    : { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" }
  const environment = { ...env, ...closed, ...ENVIRONMENT }
  const wanted = [...SETTINGS, ...(userConfig ? [] : CLOSED_SETTINGS), ...(isShared ? SHARED_SETTINGS : [])]
  const settings = wanted.flatMap((setting) => ["-c", setting])

  async function call(args: string[], asked: GitCall): Promise<GitAnswer> {
    const { cwd, input, accept = [], maxBytes = MAX_OUTPUT_BYTES, onProgress, endsAtExit, signal } = asked
    signal.throwIfAborted()
    const command = commandOf(args)
    const movesBranches = MOVES_BRANCHES.has(command)
    const ended = await runGit([...startedBy, "git", ...settings, ...args], {
      cwd,
      env: { ...environment, ...asked.env },
      user,
      input,
      maxBytes,
      onProgress,
      endsAtExit,
      withinMs: UNLIMITED.has(command) ? undefined : withinMs,
      signal: movesBranches ? NEVER : signal,
    })
    if (!movesBranches) signal.throwIfAborted()
    if (ended.tooLate) throw new AppError("git_error", `Git took longer than ${withinMs / 1000} s.`, { command })
    if (ended.tooMuch) throw new AppError("git_error", `Git printed more than ${maxBytes} bytes.`, { command })
    const { code } = ended
    if (code === null || (code !== 0 && !accept.includes(code))) throw gitFailure(command, ended)
    return { code, stdout: ended.stdout, stderr: ended.stderr }
  }
  return Object.assign(call, { files, isShared })
}

/** The subcommand, behind settings of the call. */
function commandOf([first = "", _value, ...rest]: string[]): string {
  return first === "-c" ? commandOf(rest) : first
}

const ENVIRONMENT = {
  LC_ALL: "C",
  LANGUAGE: "C",
  // No person can answer a prompt.
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_EDITOR: ":",
  GIT_PAGER: "cat",
  GIT_MERGE_AUTOEDIT: "no",
  // Reading must change nothing, not even refresh the index.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
  GIT_PROTOCOL_FROM_USER: "0",
}

/** Settings that the output depends on, or that start programs or write in the background. */
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
/** The repository is the user's of the worktree that came first. */
const SHARED_SETTINGS = ["safe.directory=*"]
