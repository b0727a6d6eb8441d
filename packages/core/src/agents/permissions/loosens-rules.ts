import { isDeepStrictEqual } from "node:util"
import type { Loosens } from "../../protections.ts"
import type { PermissionRule } from "./schema.ts"

/**
 * Returns true if the new rules may allow a tool use that was denied or asked about before. A deny rule always wins;
 * otherwise, the last matching rule decides. The new rules are therefore safe if all deny and ask rules remain, each
 * allow rule is an old rule, and it still precedes all ask rules that it preceded before.
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
