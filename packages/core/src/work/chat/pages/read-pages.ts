import { mapConcurrent } from "../../../concurrency/map-concurrent.ts"
import { addressesToRead } from "../../pages/addresses.ts"
import { readPage } from "../../pages/read-page.ts"
import { type PathEvent, pagesOf } from "../history/model-history.ts"
import type { ChatPage } from "../schema.ts"
import type { ChatDeps, Turn } from "../turn/turn.ts"
import { needsSummary, summarizePage } from "./summarize-page.ts"

const READS_AT_ONCE = 3
/** Minimum time between two fetches of a page in the same conversation. */
const FRESH_MS = 24 * 60 * 60 * 1000

/**
 * Reads the pages linked in a turn's message once, and logs their texts before the model is called. Summarises long
 * pages, including pages that a person added earlier.
 */
export async function readPages(deps: ChatDeps, turn: Turn, path: readonly PathEvent[]): Promise<void> {
  const { context, journal } = turn
  const { asked } = journal
  const addresses = addressesToRead(asked)
  const added = addedPages(path, asked.excluded_urls).filter(({ url }) => !addresses.includes(url))
  if (journal.pages || addresses.length + added.length === 0) return
  const { signal } = context
  const recent = recentPages(path, deps.clock.now() - FRESH_MS)
  const read = async (url: string) => recent.get(url) ?? readPage(deps, url, signal)
  const pages = await context.awaitExternal(() =>
    Array.fromAsync(mapConcurrent(addresses, read, { atOnce: READS_AT_ONCE })),
  )
  const about = { chatId: asked.chat_id, message: asked.content }
  const summarize = (page: ChatPage) => summarizePage(deps, context, about, page)
  const shown = await Array.fromAsync(mapConcurrent([...added, ...pages], summarize, { atOnce: READS_AT_ONCE }))
  await context.write([{ type: "chat_pages_read", ...turn.ids, pages: shown }])
  journal.pages = shown
}

/**
 * Returns the pages that the conversation has read after `since` (epoch milliseconds), by URL. Leaves out their
 * summaries, which were written for other questions.
 */
function recentPages(path: readonly PathEvent[], since: number): Map<string, ChatPage> {
  const recent = path.filter(({ ts }) => Date.parse(ts) > since)
  return new Map(pagesOf(recent, [], []).map(({ summary: _, ...page }) => [page.url, page]))
}

/** Returns the pages added by a person that are still shown in full because no turn has processed them yet. */
function addedPages(path: readonly PathEvent[], excluded: readonly string[]): ChatPage[] {
  const lastLook = path.findLastIndex(({ type }) => type === "chat_pages_read")
  const before = pagesOf(path.slice(0, lastLook + 1), [], [])
  const isNew = (page: ChatPage) => needsSummary(page) && !before.includes(page)
  return pagesOf(path, [], excluded).filter((page) => page.summary === undefined && isNew(page))
}
