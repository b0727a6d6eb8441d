import {
  type CommandDeps,
  type CommandResult,
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
import { openSessionLog, type Rule, type SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import { noteReading } from "../../work/chat/files/chat-files.ts"
import { readWorktree } from "../../work/chat/files/repository-files.ts"
import { beingRestored, endRewind, startRewind } from "../../work/chat/rules.ts"
import type { RewindInput } from "../../work/chat/schema.ts"
import type { RestoringWrite } from "../../work/chat/state.ts"
import type { RunContext, RunWork } from "../../work/runs/run-context.ts"

export interface RewindDeps extends CommandDeps {
  records: Records
}

interface Options {
  signal: AbortSignal
}

const ANSWER_WITHIN_MS = 10 * 60_000
const FINISH_WITHIN_MS = 20_000

/** The work of a run that takes a conversation back with the files of its session's repository. */
export function createRewind(deps: RewindDeps): RunWork<RewindInput> {
  return async (context) => {
    const { chat_id: chatId, to_seq: toSeq } = context.input
    const state = await context.catchUp()
    requireUnfailed(state)
    // An executor before this one has done it.
    if (state.chat.restore?.runId !== context.runId) return
    const message = "Rewind the files to an earlier moment of the chat"
    await rewindRepository(deps, context, { chatId, toSeq, message })
  }
}

/** Throws why a restore came to nothing that an executor before this one has told of. */
export function requireUnfailed({ chat: { restore } }: Pick<SessionState, "chat">): void {
  if (restore?.failure) throw new AppError("git_error", restore.failure)
}

/**
 * Takes the files of a session's repository back to how they were last read before a moment, as a commit, and then the
 * conversation. An executor that takes over goes on with the command that was sent, and sends no other. Throws what the command
 * came to nothing by.
 */
export async function rewindRepository(
  deps: RewindDeps,
  context: RunContext<unknown>,
  { chatId, toSeq, message }: { chatId: string; toSeq: number; message: string },
): Promise<void> {
  const { signal } = context
  const { restore } = (await context.catchUp()).chat
  context.beforeStep()
  if (restore?.write) {
    const { commandId } = restore.write
    return conclude(deps, context, restore.write, (enough) => findAnswer(deps, context, commandId, { signal, enough }))
  }
  const { written, ...wanted } = await plan(deps, context, toSeq)
  if (written.length === 0) {
    await context.write([{ type: "chat_rewound", chat_id: chatId, to_seq: toSeq, files: true }])
    return
  }
  const write = { chatId, toSeq, commandId: deps.newId("cmd"), ...wanted }
  const command = { command: "write" as const, message, files: written }
  const request = { commandId: write.commandId, command, alongside: context.fenced(startRewind(write)) }
  await conclude(deps, context, write, (enough) => commandWorktree(deps, context, request, { signal, enough }))
}

/** Ends a rewind whose run has ended before it knew, as the worktree says. Throws `run_active` while that doesn't know either. */
export async function finishRewind(deps: RewindDeps, session: SessionLog, options: Options): Promise<void> {
  const { restore } = session.state.chat
  if (!restore?.write || !restore.isAbandoned) return
  const { commandId } = restore.write
  const place = {
    ...{ sid: session.sid, signal: options.signal },
    catchUp: () => session.catchUp(options),
    decide: (rule: Rule) => session.decide(inLiveSession(rule), options),
    awaitExternal: <T>(task: () => Promise<T>) => task(),
  }
  const enough = AbortSignal.timeout(FINISH_WITHIN_MS)
  try {
    await conclude(deps, place, restore.write, () => findAnswer(deps, place, commandId, { ...options, enough }))
  } catch (error) {
    options.signal.throwIfAborted()
    // If nothing was done, the conversation stays as it is, and the request goes on.
    if (session.state.chat.restore?.write) throw beingRestored(restore)
    if (!(error instanceof AppError)) throw error
  }
}

type Place = Pick<RunContext<unknown>, "sid" | "signal" | "catchUp" | "decide" | "awaitExternal">

/** Waits for the end of a command, and ends the rewind with it. Throws why the files aren't back, or not yet. */
async function conclude(
  deps: RewindDeps,
  place: Place,
  write: RestoringWrite,
  answerTo: (enough: AbortSignal) => Promise<CommandResult>,
): Promise<void> {
  const failure = await place.awaitExternal(async () => {
    try {
      const { answer } = await answerTo(AbortSignal.timeout(ANSWER_WITHIN_MS))
      return answer ? undefined : new AppError("command_expired", "The repository's runner has not answered in time.")
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  })
  const state = await place.catchUp()
  if (state.chat.restore?.write?.commandId !== write.commandId) throw failure ?? new Error("The rewind is another's.")
  const outcome = failure ? await commandEnd(deps, { sid: place.sid, state }, write.commandId, place) : "succeeded"
  if (outcome === "succeeded") {
    await place.decide(endRewind(write, null))
    return
  }
  if (outcome === "failed") await place.decide(endRewind(write, failure?.message ?? ""))
  throw failure
}

async function findAnswer(
  deps: RewindDeps,
  place: Pick<Place, "sid" | "catchUp">,
  commandId: string,
  options: { signal: AbortSignal; enough: AbortSignal },
): Promise<CommandResult> {
  await deps.launcher.serve?.(place.sid, options)
  return findCommand(deps, { sid: place.sid, state: await place.catchUp() }, commandId, options)
}

interface Plan {
  /** The files to be written and removed. */
  written: WriteFiles["files"]
  manifest: string
  files: number
}

/** Reads the repository's files, which makes a worktree if there is none, and compares them with those of the moment. */
async function plan(deps: RewindDeps, context: RunContext<unknown>, toSeq: number): Promise<Plan> {
  const { sid, signal } = context
  const port = { newId: deps.newId, worktrees: createWorktreePort(deps) }
  const read = await context.awaitExternal(async () => {
    return readWorktree(port, { sid, state: await context.catchUp() }, { signal })
  })
  await context.decide(noteReading(read))
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

/** The newest reading of the files up to an event; before the first one, that. Undefined where they were never read. */
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
