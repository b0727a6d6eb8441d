import { formatCount } from "../../format.ts"
import { debug, type Headline, row } from "./headline.ts"

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
  [null, "Later tasks are verified as the repository has it"],
])

/** The events of the verification of an agent's work. */
export const verificationHeadlines = {
  verification_set: ({ settings: { verify } }: { settings: { verify: boolean | null } }) =>
    row("you", VERIFIES.get(verify) ?? ""),
  verification_planned: ({ checks }: { checks: readonly unknown[] }) =>
    debug("system", `The work will be verified by ${formatCount(checks.length, "check")}`),
  verification_attempt: ({ attempt_number, commit, passed, summary, issues }: Attempt): Headline => ({
    ...row("system", [summary, ...issues].join(" "), [commit.slice(0, 9), `attempt ${attempt_number}`]),
    severity: passed ? "success" : "warn",
  }),
}
