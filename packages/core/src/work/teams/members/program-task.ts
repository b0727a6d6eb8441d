import { worktreeOf } from "../../../files/worktrees/state.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { isProgram, type TeamState } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"
import { type NodeAssignment, readTask, refTexts, resultTexts, wholeText } from "./task-text.ts"

type Reading = RunContext<unknown>

/**
 * Returns a program's task as text: the node's own task, the goal with all nodes, and the results that the node depends
 * on.
 */
export async function programTask(deps: TeamDeps, context: Reading, assignment: NodeAssignment): Promise<string> {
  const { spec, refs } = await readTask(deps, context, assignment.node)
  const parts = [
    [spec, aboutWorker(assignment), await wholeText(deps, context, assignment)],
    await refTexts(deps, context, refs),
    await resultTexts(deps, context, assignment),
  ]
  return parts.flat().join("\n\n")
}

/**
 * Returns the branch to merge before a program starts: the branch of its node's first dependency that was completed in
 * another worktree.
 */
export function branchToMerge(
  state: ReturnType<Reading["state"]>,
  { team, node, worker }: NodeAssignment,
): string | undefined {
  const worktrees = node.dependsOn.map((id) => worktreeOfResult(team, id))
  const others = new Set(worktrees.filter((one) => one !== null && one !== worker.worktree))
  const [first] = [...others].flatMap((name) => worktreeOf(state, name ?? "").branch ?? [])
  return first
}

/** Returns the worktree with a node's result, or null if the result isn't in a worktree. */
function worktreeOfResult(team: TeamState, nodeId: string): string | null {
  const { workerId = null, committedSeq = null } = team.nodes[nodeId] ?? {}
  const worker = team.workers[workerId ?? ""]
  if (isProgram(worker)) return worker?.worktree ?? null
  return committedSeq === null ? null : (team.base?.worktree ?? null)
}

function aboutWorker({ worker: { name, role }, node: { nodeId } }: NodeAssignment): string {
  return `You are ${name}, a worker on a team, and this is its node ${nodeId}. Your role: ${role}. Work in your own worktree: what you leave in its files is your result. It is merged with what others do when the team has reached its goal, so don't merge or push it yourself. Write to the coordinator with the tool send_message where you have to; say at the end, in a sentence or two, what you did.`
}
