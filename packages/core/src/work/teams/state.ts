import type { EventOf, LogEvent } from "../../events.ts"
import type { WorkBudget } from "../../people/budget/schema.ts"
import type { SessionState } from "../../state.ts"
import type { CheckCommands } from "../gate/schema.ts"
import type { CoordinatorState } from "./coordinator-state.ts"
import type { Inboxes } from "./inboxes.ts"
import {
  AUTONOMOUS,
  HARNESSED,
  type TeamCommands,
  type TeamMode,
  type WorkerCommand,
  type WorkNodeStatus,
} from "./schema.ts"
import type { Stage } from "./stages.ts"
import type { Triggers } from "./trigger-state.ts"

/** State of a node, as needed by the team's rules. The complete task and result are in the node's events. */
export interface WorkNode {
  nodeId: string
  /** First line of the task. */
  task: string
  dependsOn: string[]
  parent: string | null
  status: WorkNodeStatus
  workerId: string | null
  /** Commands that must pass before the node completes, if any. */
  checks: CheckCommands | null
  /**
   * Limit for all runs of the node together, or null. If a person sets a run's budget, earlier runs no longer count.
   */
  budget: WorkBudget | null
  /** Runs that worked on the node, newest last. */
  runs: { runId: string; firstSeq: number }[]
  /** Number of runs before the node was last reopened. All of them failed. */
  failedRuns: number
  /** True if the node's run was stopped together with the team. Another run will continue the node. */
  interrupted: boolean
  /**
   * True if the worker is a program that has completed its run, but the coordinator hasn't processed the result yet.
   */
  isDone: boolean
  /** Beginning of the summary or of the failure reason. */
  result: string | null
  createdSeq: number
  /** In a repository, the worker sees only results published before this event. Null until the node starts. */
  viewSeq: number | null
  /** Files that other nodes have changed too, as last reported to the worker. */
  conflict: { round: number; files: { path: string; own: string | null }[] } | null
  /** Event that recorded the commit to the team's worktree, if any. */
  committedSeq: number | null
  refusedCommits: number
  /** Event that ended the node. */
  endedSeq: number | null
  fileCount: number
}

export interface WorkerState {
  workerId: string
  name: string
  role: string
  type: EventOf<"worker_spawned">["worker_type"]
  /** Command that the worker runs. Null for other workers. */
  command: string | null
  commandLimits: Pick<WorkerCommand, "timeout_seconds" | "network"> | null
  /** Worktree of a worker that is a program. Null for other workers. */
  worktree: string | null
  model: string
  maxIterations: number
}

/** Snapshot of the repository's files that the team's models work on. */
export interface TeamBase {
  worktree: string
  branch: string | null
  manifest: string
  /** Event that recorded the snapshot. */
  seq: number
  /** True if the files must be read again, because commits were merged or a committed node was reopened. */
  isStale: boolean
}

export interface TeamState {
  runId: string
  maxConcurrent: number
  /** True if the team works in the session's repository, and false if it works on the session's own files. */
  isInRepository: boolean
  startedSeq: number
  /** Null unless the team is paused or stopped. */
  halted: "paused" | "stopped" | null
  /** Event that declared the goal reached. */
  finishedSeq: number | null
  /** Event that ended the coordinator's run. */
  endedSeq: number | null
  /** Run that is merging the team's work. Null once the coordinator has processed the end of that run. */
  trainRunId: string | null
  /** Null without a repository, and until the repository's files are read. */
  base: TeamBase | null
  /** Nodes by ID. `nodesOf` returns them in board order. */
  nodes: { [nodeId: string]: WorkNode }
  /** IDs of all nodes in board order. This is the order of creation, unless a person moved nodes. */
  order: string[]
  /** Event that last changed the order. Null once the coordinator has seen the change. */
  movedSeq: number | null
  workers: { [workerId: string]: WorkerState }
  /** Stages in order of creation. */
  stages: Stage[]
  inboxes: Inboxes
  /** Null if a model coordinates. */
  coordinator: CoordinatorState | null
  mode: TeamMode
  /** Null if no commands may run. */
  commands: TeamCommands | null
  triggers: Triggers
  /** Idempotency keys of the newest messages from people. */
  messageKeys: string[]
  /** Time of the last change to a node, or of the last message. */
  workedAt: string
}

/** Returns a node's uncompleted dependencies. */
export function openDependencies(team: TeamState, { dependsOn }: Pick<WorkNode, "dependsOn">): string[] {
  return dependsOn.filter((id) => team.nodes[id]?.status !== "completed")
}

/** Returns all nodes in board order, which is also the order in which they start. */
export function nodesOf({ nodes, order }: Pick<TeamState, "nodes" | "order">): WorkNode[] {
  return order.flatMap((id) => nodes[id] ?? [])
}

/** Returns the order after moving an ID before another ID, or to the end. */
export function movedBefore(order: readonly string[], nodeId: string, before: string | null): string[] {
  const others = order.filter((id) => id !== nodeId)
  const at = before === null ? others.length : others.indexOf(before)
  return others.toSpliced(at === -1 ? others.length : at, 0, nodeId)
}

export function nodesIn(team: TeamState, ...statuses: WorkNodeStatus[]): WorkNode[] {
  return nodesOf(team).filter(({ status }) => statuses.includes(status))
}

/** Returns a worker's unfinished node. */
export function nodeOfWorker(team: TeamState, workerId: string): WorkNode | undefined {
  return nodesIn(team, "assigned", "running").find((node) => node.workerId === workerId)
}

/** Returns true if a worker is a program with its own worktree. */
export function isProgram(worker: Pick<WorkerState, "type"> | undefined): boolean {
  return worker !== undefined && worker.type !== HARNESSED && worker.type !== AUTONOMOUS
}

/** Returns the node a run is working on. */
export function nodeOfRun({ team }: Pick<SessionState, "team">, runId: string): WorkNode | undefined {
  return team ? Object.values(team.nodes).find(({ runs }) => runs.at(-1)?.runId === runId) : undefined
}

/** Returns the reason why a run left its node without a result. */
export function endReason(event: LogEvent): string {
  if (event.type === "run_failed") return event.message
  return event.type === "run_cancelled" ? event.reason : "Its run ended without a result."
}
