import * as z from "zod"
import type { LogEvent } from "../../events.ts"
import { readField } from "../../log/payload.ts"
import type { Message } from "../../models/provider.ts"
import type { Blobs } from "../../storage/blobs.ts"

/** Reads a conversation's messages from the events of its runs. */
export async function readConversation(
  blobs: Blobs,
  events: AsyncIterable<LogEvent>,
  options: { signal: AbortSignal },
): Promise<Message[]> {
  const messages: Message[] = []
  for await (const event of events) {
    if (event.type !== "conversation_extended") continue
    messages.push(...((await readField(blobs, event.messages, z.array(z.unknown()), options)) as Message[]))
  }
  return messages
}
