import type { Session, SessionList } from "../../api/session.ts"

type Pages = { pages: SessionList[] }

/** Returns pages with the session's new summary, or the same object if the session isn't on them. */
export function withSummary<T extends Pages>(data: T, summary: Session): T {
  const before = data.pages.flatMap(({ sessions }) => sessions).find(({ id }) => id === summary.id)
  if (!before) return data
  const asked = summary.open_questions - before.open_questions
  const pages = data.pages.map(({ sessions, open_questions, ...page }) => ({
    ...page,
    open_questions: open_questions + asked,
    sessions: sessions.map((session) => (session.id === summary.id ? summary : session)),
  }))
  return { ...data, pages }
}
