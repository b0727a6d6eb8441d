import { AppError } from "../../errors.ts"
import type { DiffEntry } from "./diff-schema.ts"
import { isGeneratedName } from "./generated-files.ts"

/** A changed file with the IDs of its two blobs. The ID of a missing blob is all zeros. */
export interface RawEntry extends DiffEntry {
  oldBlob: string
  newBlob: string
  /** True if the file became a symlink or submodule, or was one before. */
  isTypeChange: boolean
}

/**
 * Parses the output of `git diff-tree --raw --numstat -z`, which contains first all changes and then all line counts.
 */
export function parseRawDiff(bytes: Uint8Array): RawEntry[] {
  const fields = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\0")
  fields.pop()
  let at = 0
  const take = () => {
    const field = fields[at++]
    if (field === undefined) throw malformed()
    return field
  }
  const entries: RawEntry[] = []
  while (fields[at]?.startsWith(":")) entries.push(readEntry(take))
  for (const entry of entries) readCounts(entry, take)
  return entries
}

const modeOf = (mode: string | undefined) => (!mode || mode === "000000" ? null : mode)

function readEntry(take: () => string): RawEntry {
  const [oldMode, newMode, oldBlob = "", newBlob = "", status = ""] = take().slice(1).split(" ")
  const letter = status[0]
  const oldPath = take()
  const newPath = letter === "R" || letter === "C" ? take() : oldPath
  return {
    old_path: oldPath,
    new_path: newPath,
    is_new: letter === "A",
    is_deleted: letter === "D",
    is_renamed: letter === "R",
    is_copied: letter === "C",
    is_binary: false,
    is_submodule: oldMode === "160000" || newMode === "160000",
    old_mode: modeOf(oldMode),
    new_mode: modeOf(newMode),
    additions: 0,
    deletions: 0,
    marks: isGeneratedName(newPath) ? ["generated"] : [],
    oldBlob,
    newBlob,
    isTypeChange: letter === "T",
  }
}

/**
 * Reads `added<TAB>deleted<TAB>path`. Binary files have dashes instead of counts. For a renamed file, the two paths
 * follow separately.
 */
function readCounts(entry: RawEntry, take: () => string): void {
  const [added = "", deleted = "", ...path] = take().split("\t")
  if (path.join("\t") === "") {
    take()
    take()
  }
  entry.is_binary = added === "-"
  entry.additions = entry.is_binary ? null : Number(added)
  entry.deletions = entry.is_binary ? null : Number(deleted)
}

function malformed(): AppError {
  return new AppError("git_error", "Git's list of changed files is incomplete.")
}
