import type { ConflictFile, ConflictKind, Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import type { HunkChoice } from "@switchyard/core/files/worktrees/merge-schema"

/** Names of the two sides, as shown to people. */
export interface Sides {
  ours: string
  theirs: string
}

/**
 * Returns the names of both sides. A merge brings the work into the target branch; an update brings that branch into
 * the work.
 */
export function sidesOf({ direction, target_branch }: Pick<Conflicts, "direction" | "target_branch">): Sides {
  return direction === "merge"
    ? { ours: target_branch, theirs: "this branch" }
    : { ours: "this branch", theirs: target_branch }
}

export function kindText(kind: ConflictKind, { ours, theirs }: Sides): string {
  const texts = {
    content: "Both sides changed the same lines.",
    both_added: "Both sides added this file with different content.",
    deleted_by_ours: `This file was deleted in ${ours} but changed in ${theirs}.`,
    deleted_by_theirs: `This file was deleted in ${theirs} but changed in ${ours}.`,
    deleted_by_both: "Each side gave this file a different name.",
    added_by_ours: `This file exists only in ${ours}.`,
    added_by_theirs: `This file exists only in ${theirs}.`,
  } satisfies Record<ConflictKind, string>
  return texts[kind]
}

/** Returns a region's lines after this choice, for a preview. */
export function resultOf(hunk: ConflictFile["hunks"][number], choice: HunkChoice): string[] {
  if (typeof choice !== "string") return choice.lines
  return choice === "both" ? [...hunk.ours, ...hunk.theirs] : hunk[choice]
}

/** Splits a region's edited text into lines. An empty text has no lines, not one empty line. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

export type Choices = readonly (HunkChoice | null)[]

/** Returns the choices for all regions; null until all have been made. */
export function allMade(choices: Choices): HunkChoice[] | null {
  const made = choices.filter((choice) => choice !== null)
  return made.length === choices.length ? made : null
}
