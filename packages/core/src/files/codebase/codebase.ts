import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { WorkspacePath } from "../workspaces/path.ts"

interface Options {
  signal: AbortSignal
}

/** A listed file whose content hasn't been read. */
export interface CodeFile {
  path: WorkspacePath
  sizeBytes: number
  /** Identifies the file's content. Comparable only within one codebase. */
  stamp: string
}

/** A file's text, including its byte order mark and line endings, and the hash of its bytes. */
export interface CodeText {
  text: string
  sha256: string
}

/** New text for a file. `ifSha256` is the hash that the file must still have; null if it must not exist. */
export interface FileWrite {
  path: WorkspacePath
  text: string
  ifSha256: string | null
}

export interface ApplyOptions extends Options {
  /** Step of a run that is finished by these writes. `guard` supplies the run. A finished step isn't repeated. */
  step?: string
  /**
   * Creates the rule that decides whether the writes may be recorded. It receives the events of the writes, if any. Its
   * verdict is appended as one batch.
   */
  guard?: (events: NewEvent[]) => Rule
}

/**
 * Files that a session's chat, checks and symbols work on: a workspace or a repository's worktree. Excludes links,
 * submodules and paths that `workspacePath` rejects: these can't be read or written.
 */
export interface Codebase {
  /** Lists all files by path, except those ignored by git. */
  list(options: Options): Promise<CodeFile[]>
  /**
   * Throws `workspace_not_found` if there is no such file, `workspace_binary_file` if it isn't text, or
   * `workspace_validation_error` if it's too long for the editor.
   */
  read(path: WorkspacePath, options: Options): Promise<CodeText>
  /**
   * Writes all files or none. Throws `workspace_conflict` with the path in `details` if a file has changed or a parent
   * is in the way. A file that already has the new text isn't a conflict, so retrying after a crash succeeds.
   */
  apply(writes: FileWrite[], options: ApplyOptions): Promise<void>
}
