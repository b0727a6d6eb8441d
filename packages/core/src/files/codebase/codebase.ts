import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { WorkspacePath } from "../workspaces/path.ts"

interface Options {
  signal: AbortSignal
}

/** A file as a list has it: nothing of it is read. */
export interface CodeFile {
  path: WorkspacePath
  sizeBytes: number
  /** Identifies the file's bytes, for as long as they stay the same. Comparable only within one codebase. */
  stamp: string
}

/** A file's text, and the hash of its bytes. A byte order mark and its line ends are part of the text. */
export interface CodeText {
  text: string
  sha256: string
}

/** A whole new text for a path. `ifSha256`: only over these bytes, or, with null, only where there is no file. */
export interface FileWrite {
  path: WorkspacePath
  text: string
  ifSha256: string | null
}

export interface ApplyOptions extends Options {
  /** The step of a run that these writes finish; `guard` names the run. A finished step is not done again. */
  step?: string
  /**
   * Makes the rule that decides whether the writes may be recorded, and adds what is recorded with them: it gets the events
   * of the writes themselves, if there are any, and its verdict is appended as one batch.
   */
  guard?: (events: NewEvent[]) => Rule
}

/**
 * The files that a session's chat, checks and symbols work on: a workspace, or the worktree of a repository. Paths of a
 * repository that `workspacePath` refuses, links and submodules are not listed, and can't be read or written.
 */
export interface Codebase {
  /** All files in order of the path, without those that the repository ignores. */
  list(options: Options): Promise<CodeFile[]>
  /**
   * Throws `workspace_not_found` where there is no file, `workspace_binary_file` for what is not text, and
   * `workspace_validation_error` for a text that is too long for the editor.
   */
  read(path: WorkspacePath, options: Options): Promise<CodeText>
  /**
   * Writes all files or none. Throws `workspace_conflict` with the path in `details` where a file isn't what it was expected
   * to be, or can't be because of its parents; one that already has the new text is no conflict, so that a repetition after
   * a crash isn't one either.
   */
  apply(writes: FileWrite[], options: ApplyOptions): Promise<void>
}
