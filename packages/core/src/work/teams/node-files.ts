import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { applyChanges } from "../../files/workspaces/changes.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { putContents, splitContents } from "../../files/workspaces/stored-changes.ts"
import type { Message } from "../../models/provider.ts"
import type { RunContext } from "../runs/run-context.ts"
import { applicable, currentFiles, type StagedChange, stagedChanges } from "./files.ts"
import { openProject, readBase } from "./project.ts"
import type { TeamDeps } from "./team-context.ts"

/** The project as it would be if the team finished now: the files that a node builds on, and the node's own files. */
export interface NodeFiles {
  base: Workspace
  /** The base with the worker's changes. */
  head: Workspace
  /** Hash of the manifest of `head`. */
  manifest: string
  /** Paths written or deleted by the worker. */
  paths: WorkspacePath[]
}

/** Overlays a node's files on the files that it builds on, and stores both manifests. */
export async function layNodeFiles(
  { deps, context, messages }: { deps: TeamDeps; context: RunContext<unknown>; messages: readonly Message[] },
  nodeId: string,
): Promise<NodeFiles> {
  const project = await openProject(deps, context, nodeId)
  const own = stagedChanges(messages, await currentFiles(deps, context), nodeId)
  const laid = await layChanges({ deps, context }, project.manifest, [...own.values()])
  return { ...laid, manifest: laid.head.at.manifest ?? "", paths: [...own.keys()] }
}

/** Overlays the results of a whole team on the current project. */
export async function layResults(
  { deps, context }: { deps: TeamDeps; context: RunContext<unknown> },
  results: readonly StagedChange[],
): Promise<Pick<NodeFiles, "base" | "head">> {
  const now = await currentFiles(deps, context)
  return layChanges({ deps, context }, await readBase(deps, context, now), results)
}

async function layChanges(
  { deps, context }: { deps: TeamDeps; context: RunContext<unknown> },
  base: Manifest,
  changes: readonly StagedChange[],
): Promise<Pick<NodeFiles, "base" | "head">> {
  const { sid, signal } = context
  const state = context.state()
  const { version } = state.workspace
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const { stored, contents } = splitContents(applicable(base, changes))
  await putContents(store, contents, signal)
  const open = async (files: Manifest) => {
    const manifest = await store.writeManifest(files, { signal })
    return openWorkspace(deps, { sid, state }, { at: { version, manifest }, signal })
  }
  const [opened, head] = await Promise.all([open(base), open(applyChanges(base, stored).manifest)])
  return { base: opened, head }
}
