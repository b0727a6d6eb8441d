import { AppError } from "../../errors.ts"
import { mapConcurrent } from "../../map-concurrent.ts"
import { addressesToRead } from "../pages/addresses.ts"
import { pageText } from "../pages/page-text.ts"
import type { ChatPage } from "./schema.ts"
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

/** Reads one page for the model; what kept it from that is its `error`. */
export async function readPage(
  { fetchPage }: Pick<ChatDeps, "fetchPage">,
  url: string,
  signal: AbortSignal,
): Promise<ChatPage> {
  try {
    const { title, text } = await pageText(await fetchPage(sourceOf(url), { signal }))
    return { url, title, text, error: null }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof AppError ? error.message : "The page can't be read."
    return { url, title: "", text: "", error: reason }
  }
}

/** The address of a file's own text, where the page of a forge shows it in a frame of its own. */
function sourceOf(url: string): string {
  const [, repository, file] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/blob\/([^?#]+)/.exec(url) ?? []
  return file ? `https://raw.githubusercontent.com/${repository}/${file}` : url
}
