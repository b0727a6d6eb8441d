import { readHistoryBack, type SessionHistory } from "../../../kernel/history.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { ContextItem } from "../../context/tiers.ts"
import type { ChatStores } from "../history/model-history.ts"

interface LastPlaces {
  /** Tiers of the newest prompt. Null before the first prompt, and after a rebuild is requested. */
  places: ContextItem[] | null
  /** Tiers that were discarded by a rebuild. Null if no rebuild has been requested since the newest prompt. */
  rebuilt: ContextItem[] | null
}

/** Returns the tiers of a conversation's newest prompt, or the tiers discarded by a rebuild. */
export async function lastPlaces(
  { records, blobs }: ChatStores,
  session: SessionHistory,
  chatId: string,
  options: { signal: AbortSignal },
): Promise<LastPlaces> {
  let isRebuilt = false
  for await (const event of readHistoryBack({ records }, session, "chat", options)) {
    if (!("chat_id" in event) || event.chat_id !== chatId) continue
    if (event.type === "chat_context_rebuilt") isRebuilt = true
    if (event.type !== "chat_context_prepared") continue
    const items = (await hydrateEvent(blobs, event, options)).items as ContextItem[]
    return isRebuilt ? { places: null, rebuilt: items } : { places: items, rebuilt: null }
  }
  return { places: null, rebuilt: null }
}
