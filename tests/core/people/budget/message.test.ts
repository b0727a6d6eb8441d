import { unpricedWorkNote, workLimitsOf } from "@switchyard/core/people/budget/message"
import { expect, it } from "vitest"

type Limits = { usd: number | null; tokens: number | null; minutes?: number | null }

const status = (budget: Limits, usd: number | null, isComplete = true) => ({
  ...{ minutes: null, ...budget },
  used: { usd, usd_is_complete: isComplete, tokens: 1999, minutes: 7.26 },
  reached: null,
})

it("says what is used of a run's limits, and what is left", () => {
  expect(workLimitsOf(status({ usd: 5, tokens: 2000 }, 1.25))).toEqual([
    { name: "usd", text: "$1.25 of $5.00", left: "$3.75 left", percent: 25 },
    { name: "tokens", text: "1,999 of 2,000 tokens", left: "1 left", percent: 99 },
  ])
  expect(workLimitsOf(status({ usd: null, tokens: null }, 1))).toEqual([])
  expect(workLimitsOf(status({ usd: null, tokens: null, minutes: 30 }, 1))).toEqual([
    { name: "minutes", text: "7.3 minutes of 30 minutes", left: "22.7 minutes left", percent: 24 },
  ])
  // A call may exceed the limit, and a limit of 0 is always used up.
  expect(workLimitsOf(status({ usd: 1, tokens: 0 }, 1.5))).toMatchObject([
    { left: "$0.00 left", percent: 100 },
    { left: "0 left", percent: 100 },
  ])
})

it("takes no unknown cost for nothing", () => {
  const unknown = status({ usd: 5, tokens: null }, null, false)
  expect(workLimitsOf(unknown)).toMatchObject([{ text: "unknown of $5.00" }])
  expect(unpricedWorkNote(unknown)).toMatch("no known price")
  expect(unpricedWorkNote({ ...unknown, usd: null })).toBeUndefined()
})
