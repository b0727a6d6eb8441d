import { appendAsRunner } from "@switchyard/core/agents/terminals/rules"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { abandonedSaving } from "@switchyard/core/files/worktrees/saving"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { runningInWorktree } from "@switchyard/core/work/runs/state"
import type { GitPath } from "../git/plumbing/git-path.ts"
import { openWorktree } from "../git/worktrees/open-worktree.ts"
import type { Portion } from "../git/worktrees/workspace-changes.ts"
import { findWork } from "../git/worktrees/worktree-record.ts"
import { deletionEvents } from "./deletions.ts"
import { takeInFiles } from "./open-worktrees.ts"
import { hasWorkspace, type ProjectDeps } from "./project-deps.ts"
import type { PublishStatus } from "./status-publisher.ts"
import { readSyncedVersion } from "./sync-files.ts"
import { filesOf, manyUnsaved, unsavedChanges } from "./unsaved-changes.ts"
import { locateWorktree, recordSynced } from "./worktree-location.ts"

interface SaverDeps {
  project: ProjectDeps
  open: (signal: AbortSignal) => Promise<Worktrees>
  publish: PublishStatus
  report: (error: unknown) => void
}

/** Saves a worktree's files to the session's files. */
export interface WorkspaceSaver {
  /** Saves the files now, or in the background if saving would take too long. */
  bring(asked: boolean, options: { signal: AbortSignal }): Promise<void>
  /**
   * Writes changes that other people made to the session's files to a repository's worktree, unless an agent is working
   * there.
   */
  takeIn(options: { signal: AbortSignal }): Promise<void>
  /** Continues an unfinished save in the background. */
  start(options: { signal: AbortSignal }): void
}

const PORTION: Portion = { files: 2000, bytes: 64 * 1024 * 1024 }
const TRIES = 5
const AGAIN_MS = 10_000

export function createWorkspaceSaver(
  { project, open, publish, report }: SaverDeps,
  session: SessionLog,
  generation: number,
): WorkspaceSaver {
  const { sid } = session
  const { worktree } = project
  const named = namedWorktree(worktree)
  const guard = (events: NewEvent[]) => appendAsRunner(generation, events)
  const say = (events: NewEvent[], signal: AbortSignal) => session.decide(guard(events), { signal })

  /** Commits one portion. Returns the number of files that were written, and the number of files that are left. */
  async function save(
    { path, paths, asked = false, portion }: { path: string; paths?: GitPath[]; asked?: boolean; portion?: Portion },
    signal: AbortSignal,
  ): Promise<{ written: number; rest: number }> {
    const state = await session.catchUp({ signal })
    const about = { sid, repository: state.session.repository, state, path }
    const found = paths ?? (await filesOf(project, about, { signal }))
    const unsaved = await unsavedChanges(project, { ...about, paths: found, asked, portion }, { signal })
    const { changes, events, rest } = unsaved
    // Append the events as one batch. Otherwise, the log could contain a deletion without its confirmation if the
    // runner is lost.
    const withEvents = (committed: NewEvent[]) => guard([...committed, ...events])
    if (changes.length === 0) await say(events, signal)
    else await commitChanges({ blobs: project.blobs }, session, changes, { guard: withEvents, signal })
    await recordSynced(project, about, { before: state.workspace, after: session.state.workspace })
    return { written: changes.filter(({ op }) => op === "write").length, rest }
  }

  /** Returns the worktree's path, after repairing the worktree if necessary. Returns null if there is no worktree. */
  async function pathOf(signal: AbortSignal): Promise<string | null> {
    await open(signal)
    const { state } = session
    const { where } = locateWorktree(project, { sid, repository: state.session.repository, state })
    const opened = await openWorktree(where, { signal })
    return (await findWork(opened)) ? opened.tree : null
  }

  async function bring(asked: boolean, { signal }: { signal: AbortSignal }): Promise<void> {
    if (!hasWorkspace(project)) return
    const path = await pathOf(signal)
    const { state } = session
    if (path === null) return settled(deletionEvents({ state, worktree }, undefined), signal)
    const about = { sid, repository: state.session.repository, state, path }
    const paths = await filesOf(project, about, { signal })
    const many = asked ? undefined : await manyUnsaved(project, { ...about, paths })
    if (many === undefined) {
      await save({ path, paths, asked }, signal)
      return settled([], signal)
    }
    await say([{ type: "workspace_save_progressed", ...named, saved: 0, total: many }], signal)
    start({ signal })
  }

  async function takeIn({ signal }: { signal: AbortSignal }): Promise<void> {
    const { state } = session
    const { repository } = state.session
    if (repository === null || !hasWorkspace(project) || runningInWorktree(state, worktree)) return
    const { notes } = locateWorktree(project, { sid, repository, state })
    if (((await readSyncedVersion(notes)) ?? null) === state.workspace.manifest) return
    const path = await pathOf(signal)
    if (path !== null) await takeInFiles(project, { sid, repository, state }, path, { signal })
  }

  async function settled(events: NewEvent[], signal: AbortSignal): Promise<void> {
    const done: NewEvent = { type: "workspace_save_progressed", ...named, saved: 0, total: 0 }
    await say([...events, ...(worktreeOf(session.state, worktree).saving ? [done] : [])], signal)
  }

  function start(options: { signal: AbortSignal }): void {
    project.background.start(inPortions, report, options)
  }

  /**
   * Commits each portion as a separate version. If this runner is lost, the next one continues after the last portion.
   */
  async function inPortions({ signal }: { signal: AbortSignal }): Promise<void> {
    let saved = 0
    for (let failures = 0; ; ) {
      try {
        const path = await pathOf(signal)
        if (path === null) return await settled([], signal)
        const { written, rest } = await save({ path, portion: failures === 0 ? PORTION : undefined }, signal)
        saved += written
        await say([{ type: "workspace_save_progressed", ...named, saved, total: saved + rest }], signal)
        if (rest === 0) return void (await publish(signal))
        // If a portion writes no files, save everything that is left in one step, because deletions wait for the last
        // portion.
        if (written === 0) failures++
      } catch (error) {
        if (signal.aborted || isAppError(error, "run_superseded") || isAppError(error, "session_deleted")) return
        report(error)
        if (++failures === TRIES) return void (await say(abandonedSaving(worktree), signal))
        await project.clock.sleep(AGAIN_MS, { signal }).catch(() => undefined)
      }
    }
  }

  return { bring, takeIn, start }
}
