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

/** A node, as far as rules decide on it. Its task in full, and its result, are in its events. */
export interface WorkNode {
  nodeId: string
  /** The first line of its task. */
  task: string
  dependsOn: string[]
  parent: string | null
  status: WorkNodeStatus
  workerId: string | null
  /** The commands that must pass before it counts as completed; null for none. */
  checks: CheckCommands | null
  /** The most that its runs may use together; null without a limit. Where a person sets that of one, it counts from there on. */
  budget: WorkBudget | null
  /** The runs that worked on it, the newest last. */
  runs: { runId: string; firstSeq: number }[]
  /** The number of those that belong to attempts that failed before it was reopened. */
  failedRuns: number
  /** Whether its run was asked to stop because the team was: it goes on in another. */
  interrupted: boolean
  /** Whether its program has completed its run, at which the coordinator is yet to look. */
  isDone: boolean
  /** The beginning of its summary, or of the reason why it failed. */
  result: string | null
  createdSeq: number
  /** In a repository, its worker sees the results that were published before this event; null before it begins. */
  viewSeq: number | null
  /** The files to which others published changes, too, as its worker was told last. */
  conflict: { round: number; files: { path: string; own: string | null }[] } | null
  /** The commit of its result to the team's worktree; null where there is none. */
  committedSeq: number | null
  /** The number of times that it was refused. */
  refusedCommits: number
  /** The event that ended it. */
  endedSeq: number | null
  fileCount: number
}

export interface WorkerState {
  workerId: string
  name: string
  role: string
  type: EventOf<"worker_spawned">["worker_type"]
  /** The command that it is; null for all others. */
  command: string | null
  /** The limits of that. */
  commandLimits: Pick<WorkerCommand, "timeout_seconds" | "network"> | null
  /** The session's worktree of a program; null for all others. */
  worktree: string | null
  model: string
  maxIterations: number
}

/** The files of a repository as a team's models began with them. */
export interface TeamBase {
  worktree: string
  branch: string | null
  manifest: string
  /** Of their reading. */
  seq: number
  /** Whether they are to be read anew: what is committed was merged, or is to be done again. */
  isStale: boolean
}

export interface TeamState {
  runId: string
  maxConcurrent: number
  /** Whether it works in the session's repository, and not on the session's own files. */
  isInRepository: boolean
  startedSeq: number
  /** Whether something keeps it from going on. */
  halted: "paused" | "stopped" | null
  /** The event in which the coordinator declared the goal reached. */
  finishedSeq: number | null
  /** The event that ended its coordinator's run. */
  endedSeq: number | null
  /** The merges that are under way, or of whose end the coordinator hasn't been told. */
  trainRunId: string | null
  /** Null without a repository, and before its files are read. */
  base: TeamBase | null
  /** By their id; `nodesOf` has them in their order. */
  nodes: { [nodeId: string]: WorkNode }
  /** The ids of all nodes: those that were created first stand first, unless somebody moved one. */
  order: string[]
  /** The newest change of that order of which the coordinator wasn't told yet. */
  movedSeq: number | null
  workers: { [workerId: string]: WorkerState }
  /** In the order in which they were begun. */
  stages: Stage[]
  inboxes: Inboxes
  /** Null where a model coordinates. */
  coordinator: CoordinatorState | null
  mode: TeamMode
  /** Null where nothing may be run for it. */
  commands: TeamCommands | null
  triggers: Triggers
  /** The keys of the newest requests by which people wrote, each of which counts once. */
  messageKeys: string[]
  /** When a node last changed, or a person last wrote. */
  workedAt: string
}

/** The dependencies of a node that aren't completed. */
export function openDependencies(team: TeamState, { dependsOn }: Pick<WorkNode, "dependsOn">): string[] {
  return dependsOn.filter((id) => team.nodes[id]?.status !== "completed")
}

/** All nodes in the order of the board, in which they begin where there isn't room for all. */
export function nodesOf({ nodes, order }: Pick<TeamState, "nodes" | "order">): WorkNode[] {
  return order.flatMap((id) => nodes[id] ?? [])
}

/** The ids, with one of them right before another, or at the end. */
export function movedBefore(order: readonly string[], nodeId: string, before: string | null): string[] {
  const others = order.filter((id) => id !== nodeId)
  const at = before === null ? others.length : others.indexOf(before)
  return others.toSpliced(at === -1 ? others.length : at, 0, nodeId)
}

export function nodesIn(team: TeamState, ...statuses: WorkNodeStatus[]): WorkNode[] {
  return nodesOf(team).filter(({ status }) => statuses.includes(status))
}

/** The node that a worker was given and has not ended. */
export function nodeOfWorker(team: TeamState, workerId: string): WorkNode | undefined {
  return nodesIn(team, "assigned", "running").find((node) => node.workerId === workerId)
}

/** Whether a worker is a program with a worktree of its own. */
export function isProgram(worker: Pick<WorkerState, "type"> | undefined): boolean {
  return worker !== undefined && worker.type !== HARNESSED && worker.type !== AUTONOMOUS
}

/** The node that a run works on. */
export function nodeOfRun({ team }: Pick<SessionState, "team">, runId: string): WorkNode | undefined {
  return team ? Object.values(team.nodes).find(({ runs }) => runs.at(-1)?.runId === runId) : undefined
}

/** The reason for which a run left its node without a result. */
export function endReason(event: LogEvent): string {
  if (event.type === "run_failed") return event.message
  return event.type === "run_cancelled" ? event.reason : "Its run ended without a result."
}
