import * as z from "zod"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"

const Entry = z.object({ session_id: z.string() })

/**
 * Sessions with open questions, by owner. Like all lists, this index is only a hint, because the sessions' logs are
 * authoritative.
 */
export type QuestionIndex = ReturnType<typeof createQuestionIndex>

interface AskingSession {
  sid: string
  state: SessionState
}

export function createQuestionIndex({ records, index }: { records: Records; index: RunIndex }) {
  const partitionOf = (owner: string) => `questions/${owner}`
  return {
    /** Updates a session's entry from its log. Call this after each change to a run of the session. */
    async update({ sid, state: { questions } }: AskingSession, runId: string, options: { signal: AbortSignal }) {
      if (questions.asked === 0) return
      const ref = await index.get(runId, options)
      if (!ref) return
      const key = { partition: partitionOf(ref.owner), sort: sid }
      if (questions.waiting.length > 0) await records.put(key, { value: { session_id: ref.session_id } }, options)
      else await records.remove(key, options)
    },
    async *sessionsOf(owner: string, options: { signal: AbortSignal }) {
      for await (const { key, value } of records.range(partitionOf(owner), options)) {
        yield { sid: key.sort, sessionId: Entry.parse(value).session_id }
      }
    },
  }
}
