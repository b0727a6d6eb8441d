import * as z from "zod"

const Usd = z.number().min(0).max(1_000_000).nullable()
const Tokens = z.int().min(0).max(1_000_000_000_000).nullable()

/** The most that an owner's runs may use. Null is no limit. */
export const Budget = z
  .strictObject({
    day_usd: Usd.describe("In dollars, in a day of UTC"),
    month_usd: Usd.describe("In dollars, in a calendar month of UTC"),
    day_tokens: Tokens.describe("Those of caches and estimates included"),
    month_tokens: Tokens,
  })
  .meta({ id: "Budget" })
export type Budget = z.infer<typeof Budget>

/** Changes to a budget; the rest stays. */
export const BudgetChange = Budget.partial().meta({ id: "BudgetChange" })
export type BudgetChange = z.infer<typeof BudgetChange>

export const BudgetName = Budget.keyof()
export type BudgetName = z.infer<typeof BudgetName>

const Spent = z.object({
  usd: z.number().nullable().describe("Null where no price is known"),
  usd_is_complete: z
    .boolean()
    .describe("False where a part of the usage has no known price: no limit in dollars sees it"),
  tokens: z.number(),
})

/** A budget, and how much of it is used. */
export const BudgetStatus = Budget.extend({
  day: Spent,
  month: Spent,
  reached: z
    .object({
      limit: BudgetName,
      resets_at: z.iso.datetime().describe("The end of the last of the limits that are reached"),
    })
    .nullable()
    .describe("Present while nothing begins, and what is under way waits"),
}).meta({ id: "BudgetStatus" })
export type BudgetStatus = z.infer<typeof BudgetStatus>

export const noBudget: Budget = { day_usd: null, month_usd: null, day_tokens: null, month_tokens: null }
