import { AppError } from "../../errors.ts"
import { parseRepositoryFile } from "../../files/worktrees/repository-file.ts"
import { isSameOrInside } from "./path-pattern.ts"
import { type RepositoryRules, RULES_FILE, WrittenRules } from "./repository-rules-schema.ts"
import type { PermissionRule } from "./schema.ts"

/** Parses a repository's rules. Throws `setup_failed`, which names the line and the field that is wrong. */
export async function parseRepositoryRules(text: string): Promise<RepositoryRules> {
  const parsed = await parseRepositoryFile(WrittenRules, text)
  if ("fault" in parsed) throw wrongRulesFile(parsed.fault)
  return withOwnFile(parsed.value)
}

/** Adds the file itself to the read-only files. Otherwise, an agent could remove rules, and a merge would take over that. */
function withOwnFile(rules: RepositoryRules): RepositoryRules {
  return { ...rules, read_only: [RULES_FILE, ...rules.read_only.filter((path) => path !== RULES_FILE)] }
}

/** Creates the error for a file that can't be used. No agent works until it is corrected. */
export function wrongRulesFile(reason: string): AppError {
  const full = reason.endsWith(".") ? reason : `${reason}.`
  const advice =
    "Until it is corrected, no agent, chat or team may change the repository. Correct the file in your own checkout, commit it, and start a new session from that commit."
  return new AppError("setup_failed", `The repository's ${RULES_FILE} can't be used. ${full} ${advice}`)
}

/** Rules from several sources. */
export interface RuleSources {
  owner: PermissionRule[]
  repository: RepositoryRules | null | undefined
  /** True if the owner consented to the repository's rules that allow. */
  allows: boolean
}

/**
 * Combines an owner's rules with those of a repository's file, which may only tighten them. The file's rules that allow
 * come first, so that each of the owner's rules precedes them. Its other rules come last.
 */
export function combineRules({ owner, repository, allows }: RuleSources): PermissionRule[] {
  if (!repository) return owner
  const { deny, ask, allow, read_only } = repository
  const as = (effect: PermissionRule["effect"]) => (rule: Omit<PermissionRule, "effect">) => ({ ...rule, effect })
  const readOnly = read_only.map((path): PermissionRule => ({ tool: "write", path: `${path}/**`, effect: "deny" }))
  return [
    ...(allows ? allow.map(as("allow")) : []),
    ...owner,
    ...ask.map(as("ask")),
    ...deny.map(as("deny")),
    ...readOnly,
  ]
}

/**
 * True if a change to this path would change a read-only file. `isModule` is true for a submodule, whose files aren't
 * listed: changing the submodule may change any of them.
 */
export function isReadOnly(
  { read_only }: Pick<RepositoryRules, "read_only">,
  path: string,
  { isModule = false } = {},
): boolean {
  return read_only.some((pattern) => isSameOrInside(pattern, path, { isModule }))
}
