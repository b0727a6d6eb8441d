import { AgentName } from "@switchyard/core/agents/conversations/agent-schema"
import type { Peers, Sent } from "@switchyard/core/agents/conversations/peers"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { AppError } from "@switchyard/core/errors"
import { BranchName } from "@switchyard/core/files/worktrees/names-schema"
import * as z from "zod"
import { Content, WAIT_MS } from "./limits.ts"
import { type AgentTool, agentTool } from "./tool.ts"

const Named = z.string().min(1).max(100).describe("The agent's name")
const spawned = {
  name: AgentName.describe("A name that no other agent has"),
  path: z.string().max(1024).optional().describe("Folder of the worktree to start in. Default: the worktree itself"),
  prompt: Content.optional().describe("First message to the agent"),
  cli: z.string().max(20).optional().describe("Program of another agent of this session. Default: yours"),
  model: z.string().trim().min(1).max(200).optional().describe("Model. Default: the program's own"),
  mode: PermissionMode.optional().describe("Permission mode, at most your own. Default: your own"),
}

/** Creates the tools for starting agents and exchanging messages with them. */
export function peerTools(
  peers: Peers,
  { timeout }: { timeout: (ms: number) => AbortSignal },
): Record<string, AgentTool> {
  return {
    list_agents: agentTool({
      title: "List agents",
      description: "Lists the agents of this session, with name, state, task and worktree.",
      readOnly: true,
      input: z.object({}),
      call: async (_, options) => ({ agents: await peers.list(options) }),
    }),
    whoami: agentTool({
      title: "Who am I",
      description: "Returns your own name, mode and worktree in this session.",
      readOnly: true,
      input: z.object({}),
      call: (_, options) => peers.whoami(options),
    }),
    tell_agent: agentTool({
      title: "Tell an agent",
      description:
        "Sends a message to another agent without waiting. Also answers a question that the agent asked you. A message of " +
        "less than 40 characters that doesn't answer a question starts no turn, so don't send thanks.",
      readOnly: false,
      input: z.object({ name: Named, message: Content }),
      call: async ({ name, message }, options) => outcome(await peers.tell(name, message, options)),
    }),
    broadcast: agentTool({
      title: "Tell several agents",
      description: "Sends one message to several agents, without waiting.",
      readOnly: false,
      input: z.object({ names: z.array(Named).min(1).max(50), message: Content }),
      call: ({ names, message }, options) => broadcast(peers, names, message, options),
    }),
    ask_agent: agentTool({
      title: "Ask an agent",
      description:
        "Asks another agent and waits up to 50 seconds for its answer. You receive a later answer as a message.",
      readOnly: false,
      input: z.object({ name: Named, prompt: Content }),
      call: ({ name, prompt }, options) => peers.ask(name, prompt, { ...options, enough: timeout(WAIT_MS) }),
    }),
    spawn_agent: agentTool({
      title: "Start an agent here",
      description:
        "Starts another agent in your own worktree. Agents in the same worktree take turns, so it starts when your turn ends; " +
        "use spawn_worktree to start an agent that works at the same time as you.",
      readOnly: false,
      input: z.object(spawned),
      call: ({ path: cwd, ...about }, options) => peers.spawn("shared", { ...about, cwd }, options),
    }),
    spawn_worktree: agentTool({
      title: "Start an agent with its own worktree",
      description: "Starts another agent with its own worktree and branch. It works at the same time as you.",
      readOnly: false,
      input: z.object({
        ...spawned,
        base_branch: BranchName.optional().describe("Branch to start from. Default: the session's"),
      }),
      call: ({ base_branch: baseBranch, path: cwd, ...about }, options) =>
        peers.spawn("own", { ...about, baseBranch, cwd }, options),
    }),
    interrupt_agent: agentTool({
      title: "Interrupt an agent",
      description: "Stops another agent's turn. With a prompt, the agent continues with that prompt.",
      readOnly: false,
      input: z.object({ name: Named, prompt: Content.optional() }),
      call: ({ name, prompt }, options) => peers.interrupt(name, prompt, options),
    }),
    close_agent: agentTool({
      title: "Close an agent",
      description: "Closes another agent permanently. Its worktree remains.",
      readOnly: false,
      input: z.object({ name: Named }),
      call: ({ name }, options) => peers.close(name, options),
    }),
  }
}

/** Sends a message to several agents, and returns a result for each. Throws if all of them refuse it. */
async function broadcast(
  peers: Peers,
  names: string[],
  message: string,
  options: { signal: AbortSignal },
): Promise<object> {
  const { name: own, agent_id } = await peers.whoami(options)
  const isOwn = (name: string) => [own, agent_id].some((one) => one.toLowerCase() === name.toLowerCase())
  const others = [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].filter((name) => !isOwn(name))
  const results: object[] = []
  const refusals: AppError[] = []
  for (const name of others) {
    try {
      results.push(outcome(await peers.tell(name, message, options)))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refusals.push(error)
      results.push({ name, result: "refused", reason: error.message })
    }
  }
  if (others.length === 0)
    throw new AppError(
      "validation_error",
      "The list contains only you. Name other agents; list_agents returns their names.",
    )
  const [first] = refusals
  if (first && refusals.length === others.length) throw first
  return { results }
}

const OUTCOMES: Record<Sent["result"], string> = {
  delivered: "It starts a turn with this.",
  queued: "It reads this when its current turn ends, or as soon as it can start.",
  waits: "This is short and doesn't answer a question, so it starts no turn. The agent reads it with the next message.",
  answered: "It was waiting for this.",
}

function outcome(sent: Sent): object {
  return { ...sent, note: OUTCOMES[sent.result] }
}
