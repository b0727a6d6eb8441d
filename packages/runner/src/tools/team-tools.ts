import { type Caller, inAgentTurn } from "@switchyard/core/agents/conversations/caller"
import type { Verdict } from "@switchyard/core/kernel/session-log"
import { CheckCommands } from "@switchyard/core/work/gate/schema"
import { waking } from "@switchyard/core/work/runs/waking"
import { createNode } from "@switchyard/core/work/teams/node-rules"
import { orThrow, teamOf } from "@switchyard/core/work/teams/refusals"
import { COORDINATOR } from "@switchyard/core/work/teams/schema"
import type { TeamState } from "@switchyard/core/work/teams/state"
import { sendMessage } from "@switchyard/core/work/teams/team-rules"
import { boardText } from "@switchyard/core/work/teams/views/texts"
import * as z from "zod"
import { type CoordinatorToolsDeps, coordinatorTools } from "./coordinator-tools.ts"
import { Content } from "./limits.ts"
import { type AgentTool, agentTool } from "./tool.ts"

export interface TeamToolsDeps extends CoordinatorToolsDeps {
  newId: (prefix: "msg" | "tc") => string
}

/** Creates the tools for a worker or the coordinator of the session's team. Returns no tools for other agents. */
export function teamTools(deps: TeamToolsDeps): Record<string, AgentTool> {
  const { session, caller } = deps
  const { team } = session.state
  if (team?.coordinator?.agentId === caller.agentId) return coordinatorTools(deps, team.coordinator)
  const own = team?.workers[caller.agentId]
  if (!team || !own) return {}
  return { ...messageTools(deps), ...boardTools(deps) }
}

function messageTools(deps: TeamToolsDeps): Record<string, AgentTool> {
  const send = (to: string, content: string, suggestion: boolean, options: Options) => {
    const message = { from: deps.caller.agentId, to, content, suggestion, messageId: deps.newId("msg") }
    return decide(deps, (team) => sendMessage(team, message), options).then(() => "Sent.")
  }
  return {
    send_message: agentTool({
      title: "Write to your team",
      description: "Writes to a worker by name, to coordinator, to human, or to all, without waiting.",
      readOnly: false,
      input: z.object({ to: z.string().min(1).max(100), content: Content }),
      call: ({ to, content }, options) => send(to, content, false, options),
    }),
    suggest_next: agentTool({
      title: "Suggest what to do next",
      description: "Suggests to the coordinator of your team what to do next.",
      readOnly: false,
      input: z.object({ suggestion: Content }),
      call: ({ suggestion }, options) => send(COORDINATOR, suggestion, true, options),
    }),
  }
}

function boardTools(deps: TeamToolsDeps): Record<string, AgentTool> {
  const { session, caller } = deps
  return {
    check_board: agentTool({
      title: "Look at the board",
      description: "Shows the nodes and the workers of your team.",
      readOnly: true,
      input: z.object({}),
      call: async (_, options) => boardText(orThrow(teamOf(await session.catchUp(options)))),
    }),
    create_work_node: agentTool({
      title: "Put work on the board",
      description: "Puts a piece of work on your team's board. It waits until the coordinator assigns it.",
      readOnly: false,
      input: z.object({
        task: Content,
        deps: z.array(z.string()).max(30).default([]),
        checks: CheckCommands.optional().describe("Commands that must pass before it counts as completed"),
      }),
      async call({ task, deps: on, checks }, options) {
        const node = { task, deps: on, refs: {}, checks }
        await decide(deps, (team) => createNode(team, { ...node, parent: nodeOf(team, caller) }), options)
        return "It is on the board."
      },
    }),
  }
}

interface Options {
  signal: AbortSignal
}

/** Applies a rule to the team's state on behalf of the caller, and wakes the agents that are affected. */
async function decide(
  { session, caller, moved }: TeamToolsDeps,
  rule: (team: TeamState) => Verdict,
  options: Options,
): Promise<void> {
  await session.decide(waking(inAgentTurn(caller, (_, state) => rule(orThrow(teamOf(state))))), options)
  moved(session.state.team?.runId ?? caller.runId)
}

function nodeOf({ nodes }: TeamState, { runId }: Caller): string | undefined {
  return Object.values(nodes).find(({ runs }) => runs.at(-1)?.runId === runId)?.nodeId
}
