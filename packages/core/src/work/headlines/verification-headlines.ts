import { cliTitle } from "../../agents/clis/titles.ts"
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
  [true, "Verification on for future tasks"],
  [false, "Verification off for future tasks"],
  [null, "Verification follows the repository's setting"],
])

const REVIEWED = new Map([
  [true, "Review passed"],
  [false, "Review found problems"],
  [null, "Review couldn't run"],
])

/** Headlines for events from verifying an agent's work. */
export const verificationHeadlines = {
  verification_set: ({ settings: { verify } }: { settings: { verify: boolean | null } }) =>
    row("you", VERIFIES.get(verify) ?? ""),
  verification_planned: ({ checks }: { checks: readonly unknown[] }) =>
    debug("system", `${formatCount(checks.length, "check")} planned`),
  review_started: ({ reviewer }: { reviewer: { cli: string; account: string | null } }) =>
    row("system", `${reviewer.account ?? cliTitle(reviewer.cli)} is reviewing the work`),
  review_finished: ({ review: { passed, summary } }: { review: { passed: boolean | null; summary: string } }) =>
    (passed ? success : warning)("system", `${REVIEWED.get(passed)}${summary && `: ${summary}`}`),
  verification_attempt: ({ attempt_number, commit, passed, summary, issues }: Attempt) => {
    const meta = [commit.slice(0, 9), `attempt ${attempt_number}`]
    return (passed ? success : warning)("system", [summary, ...issues].join(" "), meta)
  },
}
