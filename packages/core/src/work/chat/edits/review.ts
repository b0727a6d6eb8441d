import { AppError } from "../../../errors.ts"
import { type DiffFile, ReviewDiff, type ReviewQuery } from "../../../files/worktrees/diff-schema.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { type RepositoryDeps, readRepository, sendCommand } from "../files/repository-files.ts"
import { startReview } from "../rules.ts"
import type { ChatDeps } from "../turn/turn.ts"
import { changedLines } from "./diff-text.ts"

/**
 * Maximum number of characters of changes in a prompt, about 30,000 tokens. Beyond this, only the names of files are
 * included.
 */
const MAX_REVIEW_CHARS = 120_000

/**
 * Starts a review. Until the review ends, each message to the model includes the repository's current changes, and no
 * edits are applied. Throws `invalid_request` if there are no changes to review.
 */
export async function beginReview(
  deps: RepositoryDeps & Pick<ChatDeps, "clock">,
  context: RunContext<unknown>,
  { base, tip }: ReviewQuery,
): Promise<void> {
  await readRepository(deps, context)
  const { sid, runId, signal } = context
  const asked = { sid, commandId: deps.newId("cmd"), command: { question: "review" as const, base, tip } }
  const diff = ReviewDiff.parse(await context.awaitExternal(() => sendCommand(deps, asked, { signal })))
  if (diff.files_changed === 0)
    throw new AppError("invalid_request", "There is nothing to review, because no files differ.")
  const { base_commit, tip_commit, summary } = diff
  const review = { base, tip, base_commit, tip_commit, summary, changes: reviewText(diff) }
  await context.decide(startReview(runId, review))
}

/** Returns the section of the prompt that contains the changes under review. */
function reviewText({ base_commit, tip_commit, summary, commits, files }: ReviewDiff): string {
  const head = `# Under Review\n\nThese are the changes from ${base_commit.slice(0, 12)} to ${tip_commit.slice(0, 12)}: ${summary}. Review them: say what is wrong or risky, and where. Do not write edit blocks, for nothing is applied during a review.`
  const made = commits.length > 0 ? `## Commits\n\n${commits.join("\n")}` : ""
  let room = MAX_REVIEW_CHARS
  const leftOut: string[] = []
  const shown = files.flatMap((file) => {
    const text = fileText(file)
    if (text.length > room) {
      leftOut.push(file.new_path)
      return []
    }
    room -= text.length
    return [text]
  })
  const rest = leftOut.length > 0 ? `## Too long to be shown\n\n${leftOut.join("\n")}` : ""
  return [head, made, ...shown, rest].filter(Boolean).join("\n\n")
}

function fileText(file: DiffFile): string {
  const { old_path, new_path, is_new, is_deleted, is_renamed, is_binary } = file
  const what = is_new ? " (new)" : is_deleted ? " (deleted)" : is_renamed ? ` (was ${old_path})` : ""
  const lines = is_binary ? "It is binary." : changedLines(file)
  return `## ${new_path}${what}\n\n${lines}`
}
