import type { ListOptions } from "@switchyard/core/sessions/listing"
import type { SessionList } from "@switchyard/core/sessions/schema"
import { toSession } from "@switchyard/core/sessions/session-view"
import type { AppDeps } from "../deps.ts"

/**
 * Returns a page of the owner's sessions in the API's format, with the number of open questions in all of the owner's
 * sessions.
 */
export async function sessionList(
  { sessions, cleanups, questions, stopping: signal }: AppDeps,
  owner: string,
  query: Omit<ListOptions, "signal">,
): Promise<SessionList> {
  const [page, retentionMs, openQuestions] = await Promise.all([
    sessions.list(owner, { ...query, signal }),
    cleanups.retentionMs(owner, { signal }),
    questions.countOf(owner, { signal }),
  ])
  const rows = page.sessions.map((found) => toSession(found, { retentionMs }))
  return { sessions: rows, total: page.total, next: page.next, open_questions: openQuestions }
}
