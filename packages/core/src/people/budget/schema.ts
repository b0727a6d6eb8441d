import * as z from "zod"

const Usd = z.number().min(0).max(1_000_000).nullable()
const Minutes = z.number().min(0).max(1_000_000).nullable()
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

/** Whose work a budget without a period is for: all of a session's, or one run's. */
export const BudgetScope = z.enum(["session", "run"])
export type BudgetScope = z.infer<typeof BudgetScope>

/** The most that a session, or a run, may use in all. Null is no limit. */
export const WorkBudget = z
  .strictObject({
    usd: Usd.describe("In dollars"),
    tokens: Tokens.describe("Those of caches and estimates included"),
    minutes: Minutes.describe("In which runs were at work, those of several added up"),
  })
  .meta({ id: "WorkBudget" })
export type WorkBudget = z.infer<typeof WorkBudget>

/** Changes to such a budget; the rest stays. */
export const WorkBudgetChange = WorkBudget.partial().meta({ id: "WorkBudgetChange" })
export type WorkBudgetChange = z.infer<typeof WorkBudgetChange>

/** The budget that whoever asks for a run may give it. */
export const InitialBudget = WorkBudgetChange.nullish().describe(
  "The most that the run may use in all. A person is asked when it is used up, before the next call of a model",
)

export const noWorkBudget: WorkBudget = { usd: null, tokens: null, minutes: null }

/** The answers where such a budget is used up, beside the first option, which raises it. */
export const BUDGET_ANSWERS = { unlimited: "No limit", stop: "Stop" } as const

export const BudgetName = Budget.keyof()
export type BudgetName = z.infer<typeof BudgetName>

const Spent = z.object({
  usd: z.number().nullable().describe("Null where no price is known"),
  usd_is_complete: z
    .boolean()
    .describe("False where a part of the usage has no known price: no limit in dollars sees it"),
  tokens: z.number(),
})

/** The budget of a session or a run, and how much of it is used. */
export const WorkBudgetStatus = WorkBudget.extend({
  used: Spent.extend({ minutes: z.number() }),
  reached: WorkBudget.keyof().nullable().describe("The limit that is used up: people are asked how to go on"),
}).meta({ id: "WorkBudgetStatus" })
export type WorkBudgetStatus = z.infer<typeof WorkBudgetStatus>

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

/** A budget that is used up. */
export const ReachedBudget = BudgetStatus.extend({ reached: BudgetStatus.shape.reached.unwrap() })
export type ReachedBudget = z.infer<typeof ReachedBudget>

export const noBudget: Budget = { day_usd: null, month_usd: null, day_tokens: null, month_tokens: null }
