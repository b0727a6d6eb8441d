import { TOOL_SERVER } from "@switchyard/core/agents/clis/own-tools"
import type { People } from "@switchyard/core/agents/conversations/people"
import { decidePermission, type PermissionPolicy, ruleFor } from "@switchyard/core/agents/permissions/decide"
import { AppError } from "@switchyard/core/errors"
import { WAIT_MS } from "./limits.ts"
import type { AgentTool } from "./tool.ts"

interface Rules {
  /** Returns the agent's current mode and rules. */
  policy: () => PermissionPolicy
  people: Pick<People, "permit">
  timeout: (ms: number) => AbortSignal
}

/**
 * Applies the agent's mode and rules to the tools of its owner's own MCP servers. Each has the name `SERVER__TOOL`, and
 * rules know it as `mcp__SERVER__TOOL`.
 */
export function ruledServerTools(tools: Record<string, AgentTool>, rules: Rules): Record<string, AgentTool> {
  return withRules(tools, (name, input, signal) => requirePermission(rules, `mcp__${name}`, input, signal))
}

/**
 * Applies the agent's rules to the tools, because most CLIs don't ask before they call these tools. Without rules, the
 * tools work in every mode.
 */
export function ruledTools(tools: Record<string, AgentTool>, rules: Rules): Record<string, AgentTool> {
  const inEveryMode = { ...rules, policy: () => ({ ...rules.policy(), mode: "bypass" as const }) }
  return withRules(tools, (name, input, signal) =>
    requirePermission(inEveryMode, `mcp__${TOOL_SERVER}__${name}`, input, signal),
  )
}

function withRules(
  tools: Record<string, AgentTool>,
  permitted: (name: string, input: object, signal: AbortSignal) => Promise<void>,
): Record<string, AgentTool> {
  const ruled = (name: string, tool: AgentTool): AgentTool => ({
    ...tool,
    async call(input, { signal }) {
      await permitted(name, input, signal)
      return tool.call(input, { signal })
    },
  })
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, ruled(name, tool)]))
}

async function requirePermission({ policy, people, timeout }: Rules, name: string, input: object, signal: AbortSignal) {
  const request = { tool: "mcp" as const, name, args: JSON.stringify(input).slice(0, 2000) }
  const decided = decidePermission(policy(), request)
  if (decided.effect === "allow") return
  if (decided.effect === "deny") throw new AppError("forbidden", decided.reason)
  const question = { kind: "permission" as const, ...request, rule: ruleFor(request) }
  const answer = await people.permit(question, { signal, enough: timeout(WAIT_MS) })
  if (answer && answer.choice !== "deny") return
  const instead = answer?.text?.trim()
  const refused = instead ? `A person refused. They asked for this instead: ${instead}` : "A person refused."
  throw new AppError("forbidden", answer ? refused : "No person has allowed it yet.")
}
