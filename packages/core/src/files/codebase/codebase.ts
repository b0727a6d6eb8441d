import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { WorkspacePath } from "../workspaces/path.ts"

interface Options {
  signal: AbortSignal
}

/** A listed file, whose content hasn't been read. */
export interface CodeFile {
  path: WorkspacePath
  sizeBytes: number
  /** Identifies the file's bytes. Comparable only within one codebase. */
  stamp: string
}

/** A file's text, and the hash of its bytes. Its byte order mark and line ends are part of the text. */
export interface CodeText {
  text: string
  sha256: string
}

/** New text of a path. With `ifSha256`, writes only over these bytes, or with null, only if there is no file. */
export interface FileWrite {
  path: WorkspacePath
  text: string
  ifSha256: string | null
}

export interface ApplyOptions extends Options {
  /** Step of a run that these writes finish. `guard` names the run. A finished step is not repeated. */
  step?: string
  /**
   * Makes the rule that decides if the writes may be recorded. It receives the events of the writes, if any, and its
   * verdict is appended as one batch.
   */
  guard?: (events: NewEvent[]) => Rule
}

/**
 * Files that a session's chat, checks and symbols work on: a workspace, or a repository's worktree. Excludes paths that
 * `workspacePath` refuses, links and submodules, which can't be read or written.
 */
export interface Codebase {
  /** Lists all files by path, except those that the repository ignores. */
  list(options: Options): Promise<CodeFile[]>
  /**
   * Throws `workspace_not_found` if there is no file, `workspace_binary_file` if it isn't text, and
   * `workspace_validation_error` if the text is too long for the editor.
   */
  read(path: WorkspacePath, options: Options): Promise<CodeText>
  /**
   * Writes all files or none. Throws `workspace_conflict` with the path in `details` if a file isn't as expected, or
   * its parents prevent it. A file that already has the new text is no conflict, so a repetition after a crash
   * succeeds.
   */
  apply(writes: FileWrite[], options: ApplyOptions): Promise<void>
}
