import type { Workspace } from "../../files/workspaces/files.ts"
import { checkProject } from "./check-project.ts"
import type { Finding } from "./facts/finding.ts"

/** Finds definite faults in a workspace's files. */
export async function faultsOf(files: Workspace, options: { signal: AbortSignal }): Promise<Finding[]> {
  const { files: texts, skippedBinary, skippedLarge } = await files.readAllTexts(options)
  const entries = [
    ...texts.map(({ path, text }) => [path, text] as const),
    ...[...skippedBinary, ...skippedLarge].map((path) => [path, null] as const),
  ]
  return checkProject(new Map(entries))
}

/**
 * Returns a predicate that is true for faults that aren't among the given ones. Ignores line numbers, because edits
 * shift lines.
 */
export function isNewAfter(before: readonly Finding[]): (fault: Finding) => boolean {
  const known = new Set(before.map(identityOf))
  return (fault) => !known.has(identityOf(fault))
}

function identityOf({ path, rule, message }: Finding): string {
  return `${path} ${rule} ${message.replace(/^Line \d+: /, "")}`
}
