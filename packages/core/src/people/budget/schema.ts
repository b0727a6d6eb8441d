import * as z from "zod"

const Usd = z.number().min(0).max(1_000_000).nullable()
const Minutes = z.number().min(0).max(1_000_000).nullable()
const Tokens = z.int().min(0).max(1_000_000_000_000).nullable()

/** Maximum usage of an owner's runs. Null means no limit. */
export const Budget = z
  .strictObject({
    day_usd: Usd.describe("Dollars per day (UTC)"),
    month_usd: Usd.describe("Dollars per calendar month (UTC)"),
    day_tokens: Tokens.describe("Tokens per day, including cached and estimated tokens"),
    month_tokens: Tokens,
  })
  .meta({ id: "Budget" })
export type Budget = z.infer<typeof Budget>

/** Changes to a budget. Omitted fields keep their value. */
export const BudgetChange = Budget.partial().meta({ id: "BudgetChange" })
export type BudgetChange = z.infer<typeof BudgetChange>

/** Scope of a budget that isn't tied to a period: a session or one run. */
export const BudgetScope = z.enum(["session", "run"])
export type BudgetScope = z.infer<typeof BudgetScope>

/** Maximum total usage of a session or run. Null means no limit. */
export const WorkBudget = z
  .strictObject({
    usd: Usd.describe("Dollars"),
    tokens: Tokens.describe("Tokens, including cached and estimated tokens"),
    minutes: Minutes.describe("Minutes of work, summed over all runs"),
  })
  .meta({ id: "WorkBudget" })
export type WorkBudget = z.infer<typeof WorkBudget>

/** Changes to a session's or run's budget. Omitted fields keep their value. */
export const WorkBudgetChange = WorkBudget.partial().meta({ id: "WorkBudgetChange" })
export type WorkBudgetChange = z.infer<typeof WorkBudgetChange>

/** Budget set when a run is requested. */
export const InitialBudget = WorkBudgetChange.nullish().describe(
  "Maximum total usage of the run. When it is used up, a person is asked before the next model call",
)

export const noWorkBudget: WorkBudget = { usd: null, tokens: null, minutes: null }

/** Answers offered when a budget is used up, except the first answer, which raises the budget. */
export const BUDGET_ANSWERS = { unlimited: "No limit", stop: "Stop" } as const

export const BudgetName = Budget.keyof()
export type BudgetName = z.infer<typeof BudgetName>

const Spent = z.object({
  usd: z.number().nullable().describe("Null if no price is known"),
  usd_is_complete: z.boolean().describe("False if some usage has no known price, so dollar limits don't count it"),
  tokens: z.number(),
})

/** Budget of a session or run, with the amounts used so far. */
export const WorkBudgetStatus = WorkBudget.extend({
  used: Spent.extend({ minutes: z.number() }),
  reached: WorkBudget.keyof().nullable().describe("Used-up limit. People are then asked how to continue"),
}).meta({ id: "WorkBudgetStatus" })
export type WorkBudgetStatus = z.infer<typeof WorkBudgetStatus>

/** An owner's budget, with the amounts used so far. */
export const BudgetStatus = Budget.extend({
  day: Spent,
  month: Spent,
  reached: z
    .object({
      limit: BudgetName,
      resets_at: z.iso.datetime().describe("When the last of the reached limits resets"),
    })
    .nullable()
    .describe("Set while a limit is reached: new runs can't start and active runs wait"),
}).meta({ id: "BudgetStatus" })
export type BudgetStatus = z.infer<typeof BudgetStatus>

/** Owners and their budgets, as listed for an administrator. */
export const OwnerBudgets = z
  .object({ owners: z.array(z.object({ owner: z.string(), budget: BudgetStatus })) })
  .meta({ id: "OwnerBudgets" })
export type OwnerBudgets = z.infer<typeof OwnerBudgets>

export const ReachedBudget = BudgetStatus.extend({ reached: BudgetStatus.shape.reached.unwrap() })
export type ReachedBudget = z.infer<typeof ReachedBudget>

export const noBudget: Budget = { day_usd: null, month_usd: null, day_tokens: null, month_tokens: null }
