import type { DiffFile } from "../../../files/worktrees/diff-schema.ts"

const SIGNS = { context: " ", add: "+", delete: "-", no_newline: "\\" }

/** Returns the diff lines of a file, each prefixed with its sign. */
export function changedLines({ hunks }: Pick<DiffFile, "hunks">): string {
  return hunks.flatMap(({ lines }) => lines.map(({ type, content }) => `${SIGNS[type]}${content}`)).join("\n")
}
