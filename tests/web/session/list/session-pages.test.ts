import type { Session } from "@switchyard/core/sessions/schema"
import { expect, it } from "vitest"
import { joinPages, refetchesIn } from "../../../../packages/web/src/session/list/session-pages.ts"

const session = (id: string, change: Partial<Session> = {}) => ({ id, active: false, ...change }) as Session
const quiet = [{ sessions: [session("a"), session("b")] }, { sessions: [] }]
const active = [...quiet, { sessions: [session("c", { active: true })] }]

it("has a session once that moved from one page to the next, as it was told first", () => {
  const moved = session("b", { active: true })
  expect(joinPages([{ sessions: [session("a"), moved] }, { sessions: [session("b"), session("c")] }])).toEqual([
    session("a"),
    moved,
    session("c"),
  ])
})

it("is requested again soon while a session is active or the last request failed, and else not", () => {
  expect(refetchesIn("success", active)).toBe(5_000)
  expect(refetchesIn("error", quiet)).toBe(5_000)
  expect(refetchesIn("error", [])).toBe(5_000)
  expect(refetchesIn("success", quiet)).toBe(false)
  expect(refetchesIn("pending", [])).toBe(false)
})
