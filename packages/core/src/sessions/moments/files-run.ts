import { createWorktreePort } from "../../agents/runner/worktree-commands.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import { beginReview } from "../../work/chat/edits/review.ts"
import { planUndo } from "../../work/chat/edits/undo-edits.ts"
import { readRepository } from "../../work/chat/files/repository-files.ts"
import type { FilesTask } from "../../work/chat/schema.ts"
import type { RunWork } from "../../work/runs/run-context.ts"
import { requireUnfailed, type WriteDeps, writeRepository } from "./repository-write.ts"

/**
 * Returns the function for runs that read the files of a session's repository for the chat, or that review, reset or
 * undo changes. A change is made only once, even if executors take over from each other, and then the files are read.
 */
export function createFilesWork(deps: WriteDeps): RunWork<FilesTask> {
  const port = { ...deps, worktrees: createWorktreePort(deps) }
  return async (context) => {
    const { input, runId } = context
    const { chat } = await context.catchUp()
    requireUnfailed(context)
    // If the change isn't due, an earlier executor of this run has already made it.
    const isDue = chat.restore?.runId === runId
    if (input.task === "review") {
      if (isDue) await beginReview(port, context, input)
      return
    }
    if (isDue && input.task === "reset") {
      await writeRepository(deps, context, async () => {
        await readRepository(port, context)
        const message = "Reset the files to the last commit"
        return { change: { kind: "reset" }, files: { message, reset: true, files: [] } }
      })
    }
    if (isDue && input.task === "undo") {
      const { request_id: requestId } = input
      await writeRepository(deps, context, async () => {
        return planUndo(deps, await openSessionLog(deps, context.sid, context), requestId, context)
      })
    }
    await readRepository(port, context)
  }
}
