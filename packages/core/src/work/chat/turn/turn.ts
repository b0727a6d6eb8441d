import type { NewEvent } from "../../../events.ts"
import type { SymbolCache } from "../../../files/symbols/symbol-cache.ts"
import type { SessionLogDeps } from "../../../kernel/session-log.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { ModelDeps } from "../../harness/context.ts"
import type { FetchPage } from "../../pages/fetch-page.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { WorktreePort } from "../files/worktree-port.ts"
import type { ChatInput } from "../schema.ts"
import type { TurnJournal } from "./journal.ts"

export interface ChatDeps extends SessionLogDeps, ModelDeps {
  blobs: Blobs
  symbolCache?: SymbolCache
  fetchPage: FetchPage
  /** Longest wait of a turn for the code map (default: two seconds). Files parsed later appear in the next map. */
  mapWithinMs?: number
  /** Absent if there are no runners. */
  worktrees?: WorktreePort
}

export interface Turn {
  context: RunContext<ChatInput>
  /** Fields that identify the turn in its events. */
  ids: Pick<TurnJournal["asked"], "run_id" | "agent_id" | "request_id" | "chat_id">
  journal: TurnJournal
  /** Partial answer after the model was stopped or failed. Recorded when the turn ends. */
  unfinished?: NewEvent & { type: "chat_answered" }
  /** True if the map lacks code files because they aren't parsed yet. */
  hasUnparsedFiles?: boolean
}
