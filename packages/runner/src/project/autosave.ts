import { createHash } from "node:crypto"
import { appendAsRunner } from "@switchyard/core/agents/terminals/rules"
import { createMutex } from "@switchyard/core/concurrency/mutex"
import { isAppError } from "@switchyard/core/errors"
import type { SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import type { NewId } from "@switchyard/core/ids"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import { runningInWorktree } from "@switchyard/core/work/runs/state"
import { damageOf } from "../git/saves/repair.ts"
import { takeWorkSnapshot, type WorkSnapshot } from "../git/saves/work-snapshot.ts"
import { glanceAt } from "../git/worktrees/work-stamp.ts"
import type { HomeFile } from "../sandbox/agent-home.ts"
import { readAgentState } from "./agent-state.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { obsoleteKeys, piecesOf } from "./save-keys.ts"
import { digestOf, readMark, readSaveRecord, writeMark } from "./save-record.ts"
import { readSyncedVersion } from "./sync-files.ts"
import { type AgentAccountRef, createTrackedSessions, isMemoryOf } from "./tracked-sessions.ts"
import { uploadBundle } from "./upload-bundle.ts"
import { openedWorktree } from "./worktree-location.ts"

export interface SaveOptions {
  signal: AbortSignal
  /** The worktree right after a commit, if nothing has changed since. */
  committed?: CommittedFiles | undefined
}

export interface AutosaveDeps {
  project: ProjectDeps
  newId: NewId
  /** Interval between saves while an agent works. */
  everyMs: number
  report: (error: unknown) => void
}

/**
 * Saves the work in a worktree and its agents' memories. If the machine is lost, only the work since the last save is
 * lost.
 */
export interface Autosave {
  /** Saves changes since the last save. Returns false if saving fails. The next save then tries again. */
  save(options: SaveOptions): Promise<boolean>
  /** Saves at intervals while an agent works. */
  serve(options: { signal: AbortSignal }): Promise<void>
  /** Includes this native session in all later saves. */
  trackSession(account: AgentAccountRef, session: string): void
  /** Reads saved memories that are missing in the account's home, and tracks their session. */
  restoreSession(account: AgentAccountRef, options: { signal: AbortSignal }): Promise<HomeFile[]>
}

const NOTHING: SavedProject = { bundles: [], tip: null, memories: [] }

export function createAutosave(deps: AutosaveDeps, session: SessionLog, generation: number): Autosave {
  const { project, report } = deps
  const { blobs } = project
  const { sid } = session
  const oneAtATime = createMutex()
  const tracked = createTrackedSessions()
  /** Pieces of memories that the last save stored. */
  let stored = new Set<string>()
  let last: { seq: number; save: SavedProject } | undefined
  let snapshotDigest: string | undefined
  /** Snapshot of the last regular save, and the stamp of the work at that time. */
  let regular: { stamp: string; snapshot: WorkSnapshot | undefined } | undefined
  const key = () => ({ blobs, sid, incarnation: session.state.session.incarnation })

  async function lastSave(signal: AbortSignal): Promise<SavedProject> {
    const seq = worktreeOf(session.state, project.worktree).savedSeq
    if (seq === null) return NOTHING
    if (last?.seq !== seq) {
      const { seq: _, repository, isForked: __, ...save } = await readSaveRecord(project, sid, seq, { signal })
      last = { seq, save: repository === session.state.session.repository ? save : NOTHING }
      stored = new Set([...stored, ...piecesOf(save)])
    }
    return last.save
  }

  async function saveNow({ committed, signal }: SaveOptions, isRegular: boolean): Promise<void> {
    const state = await session.catchUp({ signal })
    if (isRegular && !runningInWorktree(state, project.worktree)) return
    const { repository, incarnation } = state.session
    // Don't save for a deleted session, because the stored objects would never be removed.
    if (!isLive(state) || state.runner.generation !== generation) return
    const opened = await openedWorktree(project, { sid, repository, state }, { signal })
    if (!opened) return
    const { worktree, own, notes } = opened
    // Don't overwrite the last save, because it will be used to repair the damaged worktree.
    if (await damageOf(worktree, { signal })) return
    const before = await lastSave(signal)
    const stamp = isRegular ? (await glanceAt(worktree, { signal })).stamp : undefined
    const snapshot =
      regular && stamp === regular.stamp
        ? regular.snapshot
        : await takeWorkSnapshot(worktree, own, { committed, signal })
    regular = stamp === undefined ? undefined : { stamp, snapshot }
    const memories = await tracked.save(key(), { before: before.memories, stored }, { signal })
    const level = await readSyncedVersion(notes)
    const digest = hash([snapshot?.digest ?? null, level ?? null, memories])
    const mark = await readMark(notes)
    if (mark?.digest === digest || (!snapshot && before === NOTHING && memories.length === 0)) return

    const store = { blobs, newId: deps.newId, sid, incarnation }
    const isSame = snapshot !== undefined && snapshot.digest === snapshotDigest
    const changed = snapshot && !isSame && (await uploadBundle(store, { worktree, own, snapshot }, before, { signal }))
    const { bundles, tip } = changed || (isSame ? before : NOTHING)
    const next: SavedProject = { bundles, tip, level, memories }
    await writeMark(notes, { seq: mark?.seq ?? 0, digest: mark?.digest ?? null, next: digestOf(next) })
    const left_out = (snapshot?.leftOut ?? []).slice(0, 100)
    const event = {
      type: "project_saved" as const,
      ...namedWorktree(project.worktree),
      repository,
      save: next,
      left_out,
    }
    const [saved] = await session.decide(appendAsRunner(generation, [event]), { signal })
    if (!saved) return
    last = { seq: saved.seq, save: next }
    snapshotDigest = snapshot?.digest
    await writeMark(notes, { seq: saved.seq, next: null, digest })
    for (const obsolete of obsoleteKeys({ sid, incarnation }, before, next)) await blobs.remove(obsolete, { signal })
    stored = new Set(piecesOf(next))
  }

  async function save(options: SaveOptions, isRegular = false): Promise<boolean> {
    const { signal } = options
    try {
      await oneAtATime(() => saveNow(options, isRegular))
      return true
    } catch (error) {
      const codes = ["run_superseded", "session_deleted", "worktree_damaged"] as const
      const isExpected = codes.some((code) => isAppError(error, code))
      if (!signal.aborted && !isExpected) report(error)
      return false
    }
  }

  return {
    save: (options) => save(options),
    async serve({ signal }) {
      while (!signal.aborted) {
        await project.clock.sleep(deps.everyMs, { signal }).catch(() => undefined)
        if (!signal.aborted) await save({ signal }, true)
      }
    },
    trackSession: tracked.track,
    async restoreSession(account, { signal }) {
      const memory = (await lastSave(signal)).memories.find((one) => isMemoryOf(one, account))
      if (!memory) return []
      tracked.track(account, memory.native_session_id)
      const { home, disk } = account
      return readAgentState(key(), { disk, home, files: memory.files }, { signal })
    },
  }
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}
