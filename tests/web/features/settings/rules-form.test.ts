import { expect, it } from "vitest"
import { fromRulesForm, toRulesForm } from "../../../../packages/web/src/features/settings/permissions/rules-form.ts"

const anyTool = { tool: "any" as const, effect: "ask" as const }
const stored = {
  rules: [
    { tool: "write" as const, path: "secret/**", effect: "deny" as const },
    { tool: "bash" as const, command: "npm test", name: "Bash", effect: "allow" as const },
  ],
  repositories: [{ repository: "/code/tool", rules: [anyTool] }],
}

it("shows the rules for agents as they are stored, and sends them back unchanged", () => {
  const forms = toRulesForm({ ...stored, version: 3 })
  expect(forms.map(({ repository }) => repository)).toEqual(["", "", "/code/tool"])
  expect(fromRulesForm(forms)).toEqual({ rules: stored })
})

it("sends each rule to its repository, and none whose condition is missing", () => {
  const [first, second, third] = toRulesForm({ ...stored, version: 3 })
  if (!first || !second || !third) throw new Error("There are three rules.")
  expect(fromRulesForm([{ ...first, repository: " /code/tool " }, third])).toEqual({
    rules: { rules: [], repositories: [{ repository: "/code/tool", rules: [stored.rules[0], anyTool] }] },
  })
  expect(fromRulesForm([first, { ...second, value: " " }])).toEqual({ faults: { "1.value": "Say which." } })
  expect(fromRulesForm([{ ...first, about: "" }])).toEqual({
    rules: { rules: [{ tool: "write", effect: "deny" }], repositories: [] },
  })
})
