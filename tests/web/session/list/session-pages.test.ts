import type { Session } from "@switchyard/core/sessions/schema"
import { expect, it } from "vitest"
import { joinPages, refetchesIn } from "../../../../packages/web/src/session/list/session-pages.ts"
import { withSummary } from "../../../../packages/web/src/session/list/with-summary.ts"

const session = (id: string, change: Partial<Session> = {}) => ({ id, active: false, ...change }) as Session

it("has a session once that moved from one page to the next, as it was told first", () => {
  const moved = session("b", { active: true })
  expect(joinPages([{ sessions: [session("a"), moved] }, { sessions: [session("b"), session("c")] }])).toEqual([
    session("a"),
    moved,
    session("c"),
  ])
})

it("is requested again soon if the last request failed, and later for sessions that were started elsewhere", () => {
  expect(refetchesIn("success")).toBe(60_000)
  expect(refetchesIn("error")).toBe(5_000)
  expect(refetchesIn("pending")).toBe(false)
})

it("shows a session's new summary on its page, and counts its questions", () => {
  const page = (sessions: Session[]) => ({ sessions, next: null, open_questions: 3 })
  const asking = (open_questions: number) => session("b", { open_questions })
  const data = { pages: [page([session("a")]), page([asking(1)])] }
  const counted = (sessions: Session[]) => ({ sessions, next: null, open_questions: 4 })
  expect(withSummary(data, asking(2)).pages).toEqual([counted([session("a")]), counted([asking(2)])])
  expect(withSummary(data, session("elsewhere"))).toBe(data)
})
