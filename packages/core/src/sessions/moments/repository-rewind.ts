import { createWorktreePort } from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import type { Manifest, ManifestFile } from "../../files/workspaces/manifest.ts"
import type { WriteFiles } from "../../files/worktrees/snapshot-schema.ts"
import { readHistoryBack } from "../../kernel/history.ts"
import { openSessionLog, type SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import { readRepository } from "../../work/chat/files/repository-files.ts"
import type { RewindInput } from "../../work/chat/schema.ts"
import type { RunContext, RunWork } from "../../work/runs/run-context.ts"
import { requireUnfailed, type WriteDeps, writeRepository } from "./repository-write.ts"

interface Options {
  signal: AbortSignal
}

/** Returns the function for runs that rewind a conversation together with the files of a session's repository. */
export function createRewind(deps: WriteDeps): RunWork<RewindInput> {
  return async (context) => {
    const { chat_id: chatId, to_seq: toSeq } = context.input
    const state = await context.catchUp()
    requireUnfailed(context)
    // An earlier executor has already rewound the conversation.
    if (state.chat.restore?.runId !== context.runId) return
    const message = "Rewind the files to an earlier point in the chat"
    await rewindRepository(deps, context, { chatId, toSeq, message })
  }
}

/**
 * Restores a repository's files, in a commit, to what they were when they were last read before the given event. Then
 * rewinds the conversation. If another executor takes over, it continues the work. Throws if the files or the
 * conversation can't be rewound.
 */
export async function rewindRepository(
  deps: WriteDeps,
  context: RunContext<unknown>,
  { chatId, toSeq, message }: { chatId: string; toSeq: number; message: string },
): Promise<void> {
  await writeRepository(deps, context, async () => {
    const { written, manifest, files } = await differencesTo(deps, context, toSeq)
    const change = { kind: "rewind" as const, chat_id: chatId, to_seq: toSeq, manifest, files }
    if (written.length > 0) return { change, files: { message, restores: true, files: written } }
    await context.write([{ type: "chat_rewound", chat_id: chatId, to_seq: toSeq, files: true }])
    return undefined
  })
}

interface Differences {
  written: WriteFiles["files"]
  manifest: string
  files: number
}

/**
 * Reads the repository's files and compares them with the files at the given event. Creates a worktree if necessary.
 */
async function differencesTo(deps: WriteDeps, context: RunContext<unknown>, toSeq: number): Promise<Differences> {
  const { sid, signal } = context
  const read = await readRepository({ ...deps, worktrees: createWorktreePort(deps) }, context)
  const session = await openSessionLog(deps, sid, { signal })
  const manifest = await readingBefore(deps, session, toSeq, { signal })
  if (manifest === undefined) throw new AppError("not_found", "This chat has never read the repository's files.")
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: session.state.session.incarnation })
  const [now, then] = await Promise.all([
    store.readManifest(read.manifest, { signal }),
    store.readManifest(manifest, { signal }),
  ])
  return { written: differences(now, then), manifest, files: then.files.length }
}

/**
 * Returns the files as last read up to an event. If they weren't read before it, returns them as first read after it.
 * Undefined if they were never read.
 */
export async function readingBefore(
  deps: { records: Records },
  session: { sid: string; state: SessionState; history: SessionLog["history"] },
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

/**
 * Returns the files that differ. Removals come first, because a file can only replace a folder once the folder is gone.
 */
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

/** True if the file is executable. This is the only permission that git stores. */
function isExecutable({ mode }: ManifestFile): boolean {
  return (mode & 0o100) !== 0
}
