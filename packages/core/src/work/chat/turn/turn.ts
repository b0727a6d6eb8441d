import type { NewEvent } from "../../../events.ts"
import type { SymbolCache } from "../../../files/symbols/symbol-cache.ts"
import type { SessionLogDeps } from "../../../kernel/session-log.ts"
import type { ModelProvider } from "../../../models/provider.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { FetchPage } from "../../pages/fetch-page.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { WorktreePort } from "../files/worktree-port.ts"
import type { ChatInput } from "../schema.ts"
import type { TurnJournal } from "./journal.ts"

export interface ChatDeps extends SessionLogDeps {
  blobs: Blobs
  symbolCache?: SymbolCache
  /** Throws `invalid_request` for an unknown model, or one without a key. */
  openModel(name: string, apiKey: string | undefined): { provider: ModelProvider; model: string }
  fetchPage: FetchPage
  /** The time that a turn waits for the map; what isn't in it by then is in the next one's. Two seconds unless given. */
  mapWithinMs?: number
  /** Absent where there are no runners. */
  worktrees?: WorktreePort
}

/** A turn, and how far it is. */
export interface Turn {
  context: RunContext<ChatInput>
  journal: TurnJournal
  /** The answer as far as it came, of a model that was stopped or failed: it is recorded with the end of the turn. */
  unfinished?: NewEvent & { type: "chat_answered" }
  /** Whether there are files of code that the map doesn't have because nobody has parsed them yet. */
  hasUnparsedFiles?: boolean
}
