import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { ProjectNotes } from "@switchyard/core/agents/prompt"
import { AppError } from "@switchyard/core/errors"
import type { SessionState } from "@switchyard/core/sessions/state"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/stream"
import type { Change, Manifest } from "@switchyard/core/workspaces/manifest"
import { createWorkspaceStore } from "@switchyard/core/workspaces/store"
import { parseRemote } from "@switchyard/core/worktrees/remote"
import type { Worktrees } from "@switchyard/core/worktrees/worktrees"
import { clone, initRepository } from "../git/clone.ts"
import type { Git } from "../git/git.ts"
import { type Seen, workspaceChanges } from "../git/workspace-changes.ts"
import { createWorktrees } from "../git/worktrees.ts"
import { placeFile } from "./place-file.ts"

export interface ProjectDeps {
  git: Git
  clock: Clock
  blobs: Blobs
  /** Where this runner keeps repositories and worktrees. */
  folder: string
  /** Whether repositories of this machine may be worked in. */
  local: boolean
  seen: Seen
}

/** The folder that an agent works in, and the way of its work into the session. */
export interface Project {
  cwd: string
  notes: ProjectNotes
  worktrees: Worktrees
  /** Commits the work to the session's branch, and tells what that changes in its workspace. */
  save(message: string, state: SessionState, options: { signal: AbortSignal }): Promise<Change[]>
}

interface Place {
  sid: string
  repository: string | null
  state: SessionState
}

/** Opens the session's worktree of the repository, made if need be. A session's own workspace is a repository, too. */
export async function openProject(deps: ProjectDeps, place: Place, options: { signal: AbortSignal }): Promise<Project> {
  const { blobs } = deps
  const { sid, state } = place
  const worktrees = await openWorktrees(deps, place, options)
  const status = await worktrees.status(options)
  const { path } = status.exists ? status : await worktrees.create({}, options)
  if (path === null) throw new AppError("worktree_not_found", "The worktree could not be made.")
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.incarnation })
  if (place.repository === null)
    await bringFiles(path, await store.readManifest(state.workspace.manifest, options), store, options)
  return {
    cwd: path,
    notes: { documents: DOCUMENTS.filter((name) => existsSync(join(path, name))), checks: [] },
    worktrees,
    async save(message, now, { signal }) {
      await worktrees.commit(message, { signal })
      return unsavedChanges(deps, { sid, path, state: now }, { signal })
    },
  }
}

/** The session's worktree of the repository, be it there or not. */
export async function openWorktrees(
  deps: ProjectDeps,
  place: Place,
  options: { signal: AbortSignal },
): Promise<Worktrees> {
  const { git, clock } = deps
  const { sid, state } = place
  const own = join(deps.folder, sid, String(state.incarnation))
  const repository = await repositoryOf(deps, place, own, options)
  const folder = join(own, "work", createHash("sha256").update(repository).digest("hex").slice(0, 12))
  return createWorktrees({ git, clock, repository, folder, sessionId: sid }, options)
}

/** What makes the session's workspace as its worktree is. */
export async function unsavedChanges(
  { git, blobs, seen }: ProjectDeps,
  { sid, path, state }: { sid: string; path: string; state: SessionState },
  options: { signal: AbortSignal },
): Promise<Change[]> {
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.incarnation })
  const manifest = await store.readManifest(state.workspace.manifest, options)
  const { changes } = await workspaceChanges(git, { tree: path, manifest, seen }, options)
  return changes
}

const DOCUMENTS = ["AGENTS.md", "CLAUDE.md", "docs/architecture.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]

async function repositoryOf(
  deps: ProjectDeps,
  place: Place,
  own: string,
  options: { signal: AbortSignal },
): Promise<string> {
  if (place.repository === null) return workspaceRepository(deps, own, options)
  const remote = parseRemote(place.repository, { local: deps.local })
  if (remote.url.startsWith("/")) return remote.url
  const folder = join(own, "clone")
  await clone(deps.git, remote, folder, options)
  return folder
}

/** An empty repository whose one worktree gets the files, so that an agent finds git where people expect it. */
async function workspaceRepository(
  { git }: ProjectDeps,
  own: string,
  options: { signal: AbortSignal },
): Promise<string> {
  const folder = join(own, "workspace")
  if (existsSync(folder)) return folder
  const fresh = `${folder}-${process.pid}`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  await initRepository(git, fresh, options)
  await rename(fresh, folder)
  return folder
}

/** What was committed to the workspace since, by whomever. What is gone from there stays: it may be what nobody saved yet. */
async function bringFiles(
  root: string,
  manifest: Manifest,
  store: ReturnType<typeof createWorkspaceStore>,
  options: { signal: AbortSignal },
): Promise<void> {
  for (const { path, sha256, mode } of manifest.files) {
    options.signal.throwIfAborted()
    const standing = await readFile(join(root, path)).catch(() => undefined)
    if (standing && createHash("sha256").update(standing).digest("hex") === sha256) continue
    await placeFile(root, path, await readAll(await store.read(sha256, options)), mode)
  }
}
