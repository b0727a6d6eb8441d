import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule, Verdict } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { runOf } from "../runs/state.ts"
import { assignNode, createNode, moveNode, type NewWorkNode, reopenNode } from "./node-rules.ts"
import { nodeOf, refused } from "./refusals.ts"
import { COORDINATOR, HUMAN } from "./schema.ts"
import { nodeOfWorker, openDependencies, type TeamState } from "./state.ts"
import { type NewWorker, onTeam, sendMessage, spawnCommand, spawnWorker } from "./team-rules.ts"

/** Adds a node to the board on a person's behalf. */
export function addNodeByHand(node: NewWorkNode): Rule {
  return byHand(
    (team) => createNode(team, node),
    (events) => `I put ${idsIn(events, "work_node_created")} on the board: ${node.task.slice(0, 1000)}`,
  )
}

/**
 * Adds a worker on a person's behalf. The worker uses the team's model, or one of the worker commands listed with the
 * goal.
 */
export function addWorkerByHand({
  command,
  ...worker
}: Omit<NewWorker, "model"> & { command?: string | undefined }): Rule {
  return byHand(
    (team, state) => {
      if (command === undefined) return spawnWorker(team, { ...worker, model: runOf(state, team.runId)?.model ?? "" })
      const runs = team.commands?.workers?.find(({ name }) => name === command)
      return runs ? spawnCommand(team, worker, runs) : refused(`The team has no worker command named ${command}.`)
    },
    () => `I added the worker ${worker.name.trim()} to the team, for: ${worker.role}`,
  )
}

/** Assigns a node to a worker on a person's behalf, under the same rules as the coordinator. */
export function assignByHand(given: { nodeId: string; worker: string }): Rule {
  return byHand(
    (team) => assignNode(team, given),
    () => `I assigned ${given.nodeId} to ${given.worker}.`,
  )
}

/**
 * Moves a node on a person's behalf, before another node or to the end. Doesn't wake the coordinator, because a wake-up
 * costs a model call. The coordinator's next news reports the move.
 */
export function moveByHand(given: { nodeId: string; before: string | null }): Rule {
  return onTeam((team) => {
    const moved = moveNode(team, given)
    return moved instanceof AppError ? moved : asCoordinator(team, moved)
  })
}

/**
 * Reopens a failed node on a person's behalf and, if its worker is free, assigns the node to that worker again. If the
 * worker is busy, the coordinator assigns the node.
 */
export function retryByHand(nodeId: string): Rule {
  return byHand(
    (team) => {
      const reopened = reopenNode(team, nodeId)
      const node = nodeOf(team, nodeId)
      if (reopened instanceof AppError || node instanceof AppError) return reopened
      const { workerId } = node
      const isFree = workerId !== null && !nodeOfWorker(team, workerId) && openDependencies(team, node).length === 0
      return isFree ? [...reopened, { type: "work_node_assigned", node_id: nodeId, worker_id: workerId }] : reopened
    },
    (events) => {
      const isAssigned = events.some(({ type }) => type === "work_node_assigned")
      return `I put ${nodeId} back on the board, to be done again${isAssigned ? " by its worker" : ". Assign it"}.`
    },
  )
}

/** Applies a person's change to the board, and wakes the coordinator with a message from that person. */
function byHand(
  decide: (team: TeamState, state: SessionState) => Verdict,
  words: (events: readonly NewEvent[]) => string,
): Rule {
  return onTeam((team, state) => {
    const decided = decide(team, state)
    if (decided instanceof AppError) return decided
    const told = sendMessage(team, { from: HUMAN, to: COORDINATOR, content: words(decided), messageId: "" })
    if (told instanceof AppError) return told
    return [...asCoordinator(team, decided), ...told]
  })
}

/** Attributes the events to the team's own run. */
function asCoordinator({ runId }: TeamState, events: readonly NewEvent[]): NewEvent[] {
  return events.map((event) => ({ run_id: runId, agent_id: COORDINATOR, ...event }))
}

function idsIn(events: readonly NewEvent[], type: "work_node_created"): string {
  return events.flatMap((event) => (event.type === type ? event.node_id : [])).join(", ")
}
