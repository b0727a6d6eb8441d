import type * as z from "zod"
import { AppError } from "../../../errors.ts"
import type { EventOf } from "../../../events.ts"
import { openWorkspace } from "../../../files/workspaces/files.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import { noWorkBudget } from "../../../people/budget/schema.ts"
import { runOf } from "../../runs/state.ts"
import { budgetStatus, type Spent } from "../../usage/spent.ts"
import { spentInRun, spentInSession, spentOnNode } from "../../usage/state.ts"
import { publishedIn } from "../files.ts"
import { nodeBudget } from "../node-budget.ts"
import type { Board, BoardNodeInFull, Team } from "../request-schema.ts"
import type { TeamStatus } from "../schema.ts"
import { currentStage, statusOfStage } from "../stages.ts"
import { nodeOfWorker, nodesIn, nodesOf, type TeamState } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"
import { nextDue } from "../trigger-state.ts"
import { toTriggers } from "../triggers/trigger-requests.ts"
import { readEvents } from "./news.ts"
import { readNodeWork } from "./node-work.ts"

type Session = Pick<SessionHandle, "sid" | "sessionId" | "state">
type ReadDeps = Pick<TeamDeps, "log" | "blobs">

/** Returns a session's team with its board and workers. Throws `not_found` if the session has no team. */
export async function viewBoard(deps: ReadDeps, session: Session, options: { signal: AbortSignal }): Promise<Board> {
  const { team } = session.state
  if (!team) throw new AppError("not_found", "This session has no team.")
  const { manifest } = await openWorkspace(deps, session, options)
  const nodes = nodesOf(team).map((node) => {
    const folder = `${publishedIn(node.nodeId)}/`
    const files = manifest.files.filter(({ path }) => path.startsWith(folder))
    return {
      ...{ id: node.nodeId, task: node.task, status: node.status, dependencies: node.dependsOn },
      ...{ assigned_worker: node.workerId, parent_node: node.parent, run_id: node.runs.at(-1)?.runId ?? null },
      ...{ result: node.result, checks: node.checks, budget: nodeBudget(session.state, node) },
      published_files: files.map(({ path }) => path.slice(folder.length)),
    }
  })
  return {
    team: await viewTeam(deps, session, options),
    nodes,
    workers: workersOf(session, team),
    stages: team.stages.map((stage) => ({
      ...{ name: stage.name, status: statusOfStage(team, stage) },
      ...{ checkpoint_policy: stage.policy, nodes: stage.nodeIds },
    })),
    current_stage: currentStage(team)?.name ?? null,
    budget: budgetStatus(session.state.budgets.session ?? noWorkBudget, spentInSession(session.state.usage)),
    coordinator_used: usedIn(spentInRun(session.state.usage, team.runId)),
    worker_commands: team.commands?.workers ?? [],
    triggers: toTriggers(team.triggers),
  }
}

/**
 * Returns one node of a team's board, with its complete task, commands and checks. Throws `not_found` if the node
 * doesn't exist.
 */
export async function viewNode(
  deps: ReadDeps,
  session: Session,
  nodeId: string,
  options: { signal: AbortSignal },
): Promise<z.infer<typeof BoardNodeInFull>> {
  const { nodes } = await viewBoard(deps, session, options)
  const node = nodes.find(({ id }) => id === nodeId)
  const kept = session.state.team?.nodes[nodeId]
  if (!node || !kept) throw new AppError("not_found", "There is no such node.", { node_id: nodeId })
  const { createdSeq, endedSeq } = kept
  // Read the two events separately, because reading them together would scan all events in between.
  const [created] = await readEvents(deps, session.sid, [createdSeq], options)
  const [ended] = await readEvents(deps, session.sid, endedSeq === null ? [] : [endedSeq], options)
  return {
    ...node,
    spec: created?.type === "work_node_created" ? String(created.spec) : "",
    ...(await readNodeWork(deps, session.sid, kept, options)),
    verdict: (ended?.type === "work_node_completed" && ended.verdict) || null,
  }
}

/** Returns a session's team without its board. Throws `not_found` if the session has no team. */
export async function viewTeam(deps: ReadDeps, session: Session, options: { signal: AbortSignal }): Promise<Team> {
  const { team } = session.state
  if (!team) throw new AppError("not_found", "This session has no team.")
  const [event] = await readEvents(deps, session.sid, [team.startedSeq], options)
  return toTeam(session, team, event?.type === "team_started" ? event : undefined)
}

function toTeam({ sessionId, state }: Session, team: TeamState, started: EventOf<"team_started"> | undefined): Team {
  const run = runOf(state, team.runId)
  return {
    ...{ id: sessionId, run_id: team.runId, goal: String(started?.goal ?? "") },
    ...{ mode: team.mode, permission_mode: started?.permission_mode ?? null, status: statusOf(state, team) },
    model: run?.model ?? "",
    ...{ coordinator: team.coordinator?.model ?? null, coordinator_id: team.coordinator?.agentId ?? null },
    node_count: Object.keys(team.nodes).length,
    worker_count: Object.keys(team.workers).length,
    created_at: run?.createdAt ?? "",
    updated_at: state.changedAt ?? "",
  }
}

export function statusOf(state: Session["state"], team: TeamState): TeamStatus {
  const run = runOf(state, team.runId)
  if (!run || run.status === "completed") return "completed"
  if (run.status === "failed") return "failed"
  if (run.status === "cancelled") return "stopped"
  if (team.halted) return team.halted
  if (state.questions.waiting.length > 0) return "waiting_for_human"
  if (run.status !== "parked" || nodesIn(team, "running").length > 0) return "working"
  return nextDue(team.triggers) === undefined ? "idle" : "waiting_for_trigger"
}

function workersOf({ state }: Session, team: TeamState): Board["workers"] {
  // A stopped team's nodes stay assigned, because the team can be resumed.
  const isActive = !["completed", "failed", "stopped"].includes(statusOf(state, team))
  return Object.values(team.workers).map(({ workerId, name, role, type, command, model }) => {
    const node = nodeOfWorker(team, workerId)
    const asks = state.questions.waiting.some(({ agentId }) => agentId === workerId)
    const isBusy = node !== undefined && isActive
    const status = asks ? ("waiting_for_human" as const) : isBusy ? ("busy" as const) : ("idle" as const)
    const nodes = Object.values(team.nodes).filter((one) => one.workerId === workerId)
    const used = usedIn(addedUp(nodes.map(({ nodeId }) => spentOnNode(state.usage, nodeId))))
    return { id: workerId, name, role, type, command, model, status, node_id: node?.nodeId ?? null, used }
  })
}

function addedUp(all: readonly Spent[]): Spent {
  return { rows: all.flatMap(({ rows }) => rows), workedMs: all.reduce((sum, { workedMs }) => sum + workedMs, 0) }
}

function usedIn(spent: Spent) {
  return budgetStatus(noWorkBudget, spent).used
}
