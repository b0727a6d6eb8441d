import { mapConcurrent } from "../../map-concurrent.ts"
import { addressesToRead } from "../pages/addresses.ts"
import { readPage } from "../pages/read-page.ts"
import type { ChatDeps, Turn } from "./turn.ts"

const READS_AT_ONCE = 3

/** Reads the pages that a turn's message names, once: what they said is in the log before the model is asked. */
export async function readPages(deps: ChatDeps, { context, journal }: Turn): Promise<void> {
  const addresses = addressesToRead(journal.asked)
  if (journal.pages || addresses.length === 0) return
  const { signal, runId } = context
  const read = (url: string) => readPage(deps, url, signal)
  const pages = await context.awaitExternal(() =>
    Array.fromAsync(mapConcurrent(addresses, read, { atOnce: READS_AT_ONCE })),
  )
  const { request_id, chat_id, agent_id } = journal.asked
  await context.write([{ type: "chat_pages_read", run_id: runId, agent_id, request_id, chat_id, pages }])
  journal.pages = pages
}
