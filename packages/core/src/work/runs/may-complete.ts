import type { Verdict } from "../gate/schema.ts"
import type { Verified } from "../verification/schema.ts"

/** Whether a run may end as completed: it wasn't to be verified, or it was, at the commit of its verdict. */
export function mayComplete(verification: Verified | null, verdict: Verdict | undefined): boolean {
  if (verification === null) return true
  const { commit, result } = verification
  const isEnough = result === "passed" || result === "nothing_to_check"
  return isEnough && commit !== null && verdict?.commit === commit
}
