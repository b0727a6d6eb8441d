import { sha256Of } from "../../../files/workspaces/blob-store.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { SessionState } from "../../../state.ts"
import { type Effect, mistake } from "../../harness/durable-tools.ts"
import { currentFiles, publishedChanges, type StagedChange, successfulCalls } from "../files.ts"
import { resultsOf } from "../project.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import type { Worker, WorkerTexts } from "./worker-texts.ts"

const MOST_TOLD = 50

interface Conflict {
  path: WorkspacePath
  /** Node that published a conflicting change. */
  by: string
  isDeleted: boolean
  /** Hash of the worker's version. Null if the worker deleted the file. */
  own: string | null
}

/**
 * In a repository, finds files that both the worker and other nodes have changed since the worker's node started.
 * Returns an effect that reports these conflicts and then shows the other nodes' results to the worker. Undefined if
 * there are no conflicts. Throws an error for the model if the model left an earlier conflict unresolved.
 */
export async function findConflicts(
  member: Worker,
  texts: WorkerTexts,
  state: SessionState,
): Promise<Effect | undefined> {
  if (!state.team?.isInRepository) return undefined
  const { nodeId, messages } = member
  const { conflict } = orThrow(nodeOf(orThrow(teamOf(state)), nodeId))
  const touched = conflict === null ? new Set<string>() : pathsTouchedSince(member, conflict.round)
  const isAsItWas = (path: string, own: string | null) => {
    const staged = texts.staged.get(path as WorkspacePath)
    return staged !== undefined && hashOf(staged) === own
  }
  const unresolved = conflict?.files.filter(({ path, own }) => !touched.has(path) && isAsItWas(path, own)) ?? []
  if (unresolved.length > 0) throw mistake(unresolvedText(unresolved.map(({ path }) => path)))
  const conflicts = await conflictsNow(member, texts.staged, state)
  if (conflicts.length === 0) return undefined
  const told = conflicts.slice(0, MOST_TOLD)
  const about = told.map(({ path, by, own }) => ({ path, by, own }))
  return {
    answer: conflictText(told),
    events: [{ type: "work_node_conflicted", node_id: nodeId, round: messages.length, conflicts: about }],
  }
}

async function conflictsNow(
  { deps, context, nodeId }: Worker,
  staged: WorkerTexts["staged"],
  { team: found }: SessionState,
): Promise<Conflict[]> {
  const team = orThrow(teamOf({ team: found }))
  const since = team.nodes[nodeId]?.viewSeq ?? 0
  const now = await currentFiles(deps, context)
  const newer = resultsOf(team).filter((node) => node.nodeId !== nodeId && (node.endedSeq ?? 0) > since)
  const conflicts = new Map<WorkspacePath, Conflict>()
  for (const { nodeId: by } of newer) {
    for (const change of publishedChanges(now, [by])) {
      const own = staged.get(change.path)
      if (!own) continue
      // Only the last published change to a file counts. There is no conflict if the worker made the same change.
      if (hashOf(own) === hashOf(change)) conflicts.delete(change.path)
      else conflicts.set(change.path, { path: change.path, by, isDeleted: change.op === "delete", own: hashOf(own) })
    }
  }
  return [...conflicts.values()]
}

function hashOf(change: StagedChange): string | null {
  if (change.op === "delete") return null
  return "bytes" in change ? sha256Of(change.bytes) : change.file.sha256
}

/** Returns the paths in the arguments of a worker's successful calls since `round`, a position in the conversation. */
function pathsTouchedSince({ messages }: Worker, round: number): Set<string> {
  const since = successfulCalls(messages).filter(({ at }) => at >= round)
  return new Set(
    since.flatMap(({ args }) => Object.values((args ?? {}) as object).filter((one) => typeof one === "string")),
  )
}

function conflictText(conflicts: readonly Conflict[]): string {
  const lines = conflicts.map(({ path, by, isDeleted }) =>
    isDeleted
      ? `- ${path}, which ${by} deleted`
      : `- ${path}, by ${by}: its version is in nodes/${by}/published/${path}`,
  )
  return [
    "Nothing is published yet, because others have published changes to the same files since you started:",
    ...lines,
    "From now on you see the others' results; read_file shows your own version of a file first. Write or edit each of these files again so that it has both changes, or delete it; then call publish again.",
  ].join("\n")
}

function unresolvedText(paths: readonly string[]): string {
  return `Nothing is published, because you were told of others' changes to ${paths.join(", ")} but haven't merged them. Write or edit each of these files again so that it has both changes, or delete it; then call publish again.`
}
