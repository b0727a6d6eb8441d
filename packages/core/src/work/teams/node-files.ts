import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { applyChanges } from "../../files/workspaces/changes.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Change, Manifest } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { putContents, splitContents } from "../../files/workspaces/stored-changes.ts"
import type { Message } from "../../models/provider.ts"
import type { RunContext } from "../runs/run-context.ts"
import { currentFiles, isProjectPath, projectChanges, stagedFiles } from "./files.ts"
import { isProgram, type TeamState } from "./state.ts"
import type { TeamDeps } from "./team-context.ts"

/** The project as it would be if its team had finished: with the results on which a node builds, and with the node's own files. */
export interface NodeFiles {
  base: Workspace
  /** The same with what the worker has written. */
  head: Workspace
  /** The hash of the list of those. */
  manifest: string
  /** The paths of the worker's own. */
  paths: WorkspacePath[]
}

/** Lays the files of a node over those on which it builds, and stores both lists. */
export async function layNodeFiles(
  { deps, context, messages }: { deps: TeamDeps; context: RunContext<unknown>; messages: readonly Message[] },
  nodeId: string,
): Promise<NodeFiles> {
  const { team } = context.state()
  const now = await currentFiles(deps, context)
  const own = stagedFiles(messages, now, nodeId)
  const before = await projectChanges(deps, context, resultsBefore(team, nodeId))
  const { stored } = splitContents(before)
  const base = applyChanges(projectOf(now.manifest), stored).manifest
  const laid = await layChanges({ deps, context }, { version: now.at.version, base }, [...own.values()])
  return { ...laid, manifest: laid.head.at.manifest ?? "", paths: [...own.keys()] }
}

/** Lays the results of a whole team over the project as it is. */
export async function layResults(
  { deps, context }: { deps: TeamDeps; context: RunContext<unknown> },
  results: readonly Change[],
): Promise<Pick<NodeFiles, "base" | "head">> {
  const { manifest, at } = await currentFiles(deps, context)
  return layChanges({ deps, context }, { version: at.version, base: projectOf(manifest) }, results)
}

async function layChanges(
  { deps, context }: { deps: TeamDeps; context: RunContext<unknown> },
  { version, base }: { version: number; base: Manifest },
  changes: readonly Change[],
): Promise<Pick<NodeFiles, "base" | "head">> {
  const { sid, signal } = context
  const state = context.state()
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const { stored, contents } = splitContents([...changes])
  await putContents(store, contents, signal)
  const open = async (files: Manifest) => {
    const manifest = await store.writeManifest(files, { signal })
    return openWorkspace(deps, { sid, state }, { at: { version, manifest }, signal })
  }
  const [opened, head] = await Promise.all([open(base), open(applyChanges(base, stored).manifest)])
  return { base: opened, head }
}

function projectOf({ files, folders }: Manifest): Manifest {
  return { files: files.filter(({ path }) => isProjectPath(path)), folders: folders.filter(isProjectPath) }
}

/** The nodes whose published files a node builds on, directly or not, in the order in which they were completed. */
function resultsBefore(team: TeamState | null, nodeId: string): string[] {
  const found = new Set<string>()
  const add = (id: string) => {
    for (const before of team?.nodes[id]?.dependsOn ?? []) {
      if (found.has(before)) continue
      found.add(before)
      add(before)
    }
  }
  add(nodeId)
  const nodes = [...found].flatMap((id) => team?.nodes[id] ?? [])
  const harnessed = nodes.filter(({ workerId }) => !isProgram(team?.workers[workerId ?? ""]))
  return harnessed.sort((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0)).map((node) => node.nodeId)
}
