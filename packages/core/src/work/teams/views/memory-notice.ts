import type { Message } from "../../../models/provider.ts"
import type { YieldMove } from "../../harness/durable-loop.ts"
import { isNearlyTooLong } from "../../harness/shorten-conversation.ts"

const NOTICE = "Your conversation is long, so you will soon be shown only its newest part."

/**
 * Returns the member's next move. If the member's conversation will soon be shortened, the move includes a request to
 * take notes.
 */
export function withMemoryNotice(move: YieldMove, messages: readonly Message[], today: string): YieldMove {
  if (move === "end" || !isNearlyTooLong(messages, { notice: NOTICE })) return move
  const notice = `${NOTICE} Keep now with memory_write, with append, in daily/${today}.md what of it is of use later: what was decided and why, what was found out, what is still to be done. Then go on.`
  return move === "call" ? { say: notice } : { ...move, say: `${move.say}\n\n---\n\n${notice}` }
}
