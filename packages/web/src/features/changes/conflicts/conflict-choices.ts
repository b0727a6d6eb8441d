import type { ConflictFile, ConflictKind, Conflicts } from "@switchyard/core/files/worktrees/conflict-schema"
import type { HunkChoice } from "@switchyard/core/files/worktrees/merge-schema"

/** The names of the two sides, as people read them. */
export interface Sides {
  ours: string
  theirs: string
}

/** A merge brings the work into the target branch; an update brings that branch into the work. */
export function sidesOf({ direction, target_branch }: Pick<Conflicts, "direction" | "target_branch">): Sides {
  return direction === "merge"
    ? { ours: target_branch, theirs: "this branch" }
    : { ours: "this branch", theirs: target_branch }
}

export function kindText(kind: ConflictKind, { ours, theirs }: Sides): string {
  const texts = {
    content: "Both changed the same lines.",
    both_added: "Both added it, with different content.",
    deleted_by_ours: `Deleted in ${ours}, changed in ${theirs}.`,
    deleted_by_theirs: `Deleted in ${theirs}, changed in ${ours}.`,
    deleted_by_both: "Renamed differently on both sides, so it's no longer here on either.",
    added_by_ours: `Only in ${ours}.`,
    added_by_theirs: `Only in ${theirs}.`,
  } satisfies Record<ConflictKind, string>
  return texts[kind]
}

/** The lines of a region after this choice, for a preview. */
export function resultOf(hunk: ConflictFile["hunks"][number], choice: HunkChoice): string[] {
  if (typeof choice !== "string") return choice.lines
  return choice === "both" ? [...hunk.ours, ...hunk.theirs] : hunk[choice]
}

/** The edited text of a region as lines. An empty text is no line, not an empty one. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

export type Choices = readonly (HunkChoice | null)[]

/** The choices of all regions; null until every one is made. */
export function allMade(choices: Choices): HunkChoice[] | null {
  const made = choices.filter((choice) => choice !== null)
  return made.length === choices.length ? made : null
}
