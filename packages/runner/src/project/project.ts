import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { ProjectNotes } from "@switchyard/core/agents/conversations/prompt"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import type { Change } from "@switchyard/core/files/workspaces/manifest"
import type { LeftOut } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { parseRemote } from "@switchyard/core/files/worktrees/remote"
import type { Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import type { Log } from "@switchyard/core/log/log"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock, createQueue } from "@switchyard/core/time"
import { createWorktrees, openWorktree, type WorktreesDeps } from "../git/git-worktrees.ts"
import type { Git } from "../git/plumbing/git.ts"
import { clone, initRepository } from "../git/remote/clone.ts"
import { damageOf, repairWork } from "../git/saves/repair.ts"
import { baseOnFiles, moveBase } from "../git/worktrees/base-commit.ts"
import { type Portion, type Seen, unseen, workspaceChanges } from "../git/worktrees/workspace-changes.ts"
import { readWork, type Worktree } from "../git/worktrees/worktree-record.ts"
import type { BackgroundTask } from "./background-task.ts"
import { deletionEvents, heldDeletions, withoutDeletions } from "./deletions.ts"
import { repairEvents } from "./repair-events.ts"
import { fetchSave, readMark, restoreSave } from "./save-record.ts"
import { clearSyncedVersion, readSyncedVersion, syncFiles, toImportedFiles, writeSyncedVersion } from "./sync-files.ts"

export interface ProjectDeps {
  git: Git
  clock: Clock
  log: Log
  blobs: Blobs
  /** Where this runner keeps repositories and worktrees. */
  folder: string
  /** Where it notes how far they are, and nobody else writes. */
  notes: string
  /** Whether repositories of this machine may be worked in. */
  local: boolean
  seen: Seen
  /** What was not taken into a session's files when they were last compared with this worktree. Handed in, and filled. */
  leftOut: Map<string, LeftOut[]>
  /** Saves what is too much to be waited for. */
  background: BackgroundTask
  /** Has somebody look whether files are saved that are to be saved behind: this runner may not live to see it. */
  awaitSave: (options: { signal: AbortSignal }) => Promise<unknown>
  /** Lets one at a time make or bring back what isn't on this disk. */
  opening: ReturnType<typeof createQueue>
}

/** The folder that an agent works in, and the way of its work into the session. */
export interface Project {
  cwd: string
  notes: ProjectNotes
  worktrees: Worktrees
  /** What became of the worktree before the task, for the log. */
  events: NewEvent[]
  /**
   * Commits the work to the session's branch, and tells what that changes in its workspace, and what can't be in there. Where
   * those are many files, only how many: they are to be saved when the task is over.
   */
  save(message: string, state: SessionState, options: { signal: AbortSignal }): Promise<Unsaved | { later: number }>
}

/** What makes the session's workspace as its worktree is. */
export interface Unsaved {
  changes: Change[]
  leftOut: LeftOut[]
  /** What there is to say of deletions that wait for somebody. */
  events: NewEvent[]
  /** How many files are left to save. */
  rest: number
}

/** Which worktree is meant. */
interface Where {
  sid: string
  repository: string | null
  state: SessionState
}

export interface About extends Where {
  /** What becomes of a worktree that an agent damaged: it is put right at once, unless an agent is at work there. */
  damaged?: "repair" | "refuse" | "ignore"
  /** Hears what was put right, for the log. */
  tell: (events: NewEvent[]) => Promise<unknown>
}

/** Opens the session's worktree of the repository, made if need be. A session's own workspace is a repository, too. */
export async function openProject(deps: ProjectDeps, about: About, options: { signal: AbortSignal }): Promise<Project> {
  const { state } = about
  const worktrees = await openWorktrees(deps, about, options)
  const { path } = await worktrees.create({}, options)
  if (path === null) throw new AppError("worktree_not_found", "The worktree could not be made.")
  if (about.repository === null) await catchUp(deps, about, path, options)
  return {
    cwd: path,
    notes: { documents: DOCUMENTS.filter((name) => existsSync(join(path, name))), checks: [] },
    worktrees,
    events: about.repository === null ? deletionEvents(state, undefined) : [],
    async save(message, now, { signal }) {
      await (await openWorktrees(deps, { ...about, state: now }, { signal })).commit(message, { signal })
      await deps.background.stop()
      const later = await manyUnsaved(deps, { ...about, path, state: now }, { signal })
      if (later !== undefined) return { later }
      return unsavedChanges(deps, { ...about, path, state: now }, { signal })
    },
  }
}

/**
 * Brings what others did to the session's files into its worktree, and files whose deletion nobody has confirmed, or that
 * were lost with the folder.
 */
async function catchUp(
  deps: ProjectDeps,
  about: About,
  path: string,
  options: { signal: AbortSignal },
  isLost = false,
): Promise<void> {
  const { sid, state } = about
  const { where, notes } = whereOf(deps, about)
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const { manifest } = state.workspace
  const again = isLost || state.worktree.heldDeletions !== null
  const level = await readSyncedVersion(notes)
  if (level === manifest && !again) return
  const { files, deleted } = await syncFiles(path, { manifest, level, store, again }, options)
  await moveBase(await openWorktree(where, options), { files: toImportedFiles(store, files), deleted }, options)
  await writeSyncedVersion(notes, manifest)
}

/** The session's worktree of the repository, be it there or not. What is saved of it and not on this disk is brought back. */
export async function openWorktrees(
  deps: ProjectDeps,
  about: About,
  options: { signal: AbortSignal },
): Promise<Worktrees> {
  const where = await deps.opening(async () => {
    const { sid, repository, state } = about
    const { where, own, notes } = whereOf(deps, about)
    const isNew = own && !existsSync(where.repository)
    await makeRepository(deps, about, { where, own, notes }, options)
    const worktree = await openWorktree(where, options)
    const { savedSeq } = state.worktree
    await restoreSave(deps, worktree, { sid, savedSeq, repository, own, notes, isNew }, options)
    if (about.damaged !== "ignore") await putRight(deps, about, worktree, options)
    return where
  })
  const worktrees = await createWorktrees(where, options)
  return about.repository === null ? onFiles(deps, about, worktrees) : worktrees
}

/** Makes a worktree one again that an agent damaged, and loses nothing of what was committed or saved. */
async function putRight(
  deps: ProjectDeps,
  about: About,
  worktree: Worktree,
  options: { signal: AbortSignal },
): Promise<void> {
  const damage = await damageOf(worktree, options)
  if (!damage) return
  if (about.damaged === "refuse") {
    const message = "The agent has damaged its worktree. It is put right when the agent is done."
    throw new AppError("worktree_damaged", message, { damage })
  }
  const { sid, repository, state } = about
  const { notes } = whereOf(deps, about)
  const last = { sid, savedSeq: state.worktree.savedSeq, repository, notes }
  const saved = await fetchSave(deps, worktree, last, options).catch((error) => {
    // The branch may have all of it, and if not, that is said.
    if (isAppError(error, "worktree_damaged")) return undefined
    throw error
  })
  const repaired = await repairWork(worktree, damage, saved?.tip ?? null, options)
  if (repository === null && damage === "folder_missing") {
    if (saved?.level !== undefined && repaired.from === "save") await writeSyncedVersion(notes, saved.level)
    await catchUp(deps, about, worktree.tree, options, true)
  }
  await about.tell(repairEvents(repaired))
}

/** A worktree that is made of the session's files knows which version of them it is level with. */
function onFiles(deps: ProjectDeps, about: About, worktrees: Worktrees): Worktrees {
  const { notes } = whereOf(deps, about)
  return {
    ...worktrees,
    async create(request, options) {
      const created = await worktrees.create(request, options)
      if (created.created) await writeSyncedVersion(notes, about.state.workspace.manifest)
      return created
    },
    async remove(options) {
      const deleted = await worktrees.remove(options)
      await clearSyncedVersion(notes)
      return deleted
    },
  }
}

/** The place of the session's worktree, if it was opened on this machine, and whether the whole repository is its own. */
export async function openedWorktree(
  deps: ProjectDeps,
  about: Where,
  options: { signal: AbortSignal },
): Promise<{ worktree: Worktree; own: boolean; notes: string } | undefined> {
  const { where, own, notes } = whereOf(deps, about)
  if (!existsSync(where.repository) || !(await readMark(notes))) return undefined
  return { worktree: await openWorktree(where, options), own, notes }
}

/**
 * Notes that the worktree is level with the files of a session, as they were when its changes were found and are now that
 * these are committed: if nobody else has committed meanwhile, that is.
 */
export async function noteCommitted(
  deps: ProjectDeps,
  about: Where,
  { before, after }: { before: SessionState["workspace"]; after: SessionState["workspace"] },
): Promise<void> {
  const known = after.version <= before.version + 1 ? after : before
  await writeSyncedVersion(whereOf(deps, about).notes, known.manifest)
}

function whereOf(
  deps: ProjectDeps,
  { sid, repository: named, state }: Where,
): { where: WorktreesDeps; own: boolean; notes: string } {
  const { git, clock } = deps
  const home = join(deps.folder, sid, String(state.session.incarnation))
  const remote = named === null ? null : parseRemote(named, { local: deps.local })
  const own = !remote?.url.startsWith("/")
  const repository = remote === null ? join(home, "workspace") : own ? join(home, "clone") : remote.url
  const name = createHash("sha256").update(repository).digest("hex").slice(0, 12)
  const notes = join(deps.notes, `${state.session.incarnation}-${name}`)
  const where = {
    git,
    clock,
    repository,
    isClone: own && remote !== null,
    isOwn: own,
    folder: join(home, "work", name),
    sessionId: sid,
  }
  if (named !== null) return { where, own, notes }
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const begin: WorktreesDeps["begin"] = async (worktree, options) => {
    await clearSyncedVersion(notes)
    const { files } = await store.readManifest(state.workspace.manifest, options)
    await baseOnFiles(worktree, toImportedFiles(store, files), options)
  }
  return { where: { ...where, begin }, own, notes }
}

/**
 * What makes the session's workspace as its worktree is, and what of that can't be in there, or waits for somebody. Of a
 * repository it has what differs from where the work began: git has the rest.
 */
export async function unsavedChanges(
  deps: ProjectDeps,
  { sid, repository, path, state, asked = false, portion }: Unsaveds,
  options: { signal: AbortSignal },
): Promise<Unsaved> {
  const { git, blobs, seen, leftOut: known } = deps
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const manifest = await store.readManifest(state.workspace.manifest, options)
  const base = repository === null ? undefined : await baseOf(deps, { sid, repository, state }, options)
  const found = await workspaceChanges(git, { tree: path, manifest, seen, base, portion }, options)
  const { changes, leftOut, deleted, rest } = found
  known.set(path, leftOut)
  const held =
    asked || repository !== null ? undefined : heldDeletions(manifest, deleted, state.worktree.heldDeletions !== null)
  const events = repository === null ? deletionEvents(state, held, asked) : []
  // Nothing goes before what may stand for it has come.
  const isPart = held !== undefined || rest > 0
  return { changes: isPart ? withoutDeletions(manifest, changes) : changes, leftOut, events, rest }
}

interface Unsaveds extends Where {
  path: string
  /** Whether somebody wants what is gone to go. */
  asked?: boolean
  /** How much to take at once. */
  portion?: Portion
}

/** How many files may have to be saved, where those are more than a task, or who gave a command, should wait for. */
export async function manyUnsaved(
  deps: ProjectDeps,
  about: Where & { path: string },
  options: { signal: AbortSignal },
): Promise<number | undefined> {
  const base = about.repository === null ? undefined : await baseOf(deps, about, options)
  const asked = { tree: about.path, seen: deps.seen, base, enough: AT_ONCE.files }
  const { files, bytes } = await unseen(deps.git, asked, options)
  const { saving } = about.state.worktree
  const many = Math.max(files, saving ? saving.total - saving.saved : 0)
  return many > AT_ONCE.files || bytes > AT_ONCE.bytes ? many : undefined
}

/** What is saved at once, in the task that made it. */
const AT_ONCE: Portion = { files: 1000, bytes: 32 * 1024 * 1024 }

async function baseOf(deps: ProjectDeps, about: Where, options: { signal: AbortSignal }): Promise<string> {
  const { base_commit } = await readWork(await openWorktree(whereOf(deps, about).where, options))
  return base_commit
}

const DOCUMENTS = ["AGENTS.md", "CLAUDE.md", "docs/architecture.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]

async function makeRepository(
  deps: ProjectDeps,
  { repository }: Where,
  { where, own }: ReturnType<typeof whereOf>,
  options: { signal: AbortSignal },
): Promise<void> {
  if (repository === null) await workspaceRepository(deps, where.repository, options)
  else if (own) await clone(deps.git, parseRemote(repository, { local: deps.local }), where.repository, options)
}

/** An empty repository whose one worktree gets the files, so that an agent finds git where people expect it. */
async function workspaceRepository(
  { git }: ProjectDeps,
  folder: string,
  options: { signal: AbortSignal },
): Promise<void> {
  if (existsSync(folder)) return
  const fresh = `${folder}-${process.pid}`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  await initRepository(git, fresh, options)
  await rename(fresh, folder)
}
