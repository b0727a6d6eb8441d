import type { EventOf, LogEvent } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import { endsRun } from "../runs/schema.ts"
import { foldCoordinator } from "./coordinator-state.ts"
import { deliver, deliverTo, take } from "./inboxes.ts"
import { COORDINATOR, HUMAN, MAX_RESULT_CHARS } from "./schema.ts"
import { foldStages } from "./stages.ts"
import {
  endReason,
  isProgram,
  movedBefore,
  nodeOfRun,
  nodesIn,
  type TeamState,
  type WorkerState,
  type WorkNode,
} from "./state.ts"
import { foldTriggers } from "./trigger-state.ts"

/** The session's newest team. */
export const teamPart: Part<TeamState | null> = {
  version: 20,
  initial: null,
  apply(team, event) {
    if (event.type === "team_started") return startedTeam(event)
    if (!team) return team
    const coordinator = foldCoordinator(team.coordinator, event)
    const now = changed(coordinator === team.coordinator ? team : { ...team, coordinator }, event)
    const next = withTriggers(withTeamEnd(withEnds(now, event), event), event)
    return withStages(team, next, event)
  },
}

/** Derives the stages again if the event may have changed their nodes. */
function withStages(before: TeamState, team: TeamState, event: LogEvent): TeamState {
  const isChanged = before.nodes !== team.nodes || event.type.startsWith("stage_")
  return isChanged ? { ...team, stages: foldStages(team, event) } : team
}

function startedTeam(event: EventOf<"team_started">): TeamState {
  return {
    runId: event.run_id ?? "",
    maxConcurrent: event.max_concurrent,
    isInRepository: event.repository !== undefined,
    startedSeq: event.seq,
    halted: null,
    finishedSeq: null,
    endedSeq: null,
    trainRunId: null,
    base: null,
    nodes: {},
    order: [],
    movedSeq: null,
    workers: {},
    stages: [],
    inboxes: { [COORDINATOR]: [event.seq] },
    coordinator: null,
    mode: event.mode ?? "finite",
    commands: event.commands ?? null,
    triggers: {},
    messageKeys: [],
    workedAt: event.ts,
  }
}

function changed(team: TeamState, event: LogEvent): TeamState {
  switch (event.type) {
    case "team_paused":
      return { ...team, halted: "paused" }
    case "team_stopped":
      return { ...team, halted: "stopped" }
    case "team_resumed":
      return team.halted === "stopped" ? told({ ...team, halted: null }, event) : { ...team, halted: null }
    case "team_finished":
      return team.mode === "infinite" ? team : { ...team, finishedSeq: event.seq }
    case "stage_timed_out":
      return told(team, event)
    case "team_merge_started":
      return { ...team, trainRunId: event.train_run_id }
    case "team_merge_ended":
      return { ...(event.merged ? withStaleBase(team) : team), trainRunId: null }
    case "team_files_read": {
      const { worktree, branch, manifest, seq } = event
      return { ...team, base: { worktree, branch, manifest, seq, isStale: false } }
    }
    case "team_message_sent":
      return { ...team, inboxes: deliver(team, event), messageKeys: withKey(team.messageKeys, event) }
    case "conversation_extended":
      return { ...team, inboxes: take(team.inboxes, event), movedSeq: unlessTold(team.movedSeq, event) }
    case "run_cancel_requested":
      return team.halted === "stopped" ? interrupted(team, event.run_id) : team
    case "budget_set":
      return event.scope === "run" ? withBudget(team, event) : team
    case "worker_spawned":
      return { ...team, workers: { ...team.workers, [event.worker_id]: spawned(event) } }
    default:
      return nodeChanged(team, event)
  }
}

/** If a budget is set for a node's run, also stores it with the node, so that it limits the node's later runs. */
function withBudget(team: TeamState, event: EventOf<"budget_set">): TeamState {
  const { run_id: runId = "", usd, tokens, minutes } = event
  const node = nodeOfRun({ team }, runId)
  if (!node) return team
  return withNode(team, node.nodeId, { budget: { usd, tokens, minutes } })
}

function withStaleBase(team: TeamState): TeamState {
  return team.base ? { ...team, base: { ...team.base, isStale: true } } : team
}

function unlessTold(seq: number | null, { tells = [] }: EventOf<"conversation_extended">): number | null {
  return seq !== null && tells.includes(seq) ? null : seq
}

const MAX_MESSAGE_KEYS = 50

function withKey(keys: string[], { key }: EventOf<"team_message_sent">): string[] {
  return key === undefined ? keys : [...keys, key].slice(-MAX_MESSAGE_KEYS)
}

function nodeChanged(team: TeamState, event: LogEvent): TeamState {
  switch (event.type) {
    case "work_node_created":
      return {
        ...team,
        nodes: { ...team.nodes, [event.node_id]: created(event) },
        order: [...team.order, event.node_id],
      }
    case "work_node_moved":
      return { ...team, order: movedBefore(team.order, event.node_id, event.before), movedSeq: event.seq }
    case "work_node_assigned":
      return withNode(team, event.node_id, { status: "assigned", workerId: event.worker_id })
    case "work_node_started": {
      const runs = team.nodes[event.node_id]?.runs ?? []
      const run = { runId: event.node_run_id, firstSeq: event.seq }
      const begun = { status: "running" as const, workerId: event.worker_id, interrupted: false, isDone: false }
      const viewSeq = team.nodes[event.node_id]?.viewSeq ?? event.seq
      return withNode(team, event.node_id, { ...begun, viewSeq, runs: [...runs, run] })
    }
    case "work_node_conflicted": {
      const files = event.conflicts.map(({ path, own }) => ({ path, own }))
      return withNode(team, event.node_id, { viewSeq: event.seq, conflict: { round: event.round, files } })
    }
    case "work_node_committed":
      return withNode(team, event.node_id, { committedSeq: event.seq, refusedCommits: 0 })
    case "work_node_commit_refused": {
      const { refusedCommits = 0 } = team.nodes[event.node_id] ?? {}
      const next = withNode(team, event.node_id, { refusedCommits: refusedCommits + 1 })
      // Report only the first refusal. After that, the coordinator itself requests every further attempt and sees the
      // result.
      return refusedCommits === 0 ? told(next, event) : next
    }
    case "work_node_completed": {
      const ended = { ...endedBy(event, event.summary), status: "completed" as const, fileCount: event.files.length }
      return told(withNode(team, event.node_id, ended), event)
    }
    case "work_node_failed":
      return told(withNode(team, event.node_id, { ...endedBy(event, event.reason), status: "failed" }), event)
    case "work_node_reopened": {
      const { runs = [], committedSeq = null } = team.nodes[event.node_id] ?? {}
      const fresh = { runs: [], failedRuns: 0, viewSeq: null, conflict: null }
      return withNode(committedSeq === null ? team : withStaleBase(team), event.node_id, {
        ...{ status: "pending", endedSeq: null, result: null, workerId: null, committedSeq: null },
        ...(event.anew ? fresh : { failedRuns: runs.length }),
      })
    }
    default:
      return team
  }
}

/**
 * Updates the node of a run that ended without a result. The node fails, unless it was interrupted to continue later.
 */
function withEnds(team: TeamState, event: LogEvent): TeamState {
  if (!event.run_id || !endsRun(event)) return team
  const node = runningNode(team, event.run_id)
  if (!node) return team
  if (team.endedSeq !== null) return withNode(team, node.nodeId, leftBy(event))
  // The coordinator's run completes the node of a program later.
  if (event.type === "run_completed" && isProgram(team.workers[node.workerId ?? ""]))
    return withNode(team, node.nodeId, { isDone: true })
  if (event.type === "run_cancelled" && node.interrupted) return withNode(team, node.nodeId, { status: "assigned" })
  return told(withNode(team, node.nodeId, { ...endedBy(event, endReason(event)), status: "failed" }), event)
}

/**
 * When the team ends, fails the nodes that would otherwise never start or complete. All other nodes end when their runs
 * end.
 */
function withTeamEnd(team: TeamState, event: LogEvent): TeamState {
  if (event.run_id !== team.runId || !endsRun(event)) return team
  const left = nodesIn(team, "assigned", "running").filter(({ status, isDone }) => status === "assigned" || isDone)
  const nodes = Object.fromEntries(left.map((node) => [node.nodeId, { ...node, ...leftBy(event) }]))
  return { ...team, endedSeq: event.seq, nodes: { ...team.nodes, ...nodes } }
}

function leftBy(event: LogEvent): Partial<WorkNode> {
  return { ...endedBy(event, "The team ended before this was completed."), status: "failed" }
}

/**
 * Delivers a fired trigger's message to its recipient. A message or a change to a node restarts the team's idle time.
 */
function withTriggers(team: TeamState, event: LogEvent): TeamState {
  const isWork = event.type.startsWith("work_node_") || event.type === "team_message_sent"
  const workedAt = isWork ? event.ts : team.workedAt
  const isIdle = nodesIn(team, "assigned", "running").length === 0
  const next = { ...team, workedAt, triggers: foldTriggers(team.triggers, event, isIdle ? workedAt : null) }
  // Programs have no inbox. Triggers addressed to the human are sent to webhooks instead.
  if (event.type !== "trigger_fired" || event.to === HUMAN || isProgram(team.workers[event.to])) return next
  return { ...next, inboxes: deliverTo(team.inboxes, event.to, event.seq) }
}

function runningNode(team: TeamState, runId: string): WorkNode | undefined {
  return nodesIn(team, "running").find(({ runs }) => runs.at(-1)?.runId === runId)
}

function interrupted(team: TeamState, runId: string): TeamState {
  const node = runningNode(team, runId)
  return node ? withNode(team, node.nodeId, { interrupted: true }) : team
}

function endedBy({ seq }: LogEvent, result: string): Pick<WorkNode, "endedSeq" | "result"> {
  return { endedSeq: seq, result: result.slice(0, MAX_RESULT_CHARS) }
}

function told(team: TeamState, { seq }: LogEvent): TeamState {
  return { ...team, inboxes: deliverTo(team.inboxes, COORDINATOR, seq) }
}

function withNode(team: TeamState, nodeId: string, change: Partial<WorkNode>): TeamState {
  const node = team.nodes[nodeId]
  return node ? { ...team, nodes: { ...team.nodes, [nodeId]: { ...node, ...change } } } : team
}

function created(event: EventOf<"work_node_created">): WorkNode {
  const { node_id: nodeId, task, depends_on: dependsOn, parent = null, budget = null, checks = null } = event
  const waiting = { status: "pending" as const, workerId: null, runs: [], interrupted: false, isDone: false }
  const fresh = { ...waiting, viewSeq: null, conflict: null }
  const ended = { result: null, endedSeq: null, fileCount: 0, committedSeq: null, refusedCommits: 0 }
  const given = { nodeId, task, dependsOn, parent, budget, checks, createdSeq: event.seq }
  return { ...given, failedRuns: 0, ...fresh, ...ended }
}

function spawned(event: EventOf<"worker_spawned">): WorkerState {
  const { worker_id: workerId, name, role, worker_type: type, model, max_iterations: maxIterations } = event
  const { worktree = null, command = null, command_limits: commandLimits = null } = event
  return { workerId, name, role, type, command, commandLimits, worktree, model, maxIterations }
}
