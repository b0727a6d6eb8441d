import { isAppError } from "../../../errors.ts"
import { createSymbolCache } from "../../../files/symbols/symbol-cache.ts"
import type { RunWork } from "../../runs/run-context.ts"
import type { ChatInput } from "../schema.ts"
import { ask } from "./ask.ts"
import { commitFiles } from "./commit-files.ts"
import { readTurnJournal } from "./journal.ts"
import { prepareNextTurn } from "./prepare-next-turn.ts"
import { failureBefore, settleFailed, settleTurn } from "./settle-turn.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/**
 * Returns the function that carries out a turn: ask the model, apply the edits, settle the turn. Each step ends with an
 * event, so that an executor that takes over the run continues with the first unfinished step.
 */
export function createChat(given: ChatDeps): RunWork<ChatInput> {
  const deps = { symbolCache: createSymbolCache(), ...given }
  return async (context) => {
    const journal = await readTurnJournal(context, deps.blobs)
    const { run_id, agent_id, request_id, chat_id } = journal.asked
    const turn: Turn = { context, journal, ids: { run_id, agent_id, request_id, chat_id } }
    const { settled } = journal
    if (settled) {
      const failure = failureBefore(settled)
      if (failure) throw failure
      return prepareNextTurn(deps, turn)
    }
    try {
      if (journal.asked.commit) await commitFiles(deps, turn)
      else if (!journal.answered) await ask(deps, turn)
      await settleTurn(deps, turn)
    } catch (error) {
      await concludeFailed(turn, error)
    }
    await prepareNextTurn(deps, turn)
  }
}

/** Settles a turn that was stopped or failed, so that clients receive its end exactly once. Rethrows the error. */
async function concludeFailed(turn: Turn, error: unknown): Promise<never> {
  const { signal } = turn.context
  // If this executor was superseded or must shut down, its successor continues the turn.
  const isLeft = isAppError(error, "run_superseded") || (signal.aborted && !isAppError(signal.reason, "run_cancelled"))
  if (!isLeft) await settleFailed(turn, error)
  throw error
}
