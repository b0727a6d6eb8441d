import { type History, readHistoryBack } from "../../kernel/history.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { PlacedItem } from "./context-schema.ts"

/** The places of everything in a conversation's newest prompt; null before the first, and where they are to be dealt out anew. */
export async function lastPlaces(
  { records, blobs }: { records: Records; blobs: Blobs },
  session: { sid: string; state: SessionState; history: History },
  chatId: string,
  options: { signal: AbortSignal },
): Promise<PlacedItem[] | null> {
  for await (const event of readHistoryBack({ records }, session, "chat", options)) {
    if (event.type === "chat_files_read" || event.chat_id !== chatId) continue
    if (event.type === "chat_context_rebuilt") return null
    if (event.type !== "chat_context_prepared") continue
    return (await hydrateEvent(blobs, event, options)).items as PlacedItem[]
  }
  return null
}
