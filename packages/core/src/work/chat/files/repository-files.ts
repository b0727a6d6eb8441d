import { AppError, isAppError } from "../../../errors.ts"
import type { WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import { MAIN_WORKTREE } from "../../../files/worktrees/names-schema.ts"
import { WorktreeSnapshot, type WriteFiles, WrittenFiles } from "../../../files/worktrees/snapshot-schema.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import type { Rule, SessionLogDeps } from "../../../kernel/session-log.ts"
import type { SessionState } from "../../../state.ts"
import { agentsUnavailable } from "../../runs/launcher.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { runInWorktree } from "../../runs/state.ts"
import type { ChatDeps, Turn } from "../turn/turn.ts"
import { shownFiles } from "./shown-files.ts"
import type { WorktreePort } from "./worktree-port.ts"

export interface RepositoryDeps {
  newId: SessionLogDeps["newId"]
  /** Access to worktrees. Absent if there are no runners. */
  worktrees?: WorktreePort
}

/** Timeout for a command. Cloning a large repository can take minutes, whereas all other commands are much faster. */
const ANSWER_WITHIN_MS = 10 * 60_000

/** Polling interval while waiting until an agent has created the worktree. */
const LOOK_EVERY_MS = 250

/** Returns the current files for a turn. In a repository, reads the files again. */
export async function readFiles(deps: ChatDeps, { context }: Turn): Promise<WorkspaceVersion> {
  const state = await context.catchUp()
  if (state.session.repository === null) return state.workspace
  const { manifest } = await readRepository(deps, context)
  return { ...shownFiles(state), manifest }
}

/** Reads the files of a session's repository for the chat, and logs them. Creates a worktree if necessary. */
export async function readRepository(
  deps: RepositoryDeps & Pick<ChatDeps, "clock">,
  context: RunContext<unknown>,
): Promise<WorktreeSnapshot> {
  const { sid, signal } = context
  const read = await context.awaitExternal(async () => {
    return readWorktree(deps, { sid, state: await whenWorktreeIsMade(deps, context) }, { signal })
  })
  await context.decide(noteReading(read))
  return read
}

/** Logs the files that were read if they differ from the files last logged. */
function noteReading({ manifest, files, branch, commit }: WorktreeSnapshot): Rule {
  return ({ chat }) => {
    // During a rewind, don't log the files that are being written, because they aren't part of the current state yet.
    const isKnown = chat.files === manifest || (chat.restore !== null && chat.restore.write !== null)
    return isKnown ? [] : [{ type: "chat_files_read", manifest, files, branch, commit }]
  }
}

/**
 * Waits while an agent is about to create the worktree, and then returns the state. After `ANSWER_WITHIN_MS`, returns
 * the state even if the worktree doesn't exist yet.
 */
async function whenWorktreeIsMade(
  { clock }: Pick<ChatDeps, "clock">,
  { catchUp, signal }: Pick<Turn["context"], "catchUp" | "signal">,
): Promise<SessionState> {
  const until = clock.monotonic() + ANSWER_WITHIN_MS
  for (;;) {
    const state = await catchUp()
    const isAwaited = !worktreeOf(state, MAIN_WORKTREE).exists && runInWorktree(state) !== undefined
    if (!isAwaited || clock.monotonic() > until) return state
    await clock.sleep(LOOK_EVERY_MS, { signal })
  }
}

/** Has the runner read the worktree of the session's repository. Creates the worktree if necessary. */
async function readWorktree(
  deps: RepositoryDeps,
  { sid, state }: { sid: string; state: SessionState },
  { signal }: { signal: AbortSignal },
): Promise<WorktreeSnapshot> {
  const send = (command: WorktreeCommand | WorktreeQuery) =>
    sendCommand(deps, { sid, commandId: deps.newId("cmd"), command }, { signal })
  if (!worktreeOf(state, MAIN_WORKTREE).exists) await send({ command: "create" })
  return WorktreeSnapshot.parse(await send({ question: "snapshot", since: state.chat.files }))
}

/**
 * Sends a command to a worktree of the repository (by default, the main worktree), and returns the answer. Rethrows
 * errors of the runner. Throws `command_expired` after `ANSWER_WITHIN_MS`.
 */
export async function sendCommand(
  { worktrees }: RepositoryDeps,
  { sid, ...request }: { sid: string; commandId: string; command: WorktreeCommand | WorktreeQuery; worktree?: string },
  { signal }: { signal: AbortSignal },
): Promise<Record<string, unknown>> {
  if (!worktrees) throw agentsUnavailable()
  const answer = await worktrees.send(sid, request, { signal, enough: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  if (answer) return answer
  signal.throwIfAborted()
  throw new AppError("command_expired", "The repository's runner didn't answer in time.")
}

type Sending = Pick<RunContext<unknown>, "sid" | "signal" | "catchUp" | "awaitExternal">

/** Runs a command with this ID. If a command with this ID was requested before, returns the outcome of that command. */
export async function commandOnce(
  deps: RepositoryDeps,
  { sid, signal, catchUp, awaitExternal }: Sending,
  request: { commandId: string; command: WorktreeCommand; worktree?: string },
): Promise<Record<string, unknown>> {
  const state = await catchUp()
  const { worktrees } = deps
  const earlier =
    worktrees && awaitExternal(() => worktrees.find({ sid, state }, request.commandId, { signal, enough: signal }))
  const found = await earlier?.catch((error) => {
    if (isAppError(error, "not_found")) return undefined
    throw error
  })
  return found ?? awaitExternal(() => sendCommand(deps, { sid, ...request }, { signal }))
}

/** Writes files in a commit. If a write with this ID was requested before, returns the outcome of that write. */
export async function writeOnce(
  deps: RepositoryDeps,
  context: Sending,
  { write, ...request }: { commandId: string; write: WriteFiles; worktree?: string },
): Promise<WrittenFiles> {
  const command = { command: "write" as const, ...write }
  return WrittenFiles.parse(await commandOnce(deps, context, { ...request, command }))
}
