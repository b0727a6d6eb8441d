import { describe, expect, it } from "vitest"
import { ago, bytes, duration } from "../../../packages/web/src/ui/time.ts"

describe("how long ago something was", () => {
  const now = Date.parse("2026-01-02T12:00:00.000Z")
  const minutesAgo = (minutes: number) => ago(new Date(now - minutes * 60_000).toISOString(), now)

  it("is said in minutes, then in hours, then by the day", () => {
    expect(minutesAgo(0.9)).toBe("just now")
    expect(minutesAgo(1)).toBe("1 min ago")
    expect(minutesAgo(59.9)).toBe("59 min ago")
    expect(minutesAgo(60)).toBe("1 h ago")
    expect(minutesAgo(24 * 60 - 1)).toBe("23 h ago")
    expect(minutesAgo(48 * 60)).toContain("2025")
  })

  it("is just now where the server's clock is ahead", () => {
    expect(minutesAgo(-5)).toBe("just now")
  })
})

it("shows a duration in the unit that a person would choose", () => {
  expect([419.6, 999, 1_000, 59_940, 60_000, 134_900].map(duration)).toEqual([
    "420 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 14 s",
  ])
})

it("shows a size in the unit that a person would choose", () => {
  expect([0, 999, 1_000, 3_140, 2_400_000].map(bytes)).toEqual(["0 B", "999 B", "1.0 KB", "3.1 KB", "2.4 MB"])
})
