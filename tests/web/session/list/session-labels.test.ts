import type { Session } from "@switchyard/core/sessions/schema"
import { describe, expect, it } from "vitest"
import { lastRequest, statusLabel } from "../../../../packages/web/src/session/list/session-labels.ts"

const label = (change: Partial<Session>) => {
  const session = { status: "done", kind: "build", progress: null, last_run: "run_1", repository: null, file_count: 0 }
  return statusLabel({ ...session, active: change.status === "busy", ...change } as Session)
}

describe("the label of a session", () => {
  it("says how far a run is, or how it ended", () => {
    expect(label({ status: "busy", progress: { step: 1, total: 3 } as Session["progress"] })).toBe("File 2 of 3")
    expect(label({ status: "busy", progress: { step: 3, total: 3 } as Session["progress"] })).toBe("File 3 of 3")
    expect(label({ status: "busy" })).toBe("Planning")
    expect(label({ status: "needs_input" })).toBe("Waiting for you")
    expect(label({ status: "waiting", waits_until: "2026-11-24T16:00:00.000Z" })).toMatch(/^Continues \S+.*\d:00/)
    expect(label({ status: "done" })).toBe("Done")
    expect(label({ status: "error" })).toBe("Failed")
  })

  it("tells a session that was stopped from one that never ran", () => {
    expect(label({ status: "idle" })).toBe("Stopped")
    expect(label({ status: "idle", last_run: null })).toMatch(/^not /i)
  })

  it("counts the files of a session at rest", () => {
    expect(label({ file_count: 1 })).toBe("Done · 1 file")
    expect(label({ file_count: 4 })).toBe("Done · 4 files")
    expect(label({ status: "busy", file_count: 4 })).toBe("Planning")
  })

  it.each(["/home/me/shop", "/home/me/shop/", "https://git.example/me/shop.git", "git@git.example:me/shop.git"])(
    "names the repository of %s by its last part",
    (repository) => {
      expect(label({ repository, file_count: 4 })).toBe("Done · in shop")
    },
  )

  it("names a repository whole that has no last part", () => {
    expect(label({ repository: "/" })).toBe("Done · in /")
  })
})

it("has the last request of a session, unless that is its name", () => {
  const asked = (name: string, last_run: { prompt: string } | null) => lastRequest({ name, last_run } as Session)
  expect(asked("Shopping list", { prompt: "In blue." })).toBe("In blue.")
  expect(asked("In blue.", { prompt: "In blue." })).toBeNull()
  expect(asked("New session", null)).toBeNull()
})
