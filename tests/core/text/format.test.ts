import { formatBytes, formatCount, formatDuration, formatSeconds } from "@switchyard/core/text/format"
import { expect, it } from "vitest"

it("formats a duration in the unit that a person would choose", () => {
  expect([419.6, 999, 1_000, 59_940, 60_000, 134_900].map(formatDuration)).toEqual([
    "420 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 14 s",
  ])
})

it("formats a duration that is redrawn without changing its unit in the first second", () => {
  expect([0, 419.6, 1_000, 60_000].map(formatSeconds)).toEqual(["0.0 s", "0.4 s", "1.0 s", "1 min 0 s"])
})

it("formats a size in the unit that a person would choose", () => {
  expect([0, 999, 1_000, 3_140, 2_400_000].map(formatBytes)).toEqual(["0 B", "999 B", "1.0 KB", "3.1 KB", "2.4 MB"])
})

it("counts one thing and several", () => {
  expect([0, 1, 2, 12_345].map((count) => formatCount(count, "file"))).toEqual([
    "0 files",
    "1 file",
    "2 files",
    "12,345 files",
  ])
})
