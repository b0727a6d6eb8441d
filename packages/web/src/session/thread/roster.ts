import type { AgentState, SessionView } from "../stream/view.ts"

/** The state of an agent, as people see it. */
export type AgentStatus = "starting" | "idle" | "busy" | "needs_input" | "parked" | "failed"

/** One open agent of a session. */
export interface RosterEntry {
  agentId: string
  name: string
  status: AgentStatus
  state: AgentState
  /** The reason why it waits, in words; null while it doesn't. */
  waitsFor: string | null
}

/** The open agents of a session, `main` first and then in the order in which they came. A team's members that are models are none. */
export function rosterOf({ agents }: Pick<SessionView, "agents">): RosterEntry[] {
  const open = Object.entries(agents).filter(([, state]) => !state.agent.isClosed && hasConversation(state))
  return open.map(([agentId, state]) => ({
    agentId,
    name: state.agent.name ?? agentId,
    status: statusOf(state),
    state,
    waitsFor: waitsFor(state, open),
  }))
}

/** The runs of a team that are no agent's have conversations of their own. */
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
  if (agent.questions.length > 0) return "Waits for your answer"
  if (run?.status === "parked") return "Paused until somebody answers"
  if (run?.status === "running" || agent.queued.length === 0) return null
  const worktree = agent.worktree ?? run?.worktree ?? null
  const neighbour = open.find(
    ([, other]) =>
      other !== state && other.run?.status === "running" && (other.agent.worktree ?? other.run.worktree) === worktree,
  )
  if (neighbour) return `Waits for ${neighbour[1].agent.name ?? neighbour[0]}, who works in the same worktree`
  return run === null || run.status !== "queued" ? "Waits until another agent has finished" : null
}
