import {
  PermissionRulesChange,
  type StoredPermissionRules,
} from "@switchyard/core/people/settings/permission-rules-schema"

type Stored = typeof StoredPermissionRules._output
type Rule = Stored["rules"][number]

/** The condition of a rule. In this form, a rule has at most one. */
export const ABOUT = ["path", "command", "name"] as const

/** A rule as filled in. */
export interface RuleForm {
  /** Identifies the rule in its list while it is being edited. */
  key: number
  /** Empty for all repositories. */
  repository: string
  tool: Rule["tool"]
  about: (typeof ABOUT)[number] | ""
  /** The pattern, the command's first words, or the name. */
  value: string
  effect: Rule["effect"]
  /** Other conditions of the rule that the form doesn't show. */
  others: Partial<Rule>
}

/** A form's errors by the rule's position and the field's name, such as `0.value`. */
export type RuleFaults = Partial<Record<string, string>>

export function toRulesForm({ rules, repositories }: Stored): RuleForm[] {
  const named = [{ repository: "", rules }, ...repositories]
  const all = named.flatMap(({ repository, rules: own }) => own.map((rule) => ({ repository, rule })))
  return all.map(({ repository, rule: { tool, effect, ...conditions } }, key) => {
    const about = ABOUT.find((name) => conditions[name] !== undefined) ?? ""
    const { [about || "path"]: value = "", ...others } = conditions
    return { key, repository, tool, about, value, effect, others }
  })
}

/** Returns the rules for the request, or the form's errors. Keeps the order of each repository's rules. */
export function fromRulesForm(
  forms: RuleForm[],
): { rules: Pick<Stored, "rules" | "repositories"> } | { faults: RuleFaults } {
  const faults: RuleFaults = {}
  for (const [at, { about, value }] of forms.entries()) {
    if (about !== "" && value.trim() === "") faults[`${at}.value`] = "Say which."
  }
  const repositories = [...new Set(forms.map(({ repository }) => repository.trim()))].filter((name) => name !== "")
  const of = (name: string) => forms.filter(({ repository }) => repository.trim() === name).map(toRule)
  const change = {
    rules: of(""),
    repositories: repositories.map((repository) => ({ repository, rules: of(repository) })),
  }
  const parsed = PermissionRulesChange.safeParse(change)
  if (!parsed.success) {
    const [first] = parsed.error.issues
    if (Object.keys(faults).length === 0) faults.all = first?.message ?? "These rules can't be saved."
  }
  return parsed.success && Object.keys(faults).length === 0 ? { rules: parsed.data } : { faults }
}

function toRule({ tool, about, value, effect, others }: RuleForm): Rule {
  return { ...others, tool, ...(about !== "" && { [about]: value.trim() }), effect }
}
