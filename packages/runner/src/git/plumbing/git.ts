import { dirname } from "node:path"
import type { Files } from "../../files/files.ts"

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
  /**
   * Whether no agent can have touched what the call works on, so that the person's own filters may run: the first checkout of
   * a commit that isn't an agent's.
   */
  isUntouched?: boolean
  /** Folders besides those of the worktree that the call takes, to read. */
  reads?: string[]
  /**
   * Folders that the call changes, if it works on an agent's content for the person's repository. In the sandbox it changes
   * nothing else, and reads the repository's git folder as it is.
   */
  writes?: string[]
  /** The command that starts git for this call. */
  startedBy?: string[]
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
 * A repository's own configuration names programs to run: write access to it is as good as the rights of git's user. So in a
 * sandbox agents have a configuration of their own, and git works there on what they can have touched.
 */
export interface Git {
  (args: string[], call: GitCall): Promise<GitAnswer>
  /** The files of its repositories, for the same user. */
  readonly files: Files
  /** Whether several users of one group work in its repositories. */
  readonly isShared: boolean
}

/** Environment of git without the settings of the person and of the machine. */
export const NO_PERSON = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" }

/** Environment that keeps git from taking a repository around this folder if the folder's own is broken. */
export const notAbove = (folder: string) => ({ GIT_CEILING_DIRECTORIES: dirname(folder) })

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
