import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { readAgentSetup } from "@switchyard/core/agents/setup/in-thread"
import type { SetupFile } from "@switchyard/core/agents/setup/read-setup"
import type { RunContext } from "@switchyard/core/work/runs/run-context"

/**
 * Returns the owner's own setup for the program, if the owner has consented to exactly this content. Otherwise, the
 * agent works without it, and its owner gets a warning.
 */
export async function ownSetup(
  { record, warn }: Pick<RunContext<AgentInput>, "record" | "warn">,
  { cli, own_setups }: Pick<AgentInput, "cli" | "own_setups">,
  home: string | undefined,
): Promise<SetupFile[]> {
  const digest = own_setups?.[cli]
  if (digest === undefined || home === undefined) return []
  const setup = await readAgentSetup(home, cli)
  if (setup.digest === digest) return setup.files
  const text = `Your own setup for ${clis[cli].title} has changed since your consent, so the agent is working without it. To see and allow it, use \`switchyard agent-setup allow ${cli}\`.`
  warn(text)
  await record([{ type: "agent_notice", text }])
  return []
}
