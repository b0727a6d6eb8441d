import { AppError } from "../../../errors.ts"
import type { WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { WorktreeCommand, WorktreeQuery } from "../../../files/worktrees/command-schema.ts"
import { MAIN_WORKTREE } from "../../../files/worktrees/names-schema.ts"
import { WorktreeSnapshot } from "../../../files/worktrees/snapshot-schema.ts"
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
  /** Absent where there are no runners. */
  worktrees?: WorktreePort
}

/** A clone of a large repository takes minutes; nothing else of this does. */
const ANSWER_WITHIN_MS = 10 * 60_000

/** The pause between two looks whether an agent has made the worktree. */
const LOOK_EVERY_MS = 250

/** The files that a turn is about, as they are now: those of a repository are read anew. */
export async function readFiles(deps: ChatDeps, { context }: Turn): Promise<WorkspaceVersion> {
  const state = await context.catchUp()
  if (state.session.repository === null) return state.workspace
  const { sid, signal } = context
  const read = await context.awaitExternal(async () => {
    return readWorktree(deps, { sid, state: await whenWorktreeIsMade(deps, context) }, { signal })
  })
  const { manifest, files, branch, commit } = read
  const isNew = manifest !== state.chat.files
  if (isNew) await context.write([{ type: "chat_files_read", manifest, files, branch, commit }])
  return { ...shownFiles(state), manifest }
}

/** Has the files of a session's repository read for its chat, which makes a worktree if there is none, and notes them. */
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

/** Notes the files of a repository as they were read, if they are others than before. */
function noteReading({ manifest, files, branch, commit }: WorktreeSnapshot): Rule {
  return ({ chat }) => {
    // Files that a rewind writes belong to the moment after it.
    const isKnown = chat.files === manifest || (chat.restore !== null && chat.restore.write !== null)
    return isKnown ? [] : [{ type: "chat_files_read", manifest, files, branch, commit }]
  }
}

/** The state once the worktree that an agent is about to make is there. Where no agent makes it, or not in time, it isn't. */
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

/** Has the runner read the worktree of the session's repository, which is made if there is none. */
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

/** Sends a command to a worktree of the repository, the main one unless another is named, and resolves to its answer. Throws what was thrown there. */
export async function sendCommand(
  { worktrees }: RepositoryDeps,
  { sid, ...request }: { sid: string; commandId: string; command: WorktreeCommand | WorktreeQuery; worktree?: string },
  { signal }: { signal: AbortSignal },
): Promise<Record<string, unknown>> {
  if (!worktrees) throw agentsUnavailable()
  const answer = await worktrees.send(sid, request, { signal, enough: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  if (answer) return answer
  signal.throwIfAborted()
  throw new AppError("command_expired", "The repository's runner has not answered in time.")
}
