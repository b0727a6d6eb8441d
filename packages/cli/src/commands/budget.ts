import { amountOf, amountText, limitsOf, minuteText, unpricedNote } from "@switchyard/core/people/budget/message"
import {
  BudgetChange,
  type BudgetStatus,
  WorkBudgetChange,
  type WorkBudgetStatus,
} from "@switchyard/core/people/budget/schema"
import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"
import type * as z from "zod"
import { Budget, Owners, WorkBudget } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"

export interface BudgetOptions {
  day?: string
  month?: string
  dayTokens?: string
  monthTokens?: string
  session?: string
  run?: string
  usd?: string
  tokens?: string
  minutes?: string
  owner?: string
}

/** ID of a session or run. */
type BudgetSubject = { session: string } | { run: string }

/** Changes the budget of a session, a run or the caller if options are given. Then shows the budget. */
export async function budget(cli: Cli, options: BudgetOptions): Promise<void> {
  const subject = subjectOf(options)
  return subject ? workBudget(cli, subject, options) : ownBudget(cli, options)
}

function subjectOf(options: BudgetOptions): BudgetSubject | undefined {
  const { session, run, usd, tokens, minutes, day, month, dayTokens, monthTokens, owner } = options
  if (session !== undefined && run !== undefined) throw new UsageError("--session and --run can't be combined.")
  const subject = session !== undefined ? { session } : run !== undefined ? { run } : undefined
  if (!subject && (usd ?? tokens ?? minutes) !== undefined)
    throw new UsageError("--usd, --tokens and --minutes need --session or --run.")
  if (subject && owner !== undefined) throw new UsageError("--owner can't be combined with --session or --run.")
  if (subject && (day ?? month ?? dayTokens ?? monthTokens) !== undefined)
    throw new UsageError("A session or run budget can't have a period. Use --usd, --tokens or --minutes instead.")
  return subject
}

async function workBudget({ api, terminal }: Cli, subject: BudgetSubject, { usd, tokens, minutes }: BudgetOptions) {
  const body = changeIn(WorkBudgetChange, { usd, tokens, minutes })
  const [nouns, id] =
    "session" in subject ? (["api/v1/sessions", subject.session] as const) : (["v1/runs", subject.run] as const)
  const path = { id }
  const status = await (Object.keys(body).length > 0
    ? api.ask(`PUT /${nouns}/{id}/budget`, WorkBudget, { path, body })
    : api.ask(`GET /${nouns}/{id}/budget`, WorkBudget, { path }))
  terminal.show(status, ...workBudgetLines(status))
}

async function ownBudget({ api, terminal }: Cli, options: BudgetOptions): Promise<void> {
  const { day, month, dayTokens, monthTokens, owner } = options
  const given = { day_usd: day, month_usd: month, day_tokens: dayTokens, month_tokens: monthTokens }
  const body = changeIn(BudgetChange, given)
  const status = await (Object.keys(body).length > 0
    ? api.ask("PUT /api/v1/config/budget", Budget, { query: { owner }, body })
    : api.ask("GET /api/v1/config/budget", Budget, { query: { owner } }))
  terminal.show(status, ...budgetLines(status))
}

/** Shows all owners with their limits and how much of each limit is used. Requires the scope `admin`. */
export async function owners({ api, terminal }: Cli): Promise<void> {
  const listed = await api.ask("GET /api/v1/owners", Owners, {})
  terminal.show(listed, ...listed.owners.flatMap(({ owner, budget }) => [`${owner}:`, ...ownerLines(budget)]))
}

function ownerLines(status: BudgetStatus): string[] {
  const { usd, usd_is_complete, tokens } = status.month
  const cost = costText({ cost_usd: usd, cost_is_complete: usd_is_complete })
  return [`This month: ${cost}, ${tokenCount(tokens)} tokens.`, ...budgetLines(status)].map((line) => `  ${line}`)
}

function changeIn<Change>(schema: z.ZodType<Change>, given: Record<string, string | undefined>): Change {
  const named = Object.entries(given).flatMap(([name, text]) => (text === undefined ? [] : [[name, amountIn(text)]]))
  const change = schema.safeParse(Object.fromEntries(named))
  if (!change.success) throw new UsageError("A budget must be a non-negative number, or `none`.")
  return change.data
}

function amountIn(text: string): number | null {
  return text === "none" ? null : text.trim() === "" ? Number.NaN : Number(text)
}

/** Returns one line for each limit, followed by notes. */
function budgetLines(status: BudgetStatus): string[] {
  const limits = limitsOf(status).map(({ name, most, used }) => `${amountOf(name, most)}: ${used} used`)
  return [
    ...(limits.length > 0 ? limits : ["No budget is set."]),
    ...[unpricedNote(status) ?? []].flat(),
    ...(status.reached ? [`Nothing can start before ${status.reached.resets_at} unless you raise the budget.`] : []),
  ]
}

function workBudgetLines({ used, reached, ...budget }: WorkBudgetStatus): string[] {
  const cost = costText({ cost_usd: used.usd, cost_is_complete: used.usd_is_complete })
  return [
    `${amountText(budget) || "No budget"}: ${cost} and ${tokenCount(used.tokens)} tokens used, in ${minuteText(used.minutes)} of work`,
    ...(reached ? ["The budget is used up: model calls wait until you raise it."] : []),
  ]
}
