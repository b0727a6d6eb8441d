import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { RULES_FILE } from "@switchyard/core/agents/permissions/repository-rules-schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import type { BegunPolicy } from "../agents/decisions.ts"
import { readRules, rulesCommit, rulesEvent } from "../git/worktrees/repository-rules.ts"
import type { Project } from "../project/project.ts"
import { withConsent } from "./file-consent.ts"

/**
 * Reads the rules in the repository's file, records them, and tells the agent which files it may not change. The rules
 * that allow count only if the owner consents to the file. Throws `setup_failed` if the file can't be used.
 */
export async function openRules(
  context: RunContext<AgentInput>,
  { worktree, notes }: Pick<Project, "worktree" | "notes">,
  name: string,
): Promise<BegunPolicy["repository"]> {
  const { signal } = context
  if (context.state().session.repository === null) return undefined
  const event = await rulesEvent(worktree, { name, state: context.state() }, { signal })
  if (event) await context.record([event])
  const found = await readRules(worktree, await rulesCommit(worktree), { signal })
  if (!found) return undefined
  const { rules, digest } = found
  notes.warnings?.push(`These files are read-only, so don't change them: ${rules.read_only.join(", ")}.`)
  if (rules.allow.length === 0) return { rules, allows: false }
  const named = { digest, files: [RULES_FILE], summary: `the rules that allow in ${RULES_FILE}` }
  const allows = await withConsent(context, named, async () => true)
  return { rules, allows: allows ?? false }
}
