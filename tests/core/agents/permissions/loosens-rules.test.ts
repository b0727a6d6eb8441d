import { decidePermission } from "@switchyard/core/agents/permissions/decide"
import { loosensRules } from "@switchyard/core/agents/permissions/loosens-rules"
import type { PermissionRequest, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import fc from "fast-check"
import { expect, it } from "vitest"

const rule: fc.Arbitrary<PermissionRule> = fc.record({
  tool: fc.constantFrom("any" as const, "write" as const, "bash" as const),
  effect: fc.constantFrom("allow" as const, "ask" as const, "deny" as const),
})
const rules = fc.array(rule, { maxLength: 5 })

const requests: PermissionRequest[] = [
  { tool: "write", name: "write", paths: ["a.txt"] },
  { tool: "bash", name: "bash", command: "npm test" },
  { tool: "mcp", name: "mcp" },
]
const STRICTNESS = { allow: 0, ask: 1, deny: 2 }

it("takes for a tightening only rules under which nothing is allowed that wasn't, in any mode", () => {
  fc.assert(
    fc.property(rules, rules, fc.constantFrom("ask", "accept_edits", "plan", "bypass"), (before, after, mode) => {
      fc.pre(!loosensRules(before, after))
      for (const request of requests) {
        const [was, is] = [before, after].map((rules) => decidePermission({ mode, rules }, request).effect)
        expect(STRICTNESS[is ?? "allow"]).toBeGreaterThanOrEqual(STRICTNESS[was ?? "allow"])
      }
    }),
    { numRuns: 3000 },
  )
})

it("lets rules that deny or ask be added anywhere, and rules that allow be removed", () => {
  fc.assert(
    fc.property(rules, rule, fc.nat(), (before, added, seed) => {
      const at = seed % (before.length + 1)
      const after = [...before.slice(0, at), { ...added, effect: "deny" as const }, ...before.slice(at)]
      expect(loosensRules(before, after)).toBe(false)
      expect(loosensRules(before, [...before, { ...added, effect: "ask" }])).toBe(false)
      expect(
        loosensRules(
          before,
          before.filter(({ effect }) => effect !== "allow"),
        ),
      ).toBe(false)
    }),
  )
})
