import { firstTime, nextTime } from "@switchyard/core/work/teams/triggers/trigger-times"
import { expect, it } from "vitest"

const at = Date.parse
const daily = { type: "scheduled", cron: "30 2 * * *", timezone: "Europe/Berlin" } as const

it("comes at the hour of its time zone, and once in the night in which the clock goes back or forward", () => {
  expect(firstTime(daily, at("2026-10-24T12:00:00Z"))).toBe("2026-10-25T00:30:00.000Z")
  expect(nextTime(daily, "2026-10-25T00:30:00.000Z", at("2026-10-25T00:30:01Z"))).toEqual({
    next: "2026-10-26T01:30:00.000Z",
    missed: 0,
  })
  const spring = firstTime(daily, at("2026-03-28T12:00:00Z"))
  expect(nextTime(daily, String(spring), at(String(spring)) + 1000).next).toBe("2026-03-30T00:30:00.000Z")
})

it("goes on from now after a long time, and counts at most a thousand that it missed", () => {
  const everyMinute = { type: "scheduled", cron: "* * * * *", timezone: "UTC" } as const
  const now = at("2026-06-01T00:00:30Z")
  expect(nextTime(everyMinute, "2026-06-01T00:00:00.000Z", now)).toEqual({
    next: "2026-06-01T00:01:00.000Z",
    missed: 0,
  })
  expect(nextTime(everyMinute, "2026-01-01T00:00:00.000Z", now)).toEqual({
    next: "2026-06-01T00:01:00.000Z",
    missed: 1000,
  })
})

it("never comes again before it was due, though the clock went back", () => {
  const beat = { type: "heartbeat", interval_seconds: 60 } as const
  const due = "2026-06-01T00:01:00.000Z"
  expect(nextTime(beat, due, at("2026-05-01T00:00:00Z"))).toEqual({ next: "2026-06-01T00:02:00.000Z", missed: 0 })
  expect(nextTime(beat, due, at("2026-06-01T00:03:30Z"))).toEqual({ next: "2026-06-01T00:04:00.000Z", missed: 2 })
})

it("comes once where it names one time", () => {
  const once = { type: "at_time", at: "2026-06-01T09:00:00+02:00" } as const
  expect(firstTime(once, at("2026-05-01T00:00:00Z"))).toBe("2026-06-01T07:00:00.000Z")
  expect(nextTime(once, "2026-06-01T07:00:00.000Z", at("2026-06-02T00:00:00Z"))).toEqual({ next: null, missed: 0 })
})
