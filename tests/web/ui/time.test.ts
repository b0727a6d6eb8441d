import { describe, expect, it } from "vitest"
import { ago } from "../../../packages/web/src/ui/time.ts"

describe("how long ago something was", () => {
  const now = Date.parse("2026-01-02T12:00:00.000Z")
  const minutesAgo = (minutes: number) => ago(new Date(now - minutes * 60_000).toISOString(), now)

  it("is said in minutes, then in hours, then by the day", () => {
    expect(minutesAgo(0.9)).toBe("just now")
    expect(minutesAgo(1)).toBe("1 min ago")
    expect(minutesAgo(59.9)).toBe("59 min ago")
    expect(minutesAgo(60)).toBe("1 hr ago")
    expect(minutesAgo(24 * 60 - 1)).toBe("23 hr ago")
    expect(minutesAgo(48 * 60)).toContain("2025")
  })

  it("is just now where the server's clock is ahead", () => {
    expect(minutesAgo(-5)).toBe("just now")
  })
})
