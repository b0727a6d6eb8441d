import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { mkdir, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { asRunner } from "@switchyard/core/agents/terminals/rules"
import { isAppError } from "@switchyard/core/errors"
import type { SavedMemory, SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { NewId } from "@switchyard/core/ids"
import { artifactBlobs } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import { createQueue } from "@switchyard/core/time"
import { runningInWorktree } from "@switchyard/core/work/runs/state"
import { damageOf } from "../git/saves/repair.ts"
import { bundleWorkSnapshot, hasCommit, takeWorkSnapshot, type WorkSnapshot } from "../git/saves/work-snapshot.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import type { HomeFile } from "../sandbox/agent-home.ts"
import { pieceKey, readAgentState, saveAgentState } from "./agent-state.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { digestOf, readMark, readSaveRecord, writeMark } from "./save-record.ts"
import { readSyncedVersion } from "./sync-files.ts"
import { openedWorktree } from "./worktree-location.ts"

export interface AutosaveDeps {
  project: ProjectDeps
  newId: NewId
  /** How long work may be nowhere but here while it changes. */
  everyMs: number
  report: (error: unknown) => void
}

/** An agent's account in this session. */
type Who = Pick<AgentInput, "cli" | "account"> & { home: string }

/** Saves a session's work and its agents' memories, so that a lost machine costs a minute of them at most. */
export interface Autosave {
  /** Saves what has changed since it was saved last. Why that can't be done is reported, and tried again. */
  save(options: { signal: AbortSignal }): Promise<void>
  /** Saves now and then, while an agent works. */
  serve(options: { signal: AbortSignal }): Promise<void>
  /** From now on this native session is saved, too. */
  trackSession(who: Who, session: string): void
  /** What the session's agent remembered in an account's home elsewhere, and isn't in this one. */
  restoreSession(who: Who, options: { signal: AbortSignal }): Promise<HomeFile[]>
}

/** So many pieces are fetched at most to have the work again; then it is saved whole. */
const MAX_BUNDLES = 64

const nothing: SavedProject = { bundles: [], tip: null, memories: [] }

export function createAutosave(deps: AutosaveDeps, session: SessionLog, generation: number): Autosave {
  const { project, report } = deps
  const { blobs } = project
  const { sid } = session
  const oneAtATime = createQueue()
  const known = new Map<string, { who: Who; session: string }>()
  const stored = new Set<string>()
  let last: { seq: number; save: SavedProject } | undefined
  let keepsakeDigest: string | undefined

  async function lastSave(signal: AbortSignal): Promise<SavedProject> {
    const seq = session.state.worktree.savedSeq
    if (seq === null) return nothing
    if (last?.seq !== seq) {
      const { seq: _, repository, ...save } = await readSaveRecord(project, sid, seq, { signal })
      last = { seq, save: repository === session.state.session.repository ? save : nothing }
      for (const { files } of save.memories) for (const { pieces } of files) for (const one of pieces) stored.add(one)
    }
    return last.save
  }

  async function save(signal: AbortSignal): Promise<void> {
    const state = await session.catchUp({ signal })
    const { repository, incarnation } = state.session
    // Of a session that is deleted nothing may be put any more: nobody would remove it.
    if (!isLive(state) || state.runner.generation !== generation) return
    const opened = await openedWorktree(project, { sid, repository, state }, { signal })
    if (!opened) return
    const { worktree, own, notes } = opened
    // What an agent broke says nothing of the work: the save before it is what it is put right from.
    if (await damageOf(worktree, { signal })) return
    const before = await lastSave(signal)
    const workSnapshot = await takeWorkSnapshot(worktree, own, { signal })
    const memories = await saveMemories(before.memories, signal)
    const level = await readSyncedVersion(notes)
    const digest = hash([workSnapshot?.digest ?? null, level ?? null, memories])
    const mark = await readMark(notes)
    if (mark?.digest === digest || (!workSnapshot && before === nothing && memories.length === 0)) return

    const isSame = workSnapshot !== undefined && workSnapshot.digest === keepsakeDigest
    const work = isSame ? before : workSnapshot ? await bundle(worktree, own, workSnapshot, before, signal) : nothing
    const next: SavedProject = { bundles: work.bundles, tip: work.tip, level, memories }
    await writeMark(notes, { seq: mark?.seq ?? 0, digest: mark?.digest ?? null, next: digestOf(next) })
    const left_out = (workSnapshot?.leftOut ?? []).slice(0, 100)
    const event = { type: "project_saved" as const, repository, save: next, left_out }
    const [saved] = await session.decide(asRunner(generation, [event]), { signal })
    if (!saved) return
    last = { seq: saved.seq, save: next }
    keepsakeDigest = workSnapshot?.digest
    await writeMark(notes, { seq: saved.seq, next: null, digest })
    await forget(before, next, incarnation, signal)
  }

  /** What is new since the save before, or everything where that can't be gone on from. */
  async function bundle(
    worktree: Worktree,
    own: boolean,
    workSnapshot: WorkSnapshot,
    before: SavedProject,
    signal: AbortSignal,
  ): Promise<Pick<SavedProject, "bundles" | "tip">> {
    const { tip, bundles } = before
    const goesOn = tip !== null && bundles.length < MAX_BUNDLES && (await hasCommit(worktree, tip, { signal }))
    const since = goesOn ? tip : null
    const file = `${worktree.folder}.${deps.newId("bat")}.bundle`
    const commit = await workSnapshot.commit(since)
    await mkdir(dirname(file), { recursive: true })
    try {
      await bundleWorkSnapshot(worktree, { commit, since, own, file }, { signal })
      const key = `${artifactBlobs(sid, session.state.session.incarnation)}saves/${deps.newId("bat")}.bundle`
      const size = await upload(file, key, signal)
      return { bundles: [...(goesOn ? bundles : []), { key, size_bytes: size }], tip: commit }
    } finally {
      await rm(file, { force: true })
    }
  }

  /** Git wrote it where an agent may put a link in its place. */
  async function upload(file: string, key: string, signal: AbortSignal): Promise<number> {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return await blobs.put(key, handle.createReadStream({ autoClose: false }), { signal })
    } finally {
      await handle.close()
    }
  }

  async function saveMemories(before: SavedMemory[], signal: AbortSignal): Promise<SavedMemory[]> {
    const memories = new Map(before.map((memory) => [nameOfAccount(memory), memory]))
    const worktree = { blobs, sid, incarnation: session.state.session.incarnation }
    for (const { who, session: native_session_id } of known.values()) {
      const { cli, account, home } = who
      const about = { home, memory: clis[cli].memory, session: native_session_id, stored }
      const files = await saveAgentState(worktree, about, { signal })
      memories.set(nameOfAccount(who), { cli, account, native_session_id, files })
    }
    return [...memories.values()]
  }

  /** Nobody reads what a newer save stands for. */
  async function forget(before: SavedProject, now: SavedProject, incarnation: number, signal: AbortSignal) {
    const kept = new Set(keysOf(now, incarnation))
    for (const key of keysOf(before, incarnation)) if (!kept.has(key)) await blobs.remove(key, { signal })
    stored.clear()
    for (const { files } of now.memories) for (const { pieces } of files) for (const one of pieces) stored.add(one)
  }

  function keysOf({ bundles, memories }: SavedProject, incarnation: number): string[] {
    const pieces = memories.flatMap(({ files }) => files.flatMap((file) => file.pieces))
    return [...bundles.map(({ key }) => key), ...pieces.map((sha256) => pieceKey({ sid, incarnation }, sha256))]
  }

  async function saveIfPossible({ signal }: { signal: AbortSignal }): Promise<void> {
    try {
      await oneAtATime(() => save(signal))
    } catch (error) {
      const codes = ["run_superseded", "session_deleted", "worktree_damaged"] as const
      const isOver = codes.some((code) => isAppError(error, code))
      if (!signal.aborted && !isOver) report(error)
    }
  }

  return {
    save: saveIfPossible,
    async serve({ signal }) {
      while (!signal.aborted) {
        await project.clock.sleep(deps.everyMs, { signal }).catch(() => undefined)
        if (runningInWorktree(session.state) && !signal.aborted) await saveIfPossible({ signal })
      }
    },
    trackSession: (who, native) => void known.set(nameOfAccount(who), { who, session: native }),
    async restoreSession(who, { signal }) {
      const memory = (await lastSave(signal)).memories.find((one) => nameOfAccount(one) === nameOfAccount(who))
      if (!memory) return []
      const worktree = { blobs, sid, incarnation: session.state.session.incarnation }
      known.set(nameOfAccount(who), { who, session: memory.native_session_id })
      return readAgentState(worktree, { home: who.home, files: memory.files }, { signal })
    },
  }
}

function nameOfAccount({ cli, account }: Pick<SavedMemory, "cli" | "account">): string {
  return JSON.stringify([cli, account])
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}
