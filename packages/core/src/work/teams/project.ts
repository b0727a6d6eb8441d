import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { applyChanges } from "../../files/workspaces/changes.ts"
import { openManifest, type Workspace } from "../../files/workspaces/files.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import { projectOf } from "../../files/workspaces/project-files.ts"
import { splitContents } from "../../files/workspaces/stored-changes.ts"
import type { SessionState } from "../../state.ts"
import type { RunContext } from "../runs/run-context.ts"
import { applicable, currentFiles, publishedChanges, type Reading } from "./files.ts"
import { isProgram, type TeamState, type WorkNode } from "./state.ts"
import type { TeamDeps } from "./team-context.ts"

type Project = Reading & Pick<RunContext<unknown>, "state">

/**
 * Opens the project's files as seen by a member.
 *
 * In a repository, these are the files at the team's start plus the results published since. A worker sees only results
 * from before its node started or, if it had a conflict, from before its last conflict.
 *
 * Without a repository, these are the session's own files. A worker also sees the results that its node builds on.
 */
export async function openProject(
  deps: Pick<TeamDeps, "blobs">,
  context: Project,
  nodeId?: string,
): Promise<Workspace> {
  const now = await currentFiles(deps, context)
  const base = await readBase(deps, context, now)
  return openManifest(
    deps,
    { sid: context.sid, state: context.state() },
    withResults(base, now, resultsFor(context.state(), nodeId)),
  )
}

/** Reads the project's files, excluding results that haven't been merged yet. */
export async function readBase(
  deps: Pick<TeamDeps, "blobs">,
  { sid, state: stateNow, signal }: Project,
  now: Pick<Workspace, "manifest">,
): Promise<Manifest> {
  const state = stateNow()
  if (!state.team?.isInRepository) return projectOf(now.manifest)
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  return store.readManifest(state.team?.base?.manifest ?? null, { signal })
}

/** Returns the files after applying the results of these nodes, in order. */
export function withResults(base: Manifest, now: Pick<Workspace, "manifest">, nodeIds: readonly string[]): Manifest {
  const changes = applicable(base, publishedChanges(now, nodeIds))
  return applyChanges(base, splitContents(changes).stored).manifest
}

function resultsFor(state: SessionState, nodeId: string | undefined): string[] {
  const { team } = state
  if (!team) return []
  if (!team.isInRepository) return nodeId === undefined ? [] : resultsBefore(team, nodeId)
  const until = (nodeId === undefined ? null : team.nodes[nodeId]?.viewSeq) ?? Number.POSITIVE_INFINITY
  return resultsOf(team, { until }).map((node) => node.nodeId)
}

/**
 * Returns the completed nodes that published files, in order of completion. In a repository, skips nodes whose results
 * were already committed when the repository's files were read.
 */
export function resultsOf(team: TeamState, { until = Number.POSITIVE_INFINITY } = {}): WorkNode[] {
  const isNew = ({ committedSeq }: WorkNode) => committedSeq === null || committedSeq > (team.base?.seq ?? 0)
  const nodes = Object.values(team.nodes).filter(
    (node) => node.status === "completed" && (node.endedSeq ?? 0) < until && isNew(node),
  )
  return inOrder(team, nodes)
}

/** Returns the nodes whose published files this node builds on, directly or indirectly, in order of completion. */
function resultsBefore(team: TeamState, nodeId: string): string[] {
  const found = new Set<string>()
  const add = (id: string) => {
    for (const before of team.nodes[id]?.dependsOn ?? []) {
      if (found.has(before)) continue
      found.add(before)
      add(before)
    }
  }
  add(nodeId)
  const nodes = [...found].flatMap((id) => team.nodes[id] ?? [])
  return inOrder(team, nodes).map((node) => node.nodeId)
}

function inOrder({ workers }: TeamState, nodes: WorkNode[]): WorkNode[] {
  const files = nodes.filter(({ workerId }) => !isProgram(workers[workerId ?? ""]))
  return files.sort((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0))
}
