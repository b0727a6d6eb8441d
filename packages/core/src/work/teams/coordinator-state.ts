import type { EventOf, LogEvent } from "../../events.ts"

/** A program that coordinates a team. */
export interface CoordinatorState {
  agentId: string
  model: string
  /** Names by which the coordinator may add programs and commands as workers. */
  workerTypes: string[]
  /** Unanswered calls to the team's tools, in order. */
  calls: { callId: string; name: string; seq: number }[]
  /** Reason for the failure of the program's last turn. Null if that turn didn't fail. */
  failure: string | null
}

/** Returns the coordinating program's state after an event. Null while a model coordinates. */
export function foldCoordinator(coordinator: CoordinatorState | null, event: LogEvent): CoordinatorState | null {
  if (event.type === "coordinator_joined") return joined(event)
  if (!coordinator) return null
  switch (event.type) {
    case "team_tool_called": {
      const { call_id: callId, name, seq } = event
      return { ...coordinator, calls: [...coordinator.calls, { callId, name, seq }] }
    }
    case "team_tool_answered":
      return { ...coordinator, calls: coordinator.calls.filter(({ callId }) => callId !== event.call_id) }
    case "run_created":
      return event.agent_id === coordinator.agentId ? { ...coordinator, failure: null } : coordinator
    case "run_failed":
      return event.agent_id === coordinator.agentId ? { ...coordinator, failure: event.message } : coordinator
    default:
      return coordinator
  }
}

function joined(event: EventOf<"coordinator_joined">): CoordinatorState {
  const { coordinator_id: agentId, model, worker_types: workerTypes } = event
  return { agentId, model, workerTypes, calls: [], failure: null }
}
