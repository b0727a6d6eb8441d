import type { EventOf, LogEvent } from "../../events.ts"
import { formatCount } from "../../text/format.ts"
import type { CheckpointPolicy, StageStatus } from "./schema.ts"
import type { TeamState } from "./state.ts"

/** A group of nodes whose results the coordinator reviews together before continuing. */
export interface Stage {
  name: string
  policy: CheckpointPolicy
  nodeIds: string[]
  timeoutSeconds: number | null
  /** Maximum number of model calls per node. */
  maxIterations: number | null
  /**
   * Time at which the stage's time limit is reached, counted from the start of its first node. Null before that start,
   * or if the stage has no time limit.
   */
  endsAt: string | null
  /** Event that recorded the stage's timeout. */
  timedOutSeq: number | null
  /** Nodes that failed because they were unfinished at the timeout. */
  stopped: string[]
  /** Event that met the policy or ended the stage's last node. */
  metSeq: number | null
  /** Event that recorded the coordinator's review. */
  reconvenedSeq: number | null
}

/** Returns the stages after an event. `team` must already include the event's changes to nodes. */
export function foldStages(team: TeamState, event: LogEvent): Stage[] {
  if (event.type === "stage_started") return [...team.stages, started(event)]
  const stages = team.stages.map((stage) => changed(stage, event))
  return stages.map((stage) => ({ ...stage, metSeq: isMet(team, stage) ? (stage.metSeq ?? event.seq) : null }))
}

function started(event: EventOf<"stage_started">): Stage {
  const { stage: name, checkpoint_policy: policy, timeout_seconds, max_iterations } = event
  const limits = { timeoutSeconds: timeout_seconds ?? null, maxIterations: max_iterations ?? null }
  return {
    name,
    policy,
    nodeIds: [],
    ...limits,
    endsAt: null,
    timedOutSeq: null,
    stopped: [],
    metSeq: null,
    reconvenedSeq: null,
  }
}

function changed(stage: Stage, event: LogEvent): Stage {
  if (event.type === "stage_reconvened" && event.stage === stage.name) return { ...stage, reconvenedSeq: event.seq }
  if (event.type === "stage_timed_out" && event.stage === stage.name)
    return { ...stage, timedOutSeq: event.seq, stopped: event.stopped }
  if (event.type === "work_node_started" && stage.nodeIds.includes(event.node_id)) return begun(stage, event.ts)
  if (event.type !== "work_node_created" || event.stage !== stage.name) return stage
  return { ...stage, nodeIds: [...stage.nodeIds, event.node_id] }
}

function begun(stage: Stage, at: string): Stage {
  if (stage.endsAt !== null || stage.timeoutSeconds === null) return stage
  return { ...stage, endsAt: new Date(Date.parse(at) + stage.timeoutSeconds * 1000).toISOString() }
}

/** Returns the running stages that have a time limit. */
export function timedStages({ stages }: TeamState): (Stage & { endsAt: string })[] {
  return stages.filter((stage): stage is Stage & { endsAt: string } => stage.endsAt !== null && stage.metSeq === null)
}

/** Returns the maximum number of model calls for a node: the lower of the worker's and the stage's limits. */
export function iterationsFor({ stages }: TeamState, nodeId: string, own: number): number {
  const stage = stages.find(({ nodeIds }) => nodeIds.includes(nodeId))
  return Math.min(own, stage?.maxIterations ?? own)
}

/**
 * Returns true if a stage is ready for review: enough of its nodes are completed, all of them have ended, or the stage
 * timed out.
 */
function isMet(team: TeamState, { policy, nodeIds, timedOutSeq }: Stage): boolean {
  if (timedOutSeq !== null) return true
  if (nodeIds.length === 0) return false
  const count = (status: string) => nodeIds.filter((id) => team.nodes[id]?.status === status).length
  const completed = count("completed")
  if (completed + count("failed") === nodeIds.length) return true
  if (policy === "any") return completed > 0
  return policy === "majority" && completed * 2 > nodeIds.length
}

export function statusOfStage(team: TeamState, { nodeIds, metSeq, reconvenedSeq }: Stage): StageStatus {
  if (reconvenedSeq !== null) return "completed"
  if (metSeq !== null) return "reconvening"
  return nodeIds.every((id) => team.nodes[id]?.status === "pending") ? "planning" : "running"
}

/**
 * Returns the current stage: a stage that waits for the coordinator's review or, if there is none, the first stage not
 * yet completed.
 */
export function currentStage(team: TeamState): Stage | undefined {
  const open = team.stages.filter(({ reconvenedSeq }) => reconvenedSeq === null)
  return open.find(({ metSeq }) => metSeq !== null) ?? open[0]
}

/** Describes a stage: its nodes with their status and result. */
export function stageText(team: TeamState, stage: Stage): string {
  const lines = stage.nodeIds.map((id) => {
    const node = team.nodes[id]
    const files =
      node?.status === "completed" ? `; ${formatCount(node.fileCount, "file")} in nodes/${id}/published` : ""
    return `- ${id} [${node?.status}]${node?.result ? `: ${node.result}` : ""}${files}`
  })
  return `Stage ${stage.name} [${statusOfStage(team, stage)}], ${stage.policy}:\n${lines.join("\n")}`
}

/** Describes for the coordinator the stages that an event made ready for review. */
export function stagesMetAt(team: TeamState, seq: number): string[] {
  const met = team.stages.filter(({ metSeq, reconvenedSeq }) => metSeq === seq && reconvenedSeq === null)
  return met.map((stage) => `${stageText(team, stage)}\nLook at the results, and end the stage with reconvene.`)
}
