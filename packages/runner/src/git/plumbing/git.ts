import { dirname } from "node:path"
import type { Files } from "../../files/files.ts"

export interface GitCall {
  cwd: string
  input?: Uint8Array | string | AsyncIterable<Uint8Array>
  /** Variables that are added to the default environment. */
  env?: Record<string, string>
  /** Exit codes other than 0 that aren't failures. */
  accept?: number[]
  /** Maximum size of the output. If git prints more, it is stopped. */
  maxBytes?: number
  /** Receives git's progress messages while it runs. */
  onProgress?: (text: string) => void
  /** True if the call should return as soon as git itself exits, even if git's child processes keep the output open. */
  endsAtExit?: boolean
  /** True for the first checkout of a commit that no agent can have touched. Allows the user's filters to run. */
  isUntouched?: boolean
  /** Folders that the call reads in addition to the worktree. */
  reads?: string[]
  /**
   * Folders that the call changes. Set if the call processes an agent's content for the user's repository. In the
   * sandbox, the call can't change any other folder, and reads the repository's real git folder.
   */
  writes?: string[]
  /** Command prefix that starts git for this call. */
  startedBy?: string[]
  signal: AbortSignal
}

export interface GitAnswer {
  code: number
  stdout: Buffer
  stderr: string
}

/**
 * Runs git. Throws `AppError` if git fails, or the signal's reason once the signal aborts. Commands that move branches
 * aren't started after an abort, but are never stopped midway: they are short, and a git process that is killed while
 * taking its first lock would leave the lock behind.
 *
 * A repository's config names programs to run, so anyone who can write to the config can act as git's user. In a
 * sandbox, agents have their own config, and git runs in the sandbox whenever it processes anything that agents may
 * have touched.
 */
export interface Git {
  (args: string[], call: GitCall): Promise<GitAnswer>
  /** Access to the repositories' files, with the same user as git. */
  readonly files: Files
  /** True if several users from one group work in the repositories. */
  readonly isShared: boolean
}

/** Variables that make git ignore the user's and the system's settings. */
export const NO_PERSON = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" }

/**
 * Returns variables that prevent git from using a parent folder's repository if the folder's own repository is broken.
 */
export const notAbove = (folder: string) => ({ GIT_CEILING_DIRECTORIES: dirname(folder) })

/** Signal for calls that must not be stopped midway. */
export const NEVER = new AbortController().signal

export interface GitOptions {
  /** Complete environment of git. Contains at least PATH, and HOME if ssh needs its keys. */
  env: Record<string, string>
  /**
   * True if the user's and the system's config apply: filters such as LFS, line endings, global ignores, credentials.
   * Settings that affect git's output format are always overridden.
   */
  userConfig?: boolean
  /**
   * User that git runs as, if different from the runner's user. If git ran as root, agents could become root by writing
   * to a repository.
   */
  user?: { uid: number; gid: number }
  /**
   * Command prefix that runs git with fewer privileges. The prefix is necessary because a repository's config can make
   * git run programs.
   */
  startedBy?: string[]
  /** File access with the rights of `user`, if different from the runner's. */
  files?: Files
  /** True if the repositories belong to the session, and each worktree has its own user. */
  isShared?: boolean
  /** Time limit for commands that neither use the network nor run a hook. */
  withinMs?: number
}
