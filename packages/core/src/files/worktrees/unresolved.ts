import { formatCount } from "../../text/format.ts"
import type { Unresolved } from "./schema.ts"

const OPERATIONS: Record<NonNullable<Unresolved["operation"]>, string> = {
  merge: "A merge",
  rebase: "A rebase",
  am: "A series of patches (git am)",
  cherry_pick: "A cherry-pick",
  revert: "A revert",
  bisect: "A bisect",
}

const LISTED = 10

/** Describes a worktree's unresolved conflicts and unfinished operations. */
export function describeUnresolved({ operation, files }: Unresolved): string {
  const conflicts = files.length > 0 ? `conflicts in ${listFiles(files)}` : ""
  if (operation === null) return `The worktree has unresolved ${conflicts}.`
  return `${OPERATIONS[operation]} in the worktree isn't finished${conflicts && `, with ${conflicts}`}.`
}

/** Describes an unfinished operation to a reader who can also see the list of files. */
export function describeOperation({ operation, files }: Unresolved): string {
  const conflicts = files.length > 0 ? `${formatCount(files.length, "file")} with conflicts` : ""
  if (operation === null) return `The worktree has ${conflicts}.`
  return `${OPERATIONS[operation]} in the worktree isn't finished${conflicts && `: ${conflicts}`}.`
}

/** Lists up to ten files, and the number of further files. */
export function listFiles(files: string[]): string {
  const rest = files.length - LISTED
  return `${files.slice(0, LISTED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}

/** Returns the next prompt for an agent that left conflicts or an unfinished operation in a worktree. */
export function unresolvedPrompt(found: Unresolved): string {
  return `# Not done yet

${describeUnresolved(found)} Nothing of your work is committed until that is settled.

- Resolve each conflict: edit the file so that both sides' intentions survive, remove the markers, and stage it with \`git add\` (or \`git rm\`).
- Then finish the operation with \`git … --continue\`, or commit a merge. If you don't want it, abort it with \`git … --abort\` or \`git bisect reset\`.
- Check with \`git status\` that nothing is left, and run the checks.

End as before, with the summary as a block of JSON.
`
}

/** Returns the next prompt for an agent whose work contains conflict markers. */
export function markersPrompt(files: string[]): string {
  return `# Not done yet

Your work has conflict markers (\`<<<<<<<\`, \`=======\`, \`>>>>>>>\`) in ${listFiles(files)}. While they are there, the work can't be merged.

- Resolve each conflict so that both sides' intentions survive, and remove the markers.
- If such lines are meant to be there, as in a test of a parser, leave them and say so in your summary.

End as before, with the summary as a block of JSON.
`
}
