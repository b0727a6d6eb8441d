import type { NewEvent } from "../../events.ts"
import type { SessionState } from "../../state.ts"

/**
 * Returns the given events. If one of them ends a run that leaves its node without a result, inserts the node's failure
 * before that event.
 */
export function failingNodes({ team }: Pick<SessionState, "team">, events: NewEvent[]): NewEvent[] {
  if (!team || team.endedSeq !== null) return events
  const isFailed = (nodeId: string) => events.some((one) => one.type === "work_node_failed" && one.node_id === nodeId)
  const isAskedHere = (runId: string | undefined) =>
    events.some((one) => one.type === "run_cancel_requested" && one.run_id === runId)
  return events.flatMap((event): NewEvent[] => {
    if (event.type !== "run_failed" && event.type !== "run_cancelled") return [event]
    const { run_id } = event
    const nodes = Object.values(team.nodes)
    const node = nodes.find(({ status, runs }) => status === "running" && runs.at(-1)?.runId === run_id)
    if (!node || isFailed(node.nodeId)) return [event]
    // If the team was stopped, its nodes don't fail, because they continue later.
    const isAsked = node.interrupted || (team.halted === "stopped" && isAskedHere(run_id))
    if (event.type === "run_cancelled" && isAsked) return [event]
    const reason = event.type === "run_failed" ? event.message : event.reason
    const about = { run_id: team.runId, agent_id: "coordinator", node_id: node.nodeId }
    return [{ type: "work_node_failed", ...about, reason: reason.slice(0, 1500) }, event]
  })
}
