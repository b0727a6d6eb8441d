import { formatCount } from "../../text/format.ts"
import { debug, row, success, warning } from "./headline.ts"

interface Attempt {
  attempt_number: number
  commit: string
  passed: boolean
  result: string
  summary: string
  issues: readonly string[]
}

const VERIFIES = new Map([
  [true, "Later tasks are verified"],
  [false, "Later tasks aren't verified"],
  [null, "The repository's setting decides whether later tasks are verified"],
])

const REVIEWED = new Map([
  [true, "The review passed"],
  [false, "The review found faults"],
  [null, "The review couldn't be done"],
])

/** Headlines for events about the verification of an agent's work. */
export const verificationHeadlines = {
  verification_set: ({ settings: { verify } }: { settings: { verify: boolean | null } }) =>
    row("you", VERIFIES.get(verify) ?? ""),
  verification_planned: ({ checks }: { checks: readonly unknown[] }) =>
    debug("system", `The work will be verified by ${formatCount(checks.length, "check")}`),
  review_started: ({ reviewer }: { reviewer: { cli: string; account: string | null } }) =>
    row("system", `Another agent is reviewing the work: ${reviewer.account ?? reviewer.cli}`),
  review_finished: ({ review: { passed, summary } }: { review: { passed: boolean | null; summary: string } }) =>
    (passed ? success : warning)("system", `${REVIEWED.get(passed)}${summary && `: ${summary}`}`),
  verification_attempt: ({ attempt_number, commit, passed, summary, issues }: Attempt) => {
    const meta = [commit.slice(0, 9), `attempt ${attempt_number}`]
    return (passed ? success : warning)("system", [summary, ...issues].join(" "), meta)
  },
}
