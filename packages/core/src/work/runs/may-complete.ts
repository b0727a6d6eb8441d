import type { Verdict } from "../gate/schema.ts"
import type { Verified } from "../verification/schema.ts"

/**
 * Returns true if a run may end as completed, because it needs no verification, or because the verdict's commit was
 * verified.
 */
export function mayComplete(verification: Verified | null, verdict: Verdict | undefined): boolean {
  if (verification === null) return true
  const { commit, result } = verification
  const isEnough = result === "passed" || result === "nothing_to_check"
  return isEnough && commit !== null && verdict?.commit === commit
}
