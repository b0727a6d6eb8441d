import type { PermissionRules } from "@switchyard/core/people/settings/permission-rules-schema"

type Rule = PermissionRules["rules"][number]

/** The condition of a rule. In this form, a rule has at most one. */
const ABOUT = ["path", "command", "name"] as const

/** A rule as filled in. */
export interface RuleForm {
  /** Its position in the list. */
  at: number
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

export function toRulesForm({ rules, repositories }: PermissionRules): RuleForm[] {
  const named = [{ repository: "", rules }, ...repositories]
  const all = named.flatMap(({ repository, rules: own }) => own.map((rule) => ({ repository, rule })))
  return all.map(({ repository, rule: { tool, effect, ...conditions } }, at) => {
    const about = ABOUT.find((name) => conditions[name] !== undefined) ?? ""
    const { [about || "path"]: value = "", ...others } = conditions
    return { at, repository, tool, about, value, effect, others }
  })
}

/** Returns the rules for the request. Keeps the order of each repository's rules. */
export function fromRulesForm(forms: readonly RuleForm[]): PermissionRules {
  const repositories = [...new Set(forms.map(({ repository }) => repository.trim()))].filter((name) => name !== "")
  const of = (name: string) => forms.filter(({ repository }) => repository.trim() === name).map(toRule)
  return { rules: of(""), repositories: repositories.map((repository) => ({ repository, rules: of(repository) })) }
}

function toRule({ tool, about, value, effect, others }: RuleForm): Rule {
  return { ...others, tool, ...(about !== "" && { [about]: value.trim() }), effect }
}

/**
 * Returns the rules with one replaced, or removed if there is no other. A rule that is gone meanwhile, because the list
 * was changed elsewhere, is added again.
 */
export function withRule(rules: readonly RuleForm[], before: RuleForm | null, after: RuleForm | null): RuleForm[] {
  const added = after ? [after] : []
  const at = rules.findIndex((rule) => JSON.stringify(rule) === JSON.stringify(before))
  return at < 0 ? [...rules, ...added] : rules.toSpliced(at, 1, ...added)
}
