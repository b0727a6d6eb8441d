import type { Session } from "@switchyard/core/sessions/schema"
import { describe, expect, it } from "vitest"
import { groupSessions, lastActiveFirst } from "../../../../packages/web/src/session/list/session-groups.ts"

const now = new Date(2026, 10, 23, 0, 30)
const session = (id: string, at: Date, change: Partial<Session> = {}) =>
  ({ id, status: "done", pinned: false, last_activity: at.toISOString(), ...change }) as Session
const titles = (sessions: Session[]) =>
  groupSessions(sessions, now).map(({ title, sessions }) => [title, ...sessions.map(({ id }) => id)])

describe("the groups of sessions", () => {
  it("are days of the calendar here, then months", () => {
    expect(
      titles([
        session("a", new Date(2026, 10, 23, 0, 10)),
        session("b", new Date(2026, 10, 22, 23, 50)),
        session("c", new Date(2026, 10, 17, 12)),
        session("d", new Date(2026, 10, 16, 12)),
        session("e", new Date(2026, 9, 1)),
        session("f", new Date(2025, 9, 1)),
      ]),
    ).toEqual([
      ["Today", "a"],
      ["Yesterday", "b"],
      ["Tuesday", "c"],
      ["November 2026", "d"],
      ["October 2026", "e"],
      ["October 2025", "f"],
    ])
  })

  it("begin with what needs somebody, what is at work, and what is pinned", () => {
    const old = new Date(2026, 1, 1)
    expect(
      titles([
        session("pinned", old, { pinned: true }),
        session("today", now),
        session("busy", old, { status: "busy" }),
        session("asks", old, { status: "needs_input", pinned: true }),
      ]),
    ).toEqual([
      ["Needs you", "asks"],
      ["Working", "busy"],
      ["Pinned", "pinned"],
      ["Today", "today"],
    ])
  })

  it("put no pin before the last activity where somebody goes on", () => {
    const sorted = lastActiveFirst([session("pinned", new Date(2026, 1, 1), { pinned: true }), session("new", now)])
    expect(sorted.map(({ id }) => id)).toEqual(["new", "pinned"])
  })
})
