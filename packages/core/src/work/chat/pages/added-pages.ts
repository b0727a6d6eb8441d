import { AppError } from "../../../errors.ts"
import type { SessionHistory } from "../../../kernel/history.ts"
import { inLiveSession } from "../../../kernel/rules.ts"
import type { SessionLog } from "../../../kernel/session-log.ts"
import { createHostPolicy } from "../../../network/host-policy.ts"
import { createFetchPage, type FetchPage } from "../../pages/fetch-page.ts"
import { readPage } from "../../pages/read-page.ts"
import { type ChatStores, pagesOf, readPath } from "../history/model-history.ts"
import { newChatId } from "../ids.ts"
import { addPage } from "../rules.ts"
import type { ChatPage } from "../schema.ts"
import type { ChatDeps } from "../turn/turn.ts"

/** Reads a page and adds it to the model's context. Throws `invalid_request` if the page can't be read. */
export async function addReadPage(
  deps: Pick<ChatDeps, "fetchPage" | "clock">,
  session: SessionLog,
  url: string,
  { signal }: { signal: AbortSignal },
): Promise<ChatPage> {
  const page = await readPage(deps, url, signal)
  if (page.error !== null) throw new AppError("invalid_request", page.error, { url })
  await session.decide(inLiveSession(addPage(page, newChatId(deps.clock.now()))), { signal })
  return page
}

/** Creates a client that can only read pages on the public internet. */
export function createPublicFetch(): FetchPage {
  return createFetchPage({ hosts: createHostPolicy([]) })
}

/** Returns the pages in the context of the next turn. */
export async function readShownPages(
  deps: ChatStores,
  session: SessionHistory,
  { signal }: { signal: AbortSignal },
): Promise<Pick<ChatPage, "url" | "title" | "summary">[]> {
  const { chatId } = session.state.chat
  if (chatId === null) return []
  const path = await readPath(deps, session, { chatId, beforeSeq: session.state.head + 1, signal })
  return pagesOf(path, [], []).map(({ url, title, summary }) => ({ url, title, summary }))
}
