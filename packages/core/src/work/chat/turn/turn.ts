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
  /**
   * Maximum time in milliseconds that a turn waits for the code map, 2000 by default. Files that are parsed later
   * appear in the next map.
   */
  mapWithinMs?: number
  /** Access to worktrees. Absent if there are no runners. */
  worktrees?: WorktreePort
}

export interface Turn {
  context: RunContext<ChatInput>
  /** Fields that identify the turn in its events. */
  ids: Pick<TurnJournal["asked"], "run_id" | "agent_id" | "request_id" | "chat_id">
  journal: TurnJournal
  /** Partial answer of a model that was stopped or failed, which is recorded at the end of the turn. */
  unfinished?: NewEvent & { type: "chat_answered" }
  /** True if the map lacks code files because they aren't parsed yet. */
  hasUnparsedFiles?: boolean
}
