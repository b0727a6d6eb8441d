import type { Version } from "./schema.ts"

/** Returns what created a version: the request of its run, edits by a person, or a restore. */
export function describeAuthor({ author, run, restores }: Pick<Version, "author" | "run" | "restores">): string {
  if (restores) return `Restored ${restores.path ? `${restores.path} from ` : ""}version ${restores.version}`
  if (author === "person") return "You"
  return run?.request || "A run"
}

/** Returns how many files a version added, changed and deleted. Empty if there are none. */
export function describeCounts(version: Pick<Version, "files_added" | "files_changed" | "files_deleted">): string {
  const { files_added: added, files_changed: changed, files_deleted: deleted } = version
  const counts = [added && `${added} added`, changed && `${changed} changed`, deleted && `${deleted} deleted`]
  return counts.filter(Boolean).join(", ")
}
