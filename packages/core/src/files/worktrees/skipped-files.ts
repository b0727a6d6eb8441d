import type { SkippedFile } from "./checkpoint-schema.ts"
import { listFiles } from "./unresolved.ts"

const REASONS: Record<SkippedFile["reason"], string> = {
  link: "a link",
  submodule: "a submodule",
  worktree: "another worktree",
  path: "a name that can't be stored",
  too_large: "too large",
  no_room: "no space left in the session",
  unreadable: "unreadable",
  conflict: "an unresolved conflict",
  refused: "git refuses it",
}

/** Lists up to ten skipped files with the reasons, and the number of further files. */
export function listSkipped(files: SkippedFile[]): string {
  return listFiles(files.map(({ path, reason, detail }) => `${path} (${detail ?? REASONS[reason]})`))
}

/** Explains that git refused to commit these files. */
export function describeRefused(files: SkippedFile[]): string {
  return `Git can't commit ${listSkipped(files)}. The branch doesn't have these changes; they exist only in the worktree.`
}

/** Returns the next prompt for an agent whose work contains files that git refuses. */
export function refusedPrompt(files: SkippedFile[]): string {
  return `# Not done yet

${describeRefused(files)} The rest of your work is committed.

- If the work needs such a file, mend it so that \`git add\` accepts it.
- If it doesn't, remove the file or add it to \`.gitignore\`.
- If neither is possible, leave the file and say so in your summary.

End as before, with the summary as a block of JSON.
`
}
