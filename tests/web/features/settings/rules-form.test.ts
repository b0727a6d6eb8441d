import { expect, it } from "vitest"
import {
  fromRulesForm,
  toRulesForm,
  withRule,
} from "../../../../packages/web/src/features/settings/permissions/rules-form.ts"

const anyTool = { tool: "any" as const, effect: "ask" as const }
const stored = {
  rules: [
    { tool: "write" as const, path: "secret/**", effect: "deny" as const },
    { tool: "bash" as const, command: "npm test", name: "Bash", effect: "allow" as const },
  ],
  repositories: [{ repository: "/code/tool", rules: [anyTool] }],
}

it("shows the rules for agents as they are stored, and sends them back unchanged", () => {
  const forms = toRulesForm(stored)
  expect(forms.map(({ repository }) => repository)).toEqual(["", "", "/code/tool"])
  expect(fromRulesForm(forms)).toEqual(stored)
})

it("sends each rule to its repository", () => {
  const [first, , third] = toRulesForm(stored)
  if (!first || !third) throw new Error("There are three rules.")
  expect(fromRulesForm([{ ...first, repository: " /code/tool " }, third])).toEqual({
    ...{ rules: [], repositories: [{ repository: "/code/tool", rules: [stored.rules[0], anyTool] }] },
  })
  expect(fromRulesForm([{ ...first, about: "" }])).toEqual({
    ...{ rules: [{ tool: "write", effect: "deny" }], repositories: [] },
  })
})

it("changes or removes only the rule that was shown, even if the list was changed elsewhere", () => {
  const rules = toRulesForm(stored)
  const [first] = rules
  if (!first) throw new Error("There are three rules.")
  const edited = { ...first, value: "keys/**" }
  expect(withRule(rules, first, edited)).toEqual([edited, ...rules.slice(1)])
  expect(withRule(rules, null, edited)).toEqual([...rules, edited])
  expect(withRule(rules, first, null)).toEqual(rules.slice(1))
  const meanwhile = toRulesForm({ ...stored, rules: stored.rules.slice(1) })
  expect(withRule(meanwhile, first, edited)).toEqual([...meanwhile, edited])
  expect(withRule(meanwhile, first, null)).toEqual(meanwhile)
})
