import type { ImageRef } from "../../../files/images/schema.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import { inTags } from "../../../text/fenced.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { currentFiles, publishedIn, readIfThere } from "../files.ts"
import { openProject } from "../project.ts"
import { isProgram, type TeamState, type WorkerState, type WorkNode } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"
import { readEvents } from "../views/news.ts"
import { planText } from "../views/texts.ts"

type Reading = RunContext<unknown>

export interface NodeAssignment {
  team: TeamState
  node: WorkNode
  worker: WorkerState
}

const MAX_REF_CHARS = 5000
/** Maximum total length of the file texts shown from dependencies. Equals about 6,000 tokens. */
const MAX_RESULT_CHARS = 24_000
const MAX_PATHS = 100

/** Reads a node's complete task, and its references as paths by name. */
export async function readTask(deps: TeamDeps, context: Reading, node: WorkNode) {
  const [created] = await readEvents(deps, context.sid, [node.createdSeq], context)
  return created?.type === "work_node_created"
    ? { spec: String(created.spec), refs: created.refs }
    : { spec: node.task, refs: {} }
}

/**
 * Returns the goal in the person's own words, along with all nodes, because the coordinator may have left out
 * requirements when it wrote the task.
 */
export async function wholeText(deps: TeamDeps, context: Reading, { team, node }: NodeAssignment): Promise<string> {
  const [started] = await readEvents(deps, context.sid, [team.startedSeq], context)
  const goal = started?.type === "team_started" ? String(started.goal) : ""
  const about =
    "Your task is a part of the team's goal. Do this part alone, and as the goal wants it: its names, texts, numbers, colours and addresses are meant to the letter."
  return `${inTags("goal", about, goal)}\n\n${planText(team, node.nodeId)}`
}

/** Returns the images that belong to the team's goal. */
export async function goalImages(deps: TeamDeps, context: Reading, team: TeamState): Promise<readonly ImageRef[]> {
  const [started] = await readEvents(deps, context.sid, [team.startedSeq], context)
  return started?.type === "team_started" ? (started.images ?? []) : []
}

/** Returns a list of the project's files, or undefined if there are none yet. */
export async function projectText(deps: TeamDeps, context: Reading, nodeId?: string): Promise<string | undefined> {
  const { manifest } = await openProject(deps, context, nodeId)
  const paths = manifest.files.map(({ path }) => path)
  if (paths.length === 0) return undefined
  const more = paths.length > MAX_PATHS ? [`- and ${paths.length - MAX_PATHS} more, which list_files tells`] : []
  const lines = [...paths.slice(0, MAX_PATHS).map((path) => `- ${path}`), ...more]
  return `The project has these files already, which read_file shows:\n${lines.join("\n")}`
}

/** Returns the text of the referenced files, each up to a limit. */
export async function refTexts(deps: TeamDeps, context: Reading, refs: Record<string, string>): Promise<string[]> {
  const texts: string[] = []
  for (const [name, path] of Object.entries(refs)) {
    const text = await readIfThere(deps, context, path).catch(() => undefined)
    texts.push(`The reference ${name}, ${path}:\n${text?.slice(0, MAX_REF_CHARS) ?? "There is no such text file."}`)
  }
  return texts
}

/** Returns the results of a node's dependencies, with as many files as fit. */
export async function resultTexts(deps: TeamDeps, context: Reading, assignment: NodeAssignment): Promise<string[]> {
  const show = await fileShower(deps, context)
  const texts: string[] = []
  for (const id of assignment.node.dependsOn) texts.push(await resultText(context, assignment, { id, show }))
  return texts
}

async function resultText(
  context: Reading,
  { team, worker }: NodeAssignment,
  { id, show }: { id: string; show: (folder: string) => Promise<string[]> },
): Promise<string> {
  const { workerId = null, result = "" } = team.nodes[id] ?? {}
  const author = team.workers[workerId ?? ""]
  if (author && isProgram(author) && isProgram(worker)) {
    const { branch } = worktreeOf(context.state(), author.worktree ?? "")
    const where = branch === null ? "" : ` It is on the branch ${branch}; merge that where you don't have it yet.`
    return `The result of ${id}, by ${author.name}: ${result}${where}`
  }
  const folder = publishedIn(id)
  return [`The result of ${id}, in ${folder}: ${result}`, ...(await show(`${folder}/`))].join("\n\n")
}

/**
 * Returns a function that describes a folder's files. It includes the files' text until the space is used up, and lists
 * only their names after that.
 */
async function fileShower(deps: TeamDeps, context: Reading): Promise<(folder: string) => Promise<string[]>> {
  const files = await currentFiles(deps, context)
  let room = MAX_RESULT_CHARS
  return async (folder) => {
    const texts: string[] = []
    for (const { path } of files.manifest.files) {
      if (!path.startsWith(folder)) continue
      const text = room === 0 ? undefined : await files.readText(path, context).catch(() => undefined)
      const name = path.slice(folder.length)
      const part = text?.slice(0, room)
      room -= part?.length ?? 0
      if (part === undefined) texts.push(`${name}, which isn't shown here`)
      else texts.push(`${name}${part.length === text?.length ? "" : ", of which this is the beginning"}:\n${part}`)
    }
    return texts
  }
}
