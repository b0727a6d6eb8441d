import { dirname } from "node:path"
import type { Files } from "../../files/files.ts"

export interface GitCall {
  cwd: string
  input?: Uint8Array | string | AsyncIterable<Uint8Array>
  /** Variables in addition to the environment of every call. */
  env?: Record<string, string>
  /** Exit codes besides 0 that are an answer, not a failure. */
  accept?: number[]
  /** Limit of the output. Git is stopped beyond it. */
  maxBytes?: number
  /** Receives git's progress messages while it runs. */
  onProgress?: (text: string) => void
  /** True to return when git itself exits, even if processes that it started still hold its output. */
  endsAtExit?: boolean
  /** True for the first checkout of a commit that no agent can have touched: the person's filters may run. */
  isUntouched?: boolean
  /** Folders that the call reads, in addition to the worktree's. */
  reads?: string[]
  /**
   * Folders that the call changes, if it processes an agent's content for the person's repository. In the sandbox it
   * changes nothing else, and reads the repository's real git folder.
   */
  writes?: string[]
  /** Command that starts git for this call. */
  startedBy?: string[]
  signal: AbortSignal
}

export interface GitAnswer {
  code: number
  stdout: Buffer
  stderr: string
}

/**
 * Runs git. Throws `AppError` if git refuses, and the signal's reason once it aborts. A command that moves branches
 * isn't started then, but is never stopped halfway: it is short, and a git that is killed while it takes its first lock
 * leaves the lock behind.
 *
 * A repository's configuration names programs to run, so write access to it is as good as the rights of git's user. In
 * a sandbox, agents have a configuration of their own, and git works there on anything that they may have touched.
 */
export interface Git {
  (args: string[], call: GitCall): Promise<GitAnswer>
  /** Files of its repositories, as the same user. */
  readonly files: Files
  /** True if several users of one group work in its repositories. */
  readonly isShared: boolean
}

/** Environment of git without the settings of the person and of the machine. */
export const NO_PERSON = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" }

/** Environment that keeps git from taking a repository around this folder if the folder's own is broken. */
export const notAbove = (folder: string) => ({ GIT_CEILING_DIRECTORIES: dirname(folder) })

/** For calls that must not be stopped halfway. */
export const NEVER = new AbortController().signal

export interface GitOptions {
  /** Whole environment that git inherits: at least PATH, and HOME if ssh needs its keys. */
  env: Record<string, string>
  /**
   * True if the configuration of the user and of the machine applies: filters such as LFS, line endings, global
   * ignores, credentials. Settings that change the format of git's output are always overruled.
   */
  userConfig?: boolean
  /** User to run as, if not the runner's own: agents must not control root by writing to a repository. */
  user?: { uid: number; gid: number }
  /** Command that starts git with fewer rights, because git runs programs that a repository's configuration names. */
  startedBy?: string[]
  /** Files as that user sees them, if it isn't the runner's own user. */
  files?: Files
  /** True if its repositories are the session's own, and each worktree has a user of its own. */
  isShared?: boolean
  /** Limit of a command that neither uses a network nor runs a hook. */
  withinMs?: number
}
