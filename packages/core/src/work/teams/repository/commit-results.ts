import { AppError, type ErrorCode } from "../../../errors.ts"
import type { Manifest } from "../../../files/workspaces/manifest.ts"
import { inTwinFolder } from "../../../files/workspaces/twins.ts"
import type { WriteFiles } from "../../../files/worktrees/snapshot-schema.ts"
import { writeOnce } from "../../chat/files/repository-files.ts"
import { currentFiles, publishedChanges, type StagedChange } from "../files.ts"
import { readBase, resultsOf, withResults } from "../project.ts"
import { orThrow, refused, teamOf } from "../refusals.ts"
import type { TeamBase, WorkNode } from "../state.ts"
import type { MemberRun } from "../tools/member.ts"

/** Errors that guarantee that nothing was committed. A person or an agent may be able to fix their cause. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...([
    "setup_failed",
    "worktree_conflict",
    "worktree_busy",
    "worktree_not_found",
    "worktree_damaged",
    "commit_refused",
  ] as const),
  ...(["command_expired", "command_interrupted", "git_error", "repository_error"] as const),
])

const MAX_SUBJECT_CHARS = 72

/**
 * Commits the results of the team's models to its worktree: one commit per node, in order of completion, each exactly
 * once. A refused commit blocks later results and is retried only with `again`. Throws if the retry is refused too.
 */
export async function commitResults(member: MemberRun, { again = false } = {}): Promise<void> {
  const { context } = member
  for (;;) {
    const { base, ...team } = orThrow(teamOf(await context.catchUp()))
    const results = resultsOf({ ...team, base })
    const node = results.find(({ committedSeq }) => committedSeq === null)
    if (!base || !node || (node.refusedCommits > 0 && !again)) return
    const before = results.slice(0, results.indexOf(node))
    const refusal = await commitResult(member, base, { node, before })
    if (!refusal) continue
    if (again)
      throw refused(`The result of ${node.nodeId} can't be committed to the worktree ${base.worktree}. ${refusal}`)
    return
  }
}

/** Commits one result and logs it. Returns the reason if the commit is refused. */
async function commitResult(
  member: MemberRun,
  { worktree }: TeamBase,
  { node, before }: { node: WorkNode; before: WorkNode[] },
): Promise<string | undefined> {
  const { deps, context } = member
  const { nodeId, endedSeq, refusedCommits } = node
  const now = await currentFiles(deps, context)
  const base = await readBase(deps, context, now)
  const earlier = before.map((one) => one.nodeId)
  const there = withResults(base, now, earlier)
  const files = filesToWrite(there, publishedChanges(now, [nodeId]))
  const write = { message: messageOf(node), files }
  // Each attempt has its own ID. A successor uses the ID to find out how the attempt ended.
  const commandId = `${context.runId}-${nodeId}-${endedSeq}-${refusedCommits}`
  try {
    const { commit } =
      files.length === 0 ? { commit: null } : await writeOnce(deps, context, { commandId, write, worktree })
    await context.decide(() => [{ type: "work_node_committed", node_id: nodeId, worktree, commit }])
    return undefined
  } catch (error) {
    if (!(error instanceof AppError && REFUSALS.has(error.code))) throw error
    const reason = reasonOf(error)
    await context.decide(() => [{ type: "work_node_commit_refused", node_id: nodeId, worktree, reason }])
    return reason
  }
}

function filesToWrite({ files }: Manifest, changes: readonly StagedChange[]): WriteFiles["files"] {
  const there = new Map<string, Manifest["files"][number]>(files.map((file) => [file.path, file]))
  const paths = [...there.keys()]
  return changes.flatMap((change): WriteFiles["files"] => {
    const path = there.has(change.path) ? change.path : inTwinFolder(change.path, paths)
    const if_sha256 = there.get(path)?.sha256 ?? null
    if (change.op === "delete") return if_sha256 === null ? [] : [{ path, sha256: null, if_sha256 }]
    if (!("file" in change)) return []
    const { sha256, mode } = change.file
    return [{ path, sha256, if_sha256, ...(mode !== undefined && { executable: (mode & 0o100) !== 0 }) }]
  })
}

function messageOf({ nodeId, task, result }: WorkNode): string {
  return `${task.slice(0, MAX_SUBJECT_CHARS)}\n\n${result ?? ""}\n\nNode: ${nodeId}`
}

function reasonOf({ message, details }: AppError): string {
  const paths = Array.isArray(details?.paths) ? ` (${details.paths.slice(0, 20).join(", ")})` : ""
  return `${message.replace(/\.$/, "")}${paths}.`
}
