import { AppError } from "../../../errors.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import type { RunWork } from "../../runs/run-context.ts"
import { pagesOf, readPath } from "../history/model-history.ts"
import { PAGE_AGENT, type PageInput } from "../schema.ts"
import type { ChatDeps } from "../turn/turn.ts"
import { canSummarize, needsSummary, summaryOf } from "./summarize-page.ts"

/**
 * Returns the function for a run that summarises a page added outside the conversation. The run does nothing if the
 * page was removed or already has a summary. It fails if the model fails.
 */
export function createPageSummary(deps: ChatDeps): RunWork<PageInput> {
  return async (context) => {
    const { sid, signal, runId } = context
    const { chat_id: chatId, url } = context.input
    const session = await openSessionLog(deps, sid, { signal })
    const path = await readPath(deps, session, { chatId, beforeSeq: session.state.head + 1, signal })
    const page = pagesOf(path, [], []).find((one) => one.url === url)
    if (!page || page.summary !== undefined || !needsSummary(page) || !canSummarize(context.model)) return
    const summary = await summaryOf(deps, context, { chatId, message: "" }, page)
    if (summary === "") throw new AppError("workflow_error", "The model didn't write a summary of the page.")
    await context.write([
      { type: "chat_page_summarized", run_id: runId, agent_id: PAGE_AGENT, chat_id: chatId, url, summary },
    ])
  }
}
