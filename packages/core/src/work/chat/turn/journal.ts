import type { EventOf } from "../../../events.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { ContextItem } from "../../context/tiers.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { ChatContext } from "../context-schema.ts"
import { promptTokensOf } from "../prompt/place-context.ts"
import type { ChatEdit, ChatInput, ChatPage, TurnSummary, TurnUsage } from "../schema.ts"

/** Finished steps of a turn, including steps of earlier executors. */
export interface TurnJournal {
  asked: EventOf<"chat_asked"> & { content: string }
  /** Pages linked in the message, once they have been read. */
  pages: ChatPage[] | null
  /** Parts of this turn's context with their tiers, once decided. */
  placed: ContextItem[] | null
  /**
   * Files that an answer edited although the model hadn't seen them, and that answer. Null if the turn wasn't continued
   * with more files.
   */
  added: { files: string[]; content: string; usage: TurnUsage } | null
  /** Estimated number of tokens in the prompt, once it is assembled. */
  promptTokens: number | null
  answered: (EventOf<"chat_answered"> & { content: string }) | null
  edits: ChatEdit[] | null
  /** True once this turn has committed the files. Only applies to turns that make a commit. */
  isCommitted: boolean
  settled: TurnSummary | null
}

/** Reads a turn's progress from the log. */
export async function readTurnJournal(
  context: Pick<RunContext<ChatInput>, "history" | "signal">,
  blobs: Blobs,
): Promise<TurnJournal> {
  const journal: Partial<TurnJournal> = {
    pages: null,
    placed: null,
    promptTokens: null,
    added: null,
    answered: null,
    edits: null,
    isCommitted: false,
    settled: null,
  }
  for await (const event of context.history()) {
    if (!event.type.startsWith("chat_")) continue
    const whole = await hydrateEvent(blobs, event, { signal: context.signal })
    if (whole.type === "chat_asked") journal.asked = whole as TurnJournal["asked"]
    if (whole.type === "chat_pages_read") journal.pages = whole.pages as ChatPage[]
    if (whole.type === "chat_context_prepared") {
      journal.placed = whole.items as ContextItem[]
      journal.promptTokens = promptTokensOf(journal.asked?.images ?? [], whole.figures as ChatContext)
    }
    if (whole.type === "chat_files_added") {
      const { files, content, usage } = whole
      journal.added = { files, content: content as string, usage }
    }
    if (whole.type === "chat_answered") journal.answered = whole as TurnJournal["answered"]
    if (whole.type === "chat_edits_applied") journal.edits = whole.edits as ChatEdit[]
    if (whole.type === "chat_committed") journal.isCommitted = true
    if (whole.type === "chat_turn_settled") journal.settled = whole.summary as TurnSummary
  }
  if (!journal.asked) throw new Error("The run of a chat turn has no question.")
  return journal as TurnJournal
}
