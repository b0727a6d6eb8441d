import { worktreeOf } from "../../../files/worktrees/state.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { currentFiles, publishedIn, readIfThere } from "../files.ts"
import { isProgram, type TeamState, type WorkerState, type WorkNode } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"
import { readEvents } from "../views/news.ts"

type Reading = RunContext<unknown>

const MAX_FILE_CHARS = 5000

/** The task of a program, in words: what it is to do, and what others have made for it. */
export async function programTask(
  deps: TeamDeps,
  context: Reading,
  team: TeamState,
  { node, worker }: { node: WorkNode; worker: WorkerState },
): Promise<string> {
  const [created] = await readEvents(deps, context.sid, [node.createdSeq], context)
  const { spec, refs } = created?.type === "work_node_created" ? created : { spec: node.task, refs: {} }
  const parts = [String(spec), aboutWorker(worker, node)]
  for (const [name, path] of Object.entries(refs)) parts.push(await refText(deps, context, name, path))
  for (const id of node.dependsOn) parts.push(await resultText(deps, context, team, id))
  return parts.join("\n\n")
}

/** The branch to merge before a program begins: that of the first node on which this one depends and that others worked on. */
export function branchToMerge(
  state: ReturnType<Reading["state"]>,
  team: TeamState,
  { node, worker }: { node: WorkNode; worker: WorkerState },
): string | undefined {
  const [first] = branchesOf(state, team, { node, worker })
  return first
}

function branchesOf(
  state: ReturnType<Reading["state"]>,
  team: TeamState,
  { node, worker }: { node: WorkNode; worker: WorkerState },
): string[] {
  const worktrees = node.dependsOn.map((id) => team.workers[team.nodes[id]?.workerId ?? ""]?.worktree ?? null)
  const others = new Set(worktrees.filter((one) => one !== null && one !== worker.worktree))
  return [...others].flatMap((name) => worktreeOf(state, name ?? "").branch ?? [])
}

function aboutWorker({ name, role }: WorkerState, { nodeId }: WorkNode): string {
  return `You are ${name}, a worker on a team, and this is its node ${nodeId}. Your role: ${role}. Work in your own worktree: what you leave in its files is your result. It is merged with what others do when the team has reached its goal, so don't merge or push it yourself. Write to the coordinator with the tool send_message where you have to; say at the end, in a sentence or two, what you did.`
}

async function refText(deps: TeamDeps, context: Reading, name: string, path: string): Promise<string> {
  const text = await readIfThere(deps, context, path).catch(() => undefined)
  return text === undefined
    ? `The reference ${name} is the file ${path}.`
    : `The reference ${name}, ${path}:\n${text.slice(0, MAX_FILE_CHARS)}`
}

async function resultText(deps: TeamDeps, context: Reading, team: TeamState, id: string): Promise<string> {
  const { workerId = null, result = "" } = team.nodes[id] ?? {}
  const worker = team.workers[workerId ?? ""]
  if (worker && isProgram(worker)) {
    const { branch } = worktreeOf(context.state(), worker.worktree ?? "")
    const where = branch === null ? "" : ` It is on the branch ${branch}; merge that where you don't have it yet.`
    return `The result of ${id}, by ${worker.name}: ${result}${where}`
  }
  const files = await currentFiles(deps, context)
  const folder = `${publishedIn(id)}/`
  const paths = files.manifest.files.map(({ path }) => path).filter((path) => path.startsWith(folder))
  const texts = await Promise.all(paths.slice(0, 10).map((path) => readIfThere(deps, context, path).catch(() => "")))
  const shown = texts.map((text, at) => `${paths[at]?.slice(folder.length)}:\n${text?.slice(0, MAX_FILE_CHARS)}`)
  return `The result of ${id}: ${result}\n\n${shown.join("\n\n")}`
}
