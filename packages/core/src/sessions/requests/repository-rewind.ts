import {
  type CommandDeps,
  commandEnd,
  commandWorktree,
  createWorktreePort,
  findCommand,
} from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import type { Manifest, ManifestFile } from "../../files/workspaces/manifest.ts"
import type { WriteFiles } from "../../files/worktrees/snapshot-schema.ts"
import { readHistoryBack } from "../../kernel/history.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import { refreshChatFiles } from "../../work/chat/files/chat-files.ts"
import { endRewind, rewindChat, startRewind } from "../../work/chat/rules.ts"
import type { PendingRewind } from "../../work/chat/state.ts"

export interface RewindDeps extends CommandDeps {
  records: Records
}

interface Options {
  signal: AbortSignal
}

const ANSWER_WITHIN_MS = 10 * 60_000
const FINISH_WITHIN_MS = 20_000

/** Of the commit. */
const MESSAGE = "Rewind the files to an earlier moment of the chat"

/**
 * Takes the files of a session's repository back to how they were last read before a moment, as a commit, and the conversation
 * with them. The conversation follows once the files are back, whoever finds out that they are: see `finishRewind`.
 */
export async function rewindRepository(
  deps: RewindDeps,
  session: SessionLog,
  { chatId, toSeq, message = MESSAGE }: Pick<PendingRewind, "chatId" | "toSeq"> & { message?: string },
  options: Options,
): Promise<void> {
  const port = { ...deps, worktrees: createWorktreePort(deps) }
  await refreshChatFiles(port, session, options)
  const { written: files, ...wanted } = await plan(deps, session, toSeq, options)
  if (files.length === 0) {
    await session.decide(inLiveSession(rewindChat(chatId, toSeq, true)), options)
    return
  }
  const rewinding = { chatId, toSeq, commandId: deps.newId("cmd"), ...wanted }
  const command = { command: "write" as const, message, files }
  const request = { commandId: rewinding.commandId, command, alongside: startRewind(rewinding) }
  const enough = AbortSignal.timeout(ANSWER_WITHIN_MS)
  try {
    const { answer } = await commandWorktree(deps, session, request, { ...options, enough })
    await session.catchUp(options)
    if (answer) await end(session, rewinding, null, options)
  } catch (error) {
    await endFailed(deps, session, rewinding, error, options)
    throw error
  }
}

/** Ends a rewind that was left on its way, as the worktree says. Throws `run_active` while it is still under way. */
export async function finishRewind(deps: RewindDeps, session: SessionLog, options: Options): Promise<void> {
  const { rewinding } = session.state.chat
  if (!rewinding) return
  const enough = AbortSignal.timeout(FINISH_WITHIN_MS)
  await deps.launcher.serve?.(session.sid, options)
  try {
    const { answer } = await findCommand(deps, session, rewinding.commandId, { ...options, enough })
    if (!answer) throw new AppError("run_active", "This chat is being rewound. Try again in a moment.")
    await end(session, rewinding, null, options)
  } catch (error) {
    // Where nothing was done, the conversation stays as it is, and the request goes on.
    if (!(await endFailed(deps, session, rewinding, error, options))) throw error
  }
}

async function end(session: SessionLog, rewinding: PendingRewind, failure: string | null, options: Options) {
  await session.decide(inLiveSession(endRewind(rewinding, failure)), options)
}

/** Ends a rewind whose command came to its end, although waiting for it failed. Resolves to whether it did. */
async function endFailed(
  deps: RewindDeps,
  session: SessionLog,
  rewinding: PendingRewind,
  error: unknown,
  options: Options,
): Promise<boolean> {
  await session.catchUp(options)
  if (session.state.chat.rewinding?.commandId !== rewinding.commandId) return false
  const outcome = await commandEnd(deps, session, rewinding.commandId, options)
  if (outcome === "pending") return false
  const reason = error instanceof Error ? error.message : "It failed."
  await end(session, rewinding, outcome === "failed" ? reason : null, options)
  return true
}

interface Plan {
  /** The files to be written and removed. */
  written: WriteFiles["files"]
  manifest: string
  files: number
}

async function plan(
  { records, blobs }: RewindDeps,
  session: SessionLog,
  toSeq: number,
  options: Options,
): Promise<Plan> {
  const { sid, state } = session
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const manifest = await readingBefore({ records }, session, toSeq, options)
  if (manifest === undefined) throw new AppError("not_found", "This chat has never read the repository's files.")
  const [now, then] = await Promise.all([
    store.readManifest(state.chat.files, options),
    store.readManifest(manifest, options),
  ])
  return { written: differences(now, then), manifest, files: then.files.length }
}

/** The newest reading of the files up to an event; before the first one, that. Undefined where they were never read. */
export async function readingBefore(
  deps: { records: Records },
  session: Pick<SessionLog, "sid" | "state" | "history">,
  toSeq: number,
  options: Options,
): Promise<string | undefined> {
  let earliest: string | undefined
  for await (const event of readHistoryBack(deps, session, "chat", options)) {
    if (event.type !== "chat_files_read") continue
    earliest = event.manifest
    if (event.seq <= toSeq) break
  }
  return earliest
}

/** The files that differ, those that are removed first: what takes the place of a folder needs it gone. */
function differences(now: Manifest, then: Manifest): WriteFiles["files"] {
  const current = new Map(now.files.map((file) => [file.path, file]))
  const wanted = new Set(then.files.map(({ path }) => path))
  const removed = now.files.filter(({ path }) => !wanted.has(path))
  const written = then.files.filter((file) => !isSame(file, current.get(file.path)))
  return [
    ...removed.map(({ path, sha256 }) => ({ path, sha256: null, if_sha256: sha256 })),
    ...written.map((file) => ({
      ...{ path: file.path, sha256: file.sha256, if_sha256: current.get(file.path)?.sha256 ?? null },
      executable: isExecutable(file),
    })),
  ]
}

function isSame(file: ManifestFile, other: ManifestFile | undefined): boolean {
  return other !== undefined && file.sha256 === other.sha256 && isExecutable(file) === isExecutable(other)
}

/** The only permission that git has. */
function isExecutable({ mode }: ManifestFile): boolean {
  return (mode & 0o100) !== 0
}
