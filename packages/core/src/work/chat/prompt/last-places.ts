import { type History, readHistoryBack } from "../../../kernel/history.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { SessionState } from "../../../state.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { Records } from "../../../storage/records.ts"
import type { PlacedItem } from "../context-schema.ts"

/** Returns the tiers of a conversation's newest prompt. Null before the first, and after a rebuild request. */
export async function lastPlaces(
  { records, blobs }: { records: Records; blobs: Blobs },
  session: { sid: string; state: SessionState; history: History },
  chatId: string,
  options: { signal: AbortSignal },
): Promise<PlacedItem[] | null> {
  return (await newestPlaces({ records, blobs }, session, chatId, options)).places
}

interface NewestPlaces {
  places: PlacedItem[] | null
  /** Tiers that a rebuild discarded. Null without a rebuild since. */
  rebuilt: PlacedItem[] | null
}

/** Returns the newest tiers, and those before a rebuild. */
export async function newestPlaces(
  { records, blobs }: { records: Records; blobs: Blobs },
  session: { sid: string; state: SessionState; history: History },
  chatId: string,
  options: { signal: AbortSignal },
): Promise<NewestPlaces> {
  let isRebuilt = false
  for await (const event of readHistoryBack({ records }, session, "chat", options)) {
    if (event.type === "chat_files_read" || event.chat_id !== chatId) continue
    if (event.type === "chat_context_rebuilt") isRebuilt = true
    if (event.type !== "chat_context_prepared") continue
    const items = (await hydrateEvent(blobs, event, options)).items as PlacedItem[]
    return isRebuilt ? { places: null, rebuilt: items } : { places: items, rebuilt: null }
  }
  return { places: null, rebuilt: null }
}
