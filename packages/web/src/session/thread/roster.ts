import { agentTitle } from "@switchyard/core/agents/clis/titles"
import type { AgentState, SessionView } from "../stream/view.ts"

/** State of an agent as shown to people. */
export type AgentStatus = "starting" | "idle" | "busy" | "needs_input" | "parked" | "failed"

/** An open agent in a session. */
export interface RosterEntry {
  agentId: string
  /** Name shown to people. */
  name: string
  /** Name in addresses. */
  address: string
  status: AgentStatus
  state: AgentState
  /** Reason why the agent is waiting, in words; null if it isn't. */
  waitsFor: string | null
}

/**
 * Returns a session's open agents: `main` first, then in the order in which they were added. Team members that are
 * models aren't agents.
 */
export function rosterOf({ agents }: Pick<SessionView, "agents">): RosterEntry[] {
  const open = Object.entries(agents).filter(([, state]) => !state.agent.isClosed && hasConversation(state))
  return open.map(([agentId, state]) => ({
    agentId,
    name: agentTitle(state.agent.name ?? agentId, state.agent.cli),
    address: state.agent.name ?? agentId,
    status: statusOf(state),
    state,
    waitsFor: waitsFor(state, open),
  }))
}

/** A team's own runs have conversations elsewhere. */
function hasConversation({ run }: AgentState): boolean {
  return run === null || !["team", "work_node", "shell_command"].includes(run.kind)
}

function statusOf({ run, agent }: AgentState): AgentStatus {
  if (agent.questions.length > 0) return "needs_input"
  if (run?.status === "running") return "busy"
  if (run?.status === "parked") return "parked"
  if (run?.status === "queued" || agent.queued.length > 0) return "starting"
  return run?.status === "failed" ? "failed" : "idle"
}

function waitsFor(state: AgentState, open: [string, AgentState][]): string | null {
  const { run, agent } = state
  if (agent.questions.length > 0) return "Waiting for your answer"
  if (run?.status === "parked") return "Paused until you answer"
  if (run?.status === "running" || agent.queued.length === 0) return null
  const worktree = agent.worktree ?? run?.worktree ?? null
  const neighbour = open.find(
    ([, other]) =>
      other !== state && other.run?.status === "running" && (other.agent.worktree ?? other.run.worktree) === worktree,
  )
  if (neighbour) {
    const [id, { agent: other }] = neighbour
    return `Waiting for ${agentTitle(other.name ?? id, other.cli)}, which is working in the same worktree`
  }
  return run === null || run.status !== "queued" ? "Waiting for another agent to finish" : null
}
