import assert from "node:assert/strict"
import { test } from "node:test"
import { parseTime, toClock } from "./timer.ts"

test("reads times as people write them", () => {
  assert.equal(parseTime("1h 30m"), 5400)
  assert.equal(parseTime("90s"), 90)
  assert.equal(parseTime("2:30"), 150)
  assert.equal(parseTime("1:00:05"), 3605)
})

test("takes a number alone for minutes", () => {
  assert.equal(parseTime("25"), 1500)
})

test("shows a clock", () => {
  assert.deepEqual([5, 65, 5400].map(toClock), ["0:05", "1:05", "1:30:00"])
})

test("refuses what is no time", () => {
  for (const time of ["soon", "", "0", "25h", "-5"]) assert.throws(() => parseTime(time), /Write a time/)
})
