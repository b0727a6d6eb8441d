import { mapConcurrent } from "../../map-concurrent.ts"
import { addressesToRead } from "../pages/addresses.ts"
import { type ReadPage, readPage } from "../pages/read-page.ts"
import { summarizePage } from "./summarize-page.ts"
import type { ChatDeps, Turn } from "./turn.ts"

const READS_AT_ONCE = 3

/** Reads the pages that a turn's message names, once: what they said is in the log before the model is asked, long ones in short. */
export async function readPages(deps: ChatDeps, turn: Turn): Promise<void> {
  const { context, journal } = turn
  const addresses = addressesToRead(journal.asked)
  if (journal.pages || addresses.length === 0) return
  const { signal, runId } = context
  const read = (url: string) => readPage(deps, url, signal)
  const pages = await context.awaitExternal(() =>
    Array.fromAsync(mapConcurrent(addresses, read, { atOnce: READS_AT_ONCE })),
  )
  const summarize = (page: ReadPage) => summarizePage(deps, turn, page)
  const { request_id, chat_id, agent_id } = journal.asked
  const shown = await Array.fromAsync(mapConcurrent(pages, summarize, { atOnce: READS_AT_ONCE }))
  await context.write([{ type: "chat_pages_read", run_id: runId, agent_id, request_id, chat_id, pages: shown }])
  journal.pages = shown
}
