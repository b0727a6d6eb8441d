import { expect, it } from "vitest"
import {
  blankBudget,
  budgetIn,
  requestedBudget,
  toBudgetForm,
} from "../../../../packages/web/src/features/usage/budget-form.ts"

it("reads amounts as people write them, and gives them back", () => {
  const read = budgetIn({ usd: "$1,200.50", tokens: " 2,000,000 " })
  expect(read).toEqual({ budget: { usd: 1200.5, tokens: 2_000_000 } })
  expect(budgetIn(toBudgetForm({ usd: 1200.5, tokens: 2_000_000 }))).toEqual(read)
  expect(toBudgetForm({ usd: null, tokens: 0 })).toEqual({ usd: "", tokens: "0" })
})

it("has a limit in minutes where its budget may have one, and else none", () => {
  const budget = { usd: null, tokens: null, minutes: 7.5 }
  expect(toBudgetForm(budget)).toEqual({ usd: "", tokens: "", minutes: "7.5" })
  expect(budgetIn(toBudgetForm(budget))).toEqual({ budget })
  expect(budgetIn({ usd: "", tokens: "", minutes: "-1" })).toEqual({ faults: { minutes: expect.any(String) } })
  expect(requestedBudget({ usd: "", tokens: "", minutes: "30" })).toEqual({ ...budget, minutes: 30 })
  expect(requestedBudget(blankBudget)).toBeUndefined()
})

it("names the field that holds no amount", () => {
  for (const usd of ["five", "-1", "$", "1e999"])
    expect(budgetIn({ usd, tokens: "" })).toEqual({ faults: { usd: expect.any(String) } })
  expect(budgetIn({ usd: "", tokens: "1.5" })).toEqual({ faults: { tokens: expect.any(String) } })
})

it("asks for no budget where no field is filled, and for none of nothing", () => {
  expect(requestedBudget({ usd: "", tokens: "" })).toBeUndefined()
  expect(requestedBudget({ usd: "", tokens: "0" })).toEqual({ usd: null, tokens: 0 })
})
