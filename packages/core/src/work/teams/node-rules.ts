import { AppError } from "../../errors.ts"
import type { Verdict } from "../../kernel/session-log.ts"
import type { WorkBudgetChange } from "../../people/budget/schema.ts"
import type { CheckCommands } from "../gate/schema.ts"
import { nodeOf, refused, workerOf } from "./refusals.ts"
import { COORDINATOR, MAX_NODES, NodeId, type StageContract } from "./schema.ts"
import { useStage } from "./stage-rules.ts"
import { movedBefore, nodeOfWorker, nodesIn, openDependencies, type TeamState } from "./state.ts"

export interface NewWorkNode {
  /** If absent, an ID is generated. */
  nodeId?: string
  task: string
  deps: string[]
  refs: Record<string, string>
  parent?: string
  stage?: string
  /** The stage's contract, if this node starts the stage. */
  contract?: StageContract
  budget?: WorkBudgetChange
  checks?: CheckCommands
}

const MAX_TITLE_CHARS = 160
const MAX_DEPENDENCIES = 30

/** Adds a node to the board. The node's dependencies must already exist, which prevents cycles. */
export function createNode(team: TeamState, node: NewWorkNode): Verdict {
  const nodeId = node.nodeId ?? nextId(team)
  const fault = nodeFault(team, nodeId, node)
  if (fault) return refused(fault, { node_id: nodeId })
  const { deps, refs, task: spec, parent, stage } = node
  const begun = useStage(team, stage, node.contract)
  if (begun instanceof AppError) return begun
  const task = spec.trim().split("\n", 1)[0]?.slice(0, MAX_TITLE_CHARS) ?? ""
  const about = { node_id: nodeId, task, spec, depends_on: [...new Set(deps)], refs, parent, ...(stage && { stage }) }
  const { usd = null, tokens = null, minutes = null } = node.budget ?? {}
  const budget = { usd, tokens, minutes }
  const limit = Object.values(budget).some((most) => most !== null) && { budget }
  const proof = isChecked(node) && { checks: node.checks }
  return [...begun, { type: "work_node_created", ...about, ...limit, ...proof }]
}

function isChecked({ checks = {} }: NewWorkNode): boolean {
  return Object.values(checks).some((command) => command !== undefined)
}

const NOTHING_RUNS =
  "This team can't run commands, so nodes can't have checks. Start the team on a server that runs agents (a local one needs your consent)."

function nodeFault(team: TeamState, nodeId: string, node: NewWorkNode): string | undefined {
  const { task, deps, checks = {} } = node
  if (isChecked(node) && team.commands === null) return NOTHING_RUNS
  if (isChecked(node) && Object.keys(checks).every((name) => name === "install"))
    return "Installing alone doesn't prove anything. Add another check."
  if (task.trim() === "") return "The task is empty."
  if (!NodeId.safeParse(nodeId).success) return `${nodeId.slice(0, 60)} is not a valid node id.`
  if (Object.hasOwn(team.nodes, nodeId)) return `There is already a node ${nodeId}.`
  if (Object.keys(team.nodes).length >= MAX_NODES) return `A team can have at most ${MAX_NODES} nodes.`
  if (deps.length > MAX_DEPENDENCIES) return `A node can depend on at most ${MAX_DEPENDENCIES} others.`
  if (deps.includes(nodeId)) return `${nodeId} can't depend on itself, because then it could never start.`
  const unknown = deps.filter((id) => !Object.hasOwn(team.nodes, id))
  if (unknown.length === 0) return undefined
  return `Unknown dependencies: ${unknown.join(", ")}. Create these nodes first.`
}

function nextId({ nodes }: TeamState): string {
  let number = Object.keys(nodes).length + 1
  while (Object.hasOwn(nodes, `node-${number}`)) number++
  return `node-${number}`
}

/**
 * Assigns a node to a worker. The node's dependencies must be completed. The node starts once `maxConcurrent` allows.
 */
export function assignNode(team: TeamState, { nodeId, worker: named }: { nodeId: string; worker: string }): Verdict {
  const node = nodeOf(team, nodeId)
  const worker = workerOf(team, named)
  if (node instanceof AppError) return node
  if (worker instanceof AppError) return worker
  if (node.status !== "pending") return refused(`${nodeId} is ${node.status}, not pending.`, { node_id: nodeId })
  const open = openDependencies(team, node)
  if (open.length > 0) {
    const waits = open.map((id) => `${id} (${team.nodes[id]?.status})`).join(", ")
    return refused(`${nodeId} can't start before ${waits}. Assign it once they are completed.`, { open })
  }
  const busy = nodeOfWorker(team, worker.workerId)
  if (busy) return refused(`${worker.name} is busy with ${busy.nodeId}.`, { node_id: busy.nodeId })
  return [{ type: "work_node_assigned", node_id: nodeId, worker_id: worker.workerId }]
}

/**
 * Marks an assigned node as started if `maxConcurrent` allows. This rule is part of the batch that creates the node's
 * run.
 */
export function startNode(team: TeamState, nodeId: string, runId: string): Verdict {
  const node = nodeOf(team, nodeId)
  if (node instanceof AppError) return node
  if (node.status !== "assigned" || node.workerId === null) return refused(`${nodeId} isn't assigned.`)
  if (team.halted) return refused(`The team is ${team.halted}.`)
  if (nodesIn(team, "running").length >= team.maxConcurrent)
    return refused(`The maximum of ${team.maxConcurrent} nodes is already running.`)
  const about = { run_id: team.runId, agent_id: COORDINATOR, node_id: nodeId }
  return [{ type: "work_node_started", ...about, worker_id: node.workerId, node_run_id: runId }]
}

/**
 * Moves a node before another one, or to the end. The order matters because waiting nodes start in board order. A node
 * that has started can't be moved.
 */
export function moveNode(team: TeamState, { nodeId, before }: { nodeId: string; before: string | null }): Verdict {
  const node = nodeOf(team, nodeId)
  if (node instanceof AppError) return node
  const other = before === null ? node : nodeOf(team, before)
  if (other instanceof AppError) return other
  if (node.status !== "pending" && node.status !== "assigned")
    return refused(`${nodeId} is ${node.status}; only a node that hasn't started can be moved.`, { node_id: nodeId })
  const order = before === nodeId ? team.order : movedBefore(team.order, nodeId, before)
  const isSame = order.every((id, at) => id === team.order[at])
  return isSame ? [] : [{ type: "work_node_moved", node_id: nodeId, before }]
}

/** Returns the assigned nodes that can start now, in board order. */
export function startable(team: TeamState): string[] {
  if (team.halted || team.finishedSeq !== null) return []
  const room = team.maxConcurrent - nodesIn(team, "running").length
  return nodesIn(team, "assigned")
    .slice(0, Math.max(0, room))
    .map(({ nodeId }) => nodeId)
}

/** Makes a failed node pending again. */
export function reopenNode(team: TeamState, nodeId: string): Verdict {
  const node = nodeOf(team, nodeId)
  if (node instanceof AppError) return node
  if (node.status !== "failed") return refused(`${nodeId} is ${node.status}; only a failed node can be retried.`)
  return [{ type: "work_node_reopened", node_id: nodeId }]
}

/** Returns a refusal if a run may not publish a node, because it isn't the run that is working on the node. */
export function publishRefusal(
  team: TeamState | null,
  { nodeId, runId }: { nodeId: string; runId: string },
): AppError | undefined {
  const node = team?.nodes[nodeId]
  if (node?.status === "running" && node.runs.at(-1)?.runId === runId) return undefined
  return refused(`${nodeId} is ${node?.status ?? "not on the board"}, so nothing can be published for it.`)
}

/** Returns a refusal if the goal can't be declared reached yet, because unfinished work would be lost. */
export function finishRefusal(team: TeamState | null): AppError | undefined {
  if (!team) return refused("There is no team.")
  if (team.finishedSeq !== null) return refused("The goal has already been declared reached.")
  const open = nodesIn(team, "assigned", "running").map(({ nodeId }) => nodeId)
  if (open.length === 0) return undefined
  return refused(`Unfinished: ${open.join(", ")}. Wait for all nodes to finish first.`, { open })
}
