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

/** A node, as far as rules need it. Its events have the complete task and result. */
export interface WorkNode {
  nodeId: string
  /** First line of its task. */
  task: string
  dependsOn: string[]
  parent: string | null
  status: WorkNodeStatus
  workerId: string | null
  /** Commands that must pass before it completes, if any. */
  checks: CheckCommands | null
  /**
   * Limit of all its runs together. Null without a limit. If a person sets the budget of a run, usage counts from
   * there.
   */
  budget: WorkBudget | null
  /** Runs that worked on it, newest last. */
  runs: { runId: string; firstSeq: number }[]
  /** Number of runs in failed attempts, before it was reopened. */
  failedRuns: number
  /** True if its run was stopped together with the team. It continues in another run. */
  interrupted: boolean
  /** True if its program's run completed, but the coordinator hasn't reviewed it. */
  isDone: boolean
  /** Start of its summary, or of the reason of its failure. */
  result: string | null
  createdSeq: number
  /** In a repository, its worker sees results published before this event. Null before it starts. */
  viewSeq: number | null
  /** Files that others changed too, as last reported to its worker. */
  conflict: { round: number; files: { path: string; own: string | null }[] } | null
  /** Event of the commit to the team's worktree, if any. */
  committedSeq: number | null
  /** Number of refused commits. */
  refusedCommits: number
  /** Event that ended it. */
  endedSeq: number | null
  fileCount: number
}

export interface WorkerState {
  workerId: string
  name: string
  role: string
  type: EventOf<"worker_spawned">["worker_type"]
  /** Command of a worker that is one. */
  command: string | null
  /** Limits of the command. */
  commandLimits: Pick<WorkerCommand, "timeout_seconds" | "network"> | null
  /** Worktree of a program. */
  worktree: string | null
  model: string
  maxIterations: number
}

/** Files of a repository at the start of a team's models. */
export interface TeamBase {
  worktree: string
  branch: string | null
  manifest: string
  /** Event that recorded the files. */
  seq: number
  /** True if they must be read again, because commits were merged or will be redone. */
  isStale: boolean
}

export interface TeamState {
  runId: string
  maxConcurrent: number
  /** True if it works in the session's repository instead of the session's own files. */
  isInRepository: boolean
  startedSeq: number
  /** Set while the team is paused or stopped. */
  halted: "paused" | "stopped" | null
  /** Event that declared the goal reached. */
  finishedSeq: number | null
  /** Event that ended the coordinator's run. */
  endedSeq: number | null
  /** Run of the current merges. Cleared when the coordinator learns of their end. */
  trainRunId: string | null
  /** Null without a repository, and before its files are read. */
  base: TeamBase | null
  /** By id. `nodesOf` returns them in order. */
  nodes: { [nodeId: string]: WorkNode }
  /** Ids of all nodes in board order: by creation, unless a person moved one. */
  order: string[]
  /** Last change of the order that the coordinator hasn't seen yet. */
  movedSeq: number | null
  workers: { [workerId: string]: WorkerState }
  /** In order of their start. */
  stages: Stage[]
  inboxes: Inboxes
  /** Null if a model coordinates. */
  coordinator: CoordinatorState | null
  mode: TeamMode
  /** Null if nothing may run. */
  commands: TeamCommands | null
  triggers: Triggers
  /** Idempotency keys of the newest messages from people. */
  messageKeys: string[]
  /** Time of the last change to a node, or message from a person. */
  workedAt: string
}

/** Returns the dependencies of a node that aren't completed. */
export function openDependencies(team: TeamState, { dependsOn }: Pick<WorkNode, "dependsOn">): string[] {
  return dependsOn.filter((id) => team.nodes[id]?.status !== "completed")
}

/** Returns all nodes in board order, which decides what starts first. */
export function nodesOf({ nodes, order }: Pick<TeamState, "nodes" | "order">): WorkNode[] {
  return order.flatMap((id) => nodes[id] ?? [])
}

/** Moves an id before another one, or to the end. */
export function movedBefore(order: readonly string[], nodeId: string, before: string | null): string[] {
  const others = order.filter((id) => id !== nodeId)
  const at = before === null ? others.length : others.indexOf(before)
  return others.toSpliced(at === -1 ? others.length : at, 0, nodeId)
}

export function nodesIn(team: TeamState, ...statuses: WorkNodeStatus[]): WorkNode[] {
  return nodesOf(team).filter(({ status }) => statuses.includes(status))
}

/** Returns the unfinished node of a worker. */
export function nodeOfWorker(team: TeamState, workerId: string): WorkNode | undefined {
  return nodesIn(team, "assigned", "running").find((node) => node.workerId === workerId)
}

/** True if a worker is a program with its own worktree. */
export function isProgram(worker: Pick<WorkerState, "type"> | undefined): boolean {
  return worker !== undefined && worker.type !== HARNESSED && worker.type !== AUTONOMOUS
}

/** Returns the node that a run works on. */
export function nodeOfRun({ team }: Pick<SessionState, "team">, runId: string): WorkNode | undefined {
  return team ? Object.values(team.nodes).find(({ runs }) => runs.at(-1)?.runId === runId) : undefined
}

/** Returns why a run left its node without a result. */
export function endReason(event: LogEvent): string {
  if (event.type === "run_failed") return event.message
  return event.type === "run_cancelled" ? event.reason : "Its run ended without a result."
}
