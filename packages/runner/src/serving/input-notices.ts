import { MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { clip } from "@switchyard/core/agents/protocols/tool-kinds"
import type { OpenTerminal } from "@switchyard/core/agents/terminals/open-terminals"
import { LOST_KEYS } from "../agents/attachments.ts"

/** Creates a notice that a message didn't reach its agent. */
export function undeliveredNotice(agent_id: string, content: string) {
  const text = `The agent finished before this message reached it: ${clip(content, 2000)}`
  return { type: "agent_notice" as const, agent_id, text }
}

/** Creates a notice that a program exited before it read the last keys. */
export function lateNotice(agentId: string) {
  return { type: "agent_notice" as const, agent_id: agentId || MAIN_AGENT, text: LOST_KEYS }
}

/** Creates a notice that a terminal, and possibly its last keys, were lost with its runner. */
export function lostNotice({ agentId, runId }: OpenTerminal) {
  const text = "A terminal was lost with its runner. The last keys typed into it may not have reached its program."
  return { type: "agent_notice" as const, agent_id: agentId, ...(runId !== null && { run_id: runId }), text }
}
