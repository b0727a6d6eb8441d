import type { Change } from "../../../files/workspaces/manifest.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import type { SessionState } from "../../../state.ts"
import type { Effect } from "../../harness/durable-tools.ts"
import {
  applicable,
  COMMAND_FILES,
  currentFiles,
  deletedIn,
  publishedIn,
  type StagedChange,
  type StagedFile,
  scratchOf,
  writeChange,
} from "../files.ts"
import { publishRefusal } from "../node-rules.ts"
import { refused } from "../refusals.ts"
import { AUTONOMOUS } from "../schema.ts"
import { checkFiles } from "./check-files.ts"
import { findConflicts } from "./find-conflicts.ts"
import type { Member } from "./member.ts"
import { proveNode } from "./prove-node.ts"
import { openWorkerTexts, type Worker } from "./worker-texts.ts"

/**
 * Publishes a worker's changes as its node's result, exactly once, in the same batch as the event that completes the
 * node. In a repository, if other nodes have changed the same files, reports these conflicts instead.
 */
export async function publish(member: Worker, summary: string): Promise<Effect> {
  const { deps, context, nodeId } = member
  const state = await context.catchUp()
  const texts = await openWorkerTexts(member)
  const { staged, project } = texts
  const changes = applicable(project.manifest, [...staged.values()])
  await checkFiles(member, isCommand(member) ? [...staged.keys()].filter(isKept) : staged.keys())
  const verdict = await proveNode(member, summary)
  const conflict = await findConflicts(member, texts, state)
  if (conflict) return conflict
  // Only this run writes to the node's folders, so their content can't change before the publication.
  const now = await currentFiles(deps, context)
  const isRepository = state.team?.isInRepository === true
  const { files, others } = resultFiles(member, changes, { summary, isRepository })
  const deleted = changes.flatMap(({ op, path }) => (op === "delete" && isKept(path) ? [path] : []))
  const published = files.map((file): Change => {
    const found = project.stat(file.path)
    const mode = found?.type === "file" ? found.mode : undefined
    return { ...("bytes" in file ? { mode } : {}), ...file, path: workspacePath(`${publishedIn(nodeId)}/${file.path}`) }
  })
  const left = [scratchOf(nodeId), deletedIn(nodeId)].map(workspacePath).filter((folder) => now.stat(folder))
  const cleared = left.map((path): Change => ({ op: "delete", path, recursive: true }))
  const marks = deleted.map((path) => writeChange(`${deletedIn(nodeId)}/${path}`, ""))
  const paths = [...files, ...others].map(({ path }) => path)
  const completed = { type: "work_node_completed" as const, node_id: nodeId, summary, files: paths, verdict }
  const refusal = (latest: SessionState) =>
    publishRefusal(latest.team, { nodeId, runId: context.runId }) ??
    (isRepository ? overtaken(latest, state) : undefined)
  const words = [`Published ${paths.join(", ")}.`, ...deleted.map((path) => `Deleted ${path}.`)]
  return {
    answer: words.join(" "),
    changes: [...published, ...others, ...cleared, ...marks],
    events: [completed],
    refusal,
  }
}

/** Returns a refusal if another node has completed after `head`, because conflicts must then be checked again. */
function overtaken({ team }: SessionState, { head }: SessionState) {
  const isNewer = Object.values(team?.nodes ?? {}).some(
    ({ status, endedSeq }) => status === "completed" && (endedSeq ?? 0) > head,
  )
  return isNewer ? refused("Another node has just been published. Call publish again.") : undefined
}

function isCommand({ context, id }: Member): boolean {
  return context.state().team?.workers[id]?.type === AUTONOMOUS
}

/** Returns true if a file left by a command should be published. */
const isKept = (path: string) => !path.startsWith("_")

/**
 * Returns the files of a worker's result. If the result is only text, stores the text as a file. In a repository, that
 * file is returned in `others`, which contains files outside of the repository.
 */
function resultFiles(
  member: Worker,
  changes: readonly StagedChange[],
  { summary, isRepository }: { summary: string; isRepository: boolean },
): { files: StagedFile[]; others: StagedFile[] } {
  const written = changes.filter((change) => change.op === "write")
  const files = isCommand(member) ? written.filter(({ path }) => isKept(path)) : written
  const words = isCommand(member) ? written.find(({ path }) => path === COMMAND_FILES.result) : undefined
  const path = workspacePath("result.md")
  if (files.some((file) => file.path === path)) return { files, others: [] }
  const isSilent = files.length === 0 && changes.every(({ op }) => op !== "delete")
  const isWords = words !== undefined && ("bytes" in words ? words.bytes.length : words.file.size) > 0
  const result = isWords ? { ...words, path } : isSilent ? writeChange(path, `${summary}\n`) : undefined
  if (!result) return { files, others: [] }
  if (!isRepository) return { files: [...files, result], others: [] }
  return { files, others: [{ ...result, path: workspacePath(`nodes/${member.nodeId}/${path}`) }] }
}
