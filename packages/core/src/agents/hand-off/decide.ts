import type { ProblemKind } from "../clis/schema.ts"
import { afterQuietHours } from "./quiet-hours.ts"
import type { FallbackProgram, HandOffPlan, LimitKind, LimitRule } from "./schema.ts"

/** Evidence of a limit: either the percentage of the limit that is used, or a refusal by the provider. */
export type LimitEvidence =
  | { type: "usage"; event: LimitKind; usedPercent: number; before: number; resetsAt: string | null }
  | { type: "refused"; kind: ProblemKind; window: string | null; resetsAt: string | null }

/** Facts that a hand-off decision is based on. */
export interface HandOffCase {
  plan: HandOffPlan
  /** Account that hit the limit, or null for the server's own credentials. */
  current: string | null
  /**
   * Accounts that hit a limit during this task, with the time when the limit resets. The time is null if it is unknown.
   */
  limited: { [account: string]: string | null }
  /** Number of times that the task returned to an account that had hit a limit. */
  returns: number
  /** Number of times that the task has waited for a limit to reset. */
  waits: number
  evidence: LimitEvidence
  now: number
}

export type HandOffDecision =
  | { type: "continue"; notify: LimitRule | null }
  | { type: "switch"; program: FallbackProgram }
  | { type: "park"; until: string }
  | { type: "fail" }

/** Problems that another account or waiting can solve. All other problems would recur with any account. */
const PASSING: ReadonlySet<ProblemKind> = new Set([
  ...(["quota_exhausted", "context_full", "rate_limited", "billing", "auth"] as const),
  ...(["overloaded", "network", "timeout"] as const),
])
/** Problems that can't be solved by waiting. */
const LASTING: ReadonlySet<ProblemKind> = new Set(["billing", "auth"])

/** First and longest wait for a limit whose reset time is unknown. */
const FIRST_WAIT_MS = 15 * 60_000
const LONGEST_WAIT_MS = 4 * 3_600_000
/**
 * Additional wait after the reset time that the provider reported, because the provider's clock may differ. The wait
 * grows each time, because the reported time may be wrong.
 */
const SLACK_MS = 1000

/**
 * Decides whether a task continues, and if so, with which account and when. Rules apply in order. If a rule can't be
 * followed, for example because all other accounts are used up, the next rule applies. A limit that isn't used up only
 * matters once its usage passes a rule's threshold.
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

/** True if another account or waiting can solve the problem. */
export function isPassing(kind: ProblemKind): boolean {
  return PASSING.has(kind)
}

/** True if a limit is weekly, judging by the provider's name for it. */
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

/**
 * Returns the account that takes over. This is the rule's target, or else the next account in the order. After the last
 * account, the order doesn't start again.
 */
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
  // Without this check, two accounts whose rules name each other could alternate forever if their limits' reset times
  // are in the past.
  if (met !== undefined && returns >= plan.max_waits) return true
  const until = met === undefined ? limited_until : limited[met]
  // A limit whose reset time is unknown lasts for the whole task.
  return until === null || (until !== undefined && Date.parse(until) > now)
}

/**
 * Returns an account's name as listed among the accounts that hit a limit during a task. Undefined if the account
 * hasn't hit any.
 */
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

/** Compares account names ignoring case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
