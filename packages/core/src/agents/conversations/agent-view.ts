import type { SessionState } from "../../state.ts"
import { activeRun } from "../../work/runs/state.ts"
import { permissionsOf } from "../questions/state.ts"
import type { Agent, AgentStatus } from "./agent-schema.ts"
import { waitsFor } from "./delivery.ts"
import { type AgentState, hasWork } from "./state.ts"

/** Returns an agent as shown in the API. */
export function describeAgent(state: SessionState, agent: AgentState, limits: { maxActive?: number }): Agent {
  const { agentId, name, kind, program, worktree, cwd, parent, nativeSession, queue, createdAt, closedAt } = agent
  const run = activeRun(state, agentId)
  return {
    ...{ agent_id: agentId, name, kind, status: statusOf(state, agent) },
    coding_agent: program?.account ?? program?.cli ?? null,
    cli: program?.cli ?? null,
    account: program?.account ?? null,
    model: program?.model ?? null,
    reasoning: program?.reasoning ?? null,
    // An agent without a mode never asks for permission.
    mode: permissionsOf(state, agentId).mode ?? "bypass",
    ...{ worktree, cwd, parent, native_session_id: nativeSession },
    run_id: run?.runId ?? null,
    interrupting: run !== undefined && run.cancelReason !== null,
    queued: queue.length,
    waits_for: hasWork(agent) ? waitsFor(state, agent, limits) : null,
    created_at: createdAt,
    closed_at: closedAt,
  }
}

/** Returns an agent's status, derived from its runs and questions in the session's log. */
export function statusOf(state: SessionState, agent: AgentState): AgentStatus {
  const { agentId, closedAt } = agent
  if (closedAt !== null) return "closed"
  const run = activeRun(state, agentId)
  if (!run) return hasWork(agent) ? "starting" : "idle"
  if (state.questions.waiting.some((question) => question.agentId === agentId)) return "needs_input"
  if (run.status === "parked") return "parked"
  return run.status === "queued" ? "starting" : "busy"
}
