import type { DiffFile } from "../../../files/worktrees/diff-schema.ts"

const MAX_CHARS = 200_000
const MARKS = { context: " ", add: "+", delete: "-", no_newline: "\\" } as const

/** Formats a diff in git's format, truncated at a limit. */
export function patchText(files: readonly DiffFile[]): string {
  const text = files.map(fileText).join("")
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n[cut]\n`
}

function fileText({ old_path, new_path, is_new, is_deleted, is_binary, hunks }: DiffFile): string {
  const head = [`--- ${is_new ? "/dev/null" : `a/${old_path}`}`, `+++ ${is_deleted ? "/dev/null" : `b/${new_path}`}`]
  const lines = (hunks ?? []).flatMap(({ old_start, old_count, new_start, new_count, lines: inHunk }) => [
    `@@ -${old_start},${old_count} +${new_start},${new_count} @@`,
    ...inHunk.map(({ type, content }) => `${MARKS[type]}${content}`),
  ])
  return `${[...head, ...(is_binary ? ["Binary files differ"] : lines)].join("\n")}\n`
}
