import type { ProblemKind } from "../clis/schema.ts"
import { afterQuietHours } from "./quiet-hours.ts"
import type { FallbackProgram, HandOffPlan, LimitKind, LimitRule } from "./schema.ts"

/** Evidence of a limit: how much of it is used, or that the provider refused to go on. */
export type LimitEvidence =
  | { type: "usage"; event: LimitKind; usedPercent: number; before: number; resetsAt: string | null }
  | { type: "refused"; kind: ProblemKind; window: string | null; resetsAt: string | null }

/** The task, as far as its hand-over depends on it. */
export interface HandOffCase {
  plan: HandOffPlan
  /** The account that met the limit; null for credentials of the server's own. */
  current: string | null
  /** The accounts that met a limit in this task, with its end; null where that isn't known. */
  limited: { [account: string]: string | null }
  /** The number of times that the task went back to an account that had met a limit in it. */
  returns: number
  /** The number of times that the task has waited. */
  waits: number
  evidence: LimitEvidence
  now: number
}

export type HandOffDecision =
  | { type: "continue"; notify: LimitRule | null }
  | { type: "switch"; program: FallbackProgram }
  | { type: "park"; until: string }
  | { type: "fail" }

/** Problems that end with another account, or with time. The others come again whoever works. */
const PASSING: ReadonlySet<ProblemKind> = new Set([
  ...(["quota_exhausted", "context_full", "rate_limited", "billing", "auth", "overloaded"] as const),
])
/** Problems that no time ends. */
const LASTING: ReadonlySet<ProblemKind> = new Set(["billing", "auth"])

/** Waits for a limit whose end nobody has named: the first one, and the longest. */
const FIRST_WAIT_MS = 15 * 60_000
const LONGEST_WAIT_MS = 4 * 3_600_000
/** After the end that a provider names, whose clock may be another; longer each time, for it may be wrong. */
const SLACK_MS = 1000

/**
 * Whether a task goes on, with whom, or from when. The rules are asked in their order; one that can't be followed, such as a
 * switch where every other account is used up, leaves it to the next. A limit that is nearly used up only matters when
 * it passes the threshold of a rule.
 */
export function decideHandOff(asked: HandOffCase): HandOffDecision {
  const { evidence } = asked
  if (evidence.type === "refused" && !PASSING.has(evidence.kind)) return { type: "fail" }
  const rules = rulesFor(asked)
  for (const rule of rules) {
    const decision = followed(rule, asked)
    if (decision) return decision
  }
  if (evidence.type === "refused") return { type: "fail" }
  return { type: "continue", notify: rules[0] ?? null }
}

/** Whether a problem passes with another account, or with time. */
export function isPassing(kind: ProblemKind): boolean {
  return PASSING.has(kind)
}

/** Whether a weekly limit is meant, by its provider's name for it. */
export function isWeekly(window: string): boolean {
  return /week|seven_day|7.?day|10080/i.test(window)
}

function rulesFor({ plan, evidence }: HandOffCase): LimitRule[] {
  const of = (event: LimitKind) => plan.rules.filter((rule) => rule.event === event)
  if (evidence.type === "refused") {
    const kinds: LimitKind[] = ["session_usage", "weekly_usage"]
    return (isWeekly(evidence.window ?? "") ? kinds.reverse() : kinds).flatMap(of)
  }
  const { event, before, usedPercent } = evidence
  return of(event).filter(({ threshold }) => threshold < 100 && before < threshold && threshold <= usedPercent)
}

function followed(rule: LimitRule, asked: HandOffCase): HandOffDecision | undefined {
  if (rule.action === "await_reset") return park(asked)
  if (rule.action !== "switch_provider") return undefined
  const program = successor(asked, rule.target_account ?? undefined)
  return program && { type: "switch", program }
}

/** The account to go on with: the one that the rule names, else the next of the order. The order has no beginning anew. */
function successor(asked: HandOffCase, target: string | undefined): FallbackProgram | undefined {
  const { plan, current } = asked
  const after = plan.order.findIndex((name) => isSame(name, current ?? ""))
  const names = target === undefined ? plan.order.slice(after + 1) : [target]
  return names
    .filter((name) => current === null || !isSame(name, current))
    .flatMap((name) => plan.programs.filter(({ account }) => isSame(account, name)))
    .find((program) => !isLimited(asked, program))
}

function isLimited(asked: HandOffCase, { account, limited_until }: FallbackProgram): boolean {
  const { limited, now, plan, returns } = asked
  const met = metBy(limited, account)
  // Two accounts whose rules name each other would go on for ever, were the ends of their limits in the past.
  if (met !== undefined && returns >= plan.max_waits) return true
  const until = met === undefined ? limited_until : limited[met]
  // A limit without a known reset holds for as long as the task.
  return until === null || (until !== undefined && Date.parse(until) > now)
}

/** The name under which an account has met a limit in a task, if it has. */
export function metBy(limited: HandOffCase["limited"], account: string): string | undefined {
  return Object.keys(limited).find((name) => isSame(name, account))
}

function park({ plan, waits, evidence, now }: HandOffCase): HandOffDecision | undefined {
  if (waits >= plan.max_waits) return undefined
  if (evidence.type === "refused" && LASTING.has(evidence.kind)) return undefined
  const unknown = now + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits)
  const named = evidence.resetsAt === null ? unknown : Math.max(now, Date.parse(evidence.resetsAt))
  const until = afterQuietHours(named + SLACK_MS * 2 ** waits, plan.quiet_hours)
  return { type: "park", until: new Date(until).toISOString() }
}

/** Names of accounts are the same whatever their case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
