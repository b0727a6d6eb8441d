import { isAppError } from "../../errors.ts"
import type { AgentAccounts } from "../../people/accounts/agents.ts"
import { requireKey } from "../../people/accounts/keys-only.ts"
import type { GitHook, ListedGitHook } from "../../people/git-hooks/schema.ts"

interface HookAgentDeps {
  agentAccounts: Pick<AgentAccounts, "choose">
}

/** Throws `task_invalid` if the agent doesn't exist, or if git hooks can't use it. */
export async function requireHookAgent(
  { agentAccounts }: HookAgentDeps,
  owner: string,
  name: string,
  options: { signal: AbortSignal },
): Promise<void> {
  requireKey(await agentAccounts.choose(owner, name, options))
}

/**
 * Returns the hook together with the problem that keeps its agent from working, if there is one. The problem may have
 * arisen after the hook was set up.
 */
export async function withProblem(
  deps: HookAgentDeps,
  owner: string,
  hook: GitHook,
  options: { signal: AbortSignal },
): Promise<ListedGitHook> {
  try {
    await requireHookAgent(deps, owner, hook.coding_agent, options)
    return { ...hook, problem: null }
  } catch (error) {
    if (!isAppError(error, "task_invalid")) throw error
    return { ...hook, problem: error.message }
  }
}
