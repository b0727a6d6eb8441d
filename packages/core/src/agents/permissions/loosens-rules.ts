import { isDeepStrictEqual } from "node:util"
import type { Loosens } from "../../protections.ts"
import type { PermissionRule } from "./schema.ts"

/**
 * Returns whether some use of a tool that was denied or asked about may be allowed by the new rules. A rule that denies wins
 * over all, and of the others the last that matches. So every rule that denies or asks must still be there, and each rule
 * that allows was there before, followed by no rule that asks and no longer follows it.
 */
export const loosensRules: Loosens<PermissionRule[]> = (before, after) => {
  const isIn = (rules: PermissionRule[]) => (rule: PermissionRule) => rules.some((one) => isDeepStrictEqual(one, rule))
  const strict = before.filter(({ effect }) => effect !== "allow")
  if (!strict.every(isIn(after))) return true
  const asksAfter = (rules: PermissionRule[], at: number) =>
    rules.slice(at + 1).filter(({ effect }) => effect === "ask")
  return after.some((rule, at) => {
    if (rule.effect !== "allow") return false
    const was = before.findLastIndex((one) => isDeepStrictEqual(one, rule))
    return was === -1 || !asksAfter(before, was).every(isIn(asksAfter(after, at)))
  })
}
