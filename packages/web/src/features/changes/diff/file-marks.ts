import type { DiffEntry } from "@switchyard/core/files/worktrees/diff-schema"

/** Returns the file's special properties, such as "new, generated". */
export function marksOf(file: DiffEntry): string {
  const marks = [
    file.is_new && "new",
    file.is_deleted && "deleted",
    file.is_renamed && "renamed",
    file.is_copied && "copied",
    file.is_submodule && "submodule",
    file.marks.includes("generated") && "generated",
    file.marks.includes("too_large") && "too large",
    file.marks.includes("not_utf8") && "not UTF-8",
  ]
  return marks.filter(Boolean).join(", ")
}

/** Returns the change in a file's mode, such as to executable; null if it hasn't changed. */
export function modeChangeOf({ old_mode, new_mode }: DiffEntry): string | null {
  if (old_mode === null || new_mode === null || old_mode === new_mode) return null
  return `changed from ${modeOf(old_mode)} to ${modeOf(new_mode)}`
}

function modeOf(mode: string): string {
  const known: Record<string, string> = {
    "100644": "regular file",
    "100755": "executable",
    "120000": "symbolic link",
    "160000": "submodule",
  }
  return known[mode] ?? mode
}
