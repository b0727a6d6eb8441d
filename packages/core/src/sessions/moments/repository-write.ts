import { withdrawCommand } from "../../agents/runner/worktree-command-rules.ts"
import {
  type CommandDeps,
  type CommandResult,
  commandEnd,
  commandWorktree,
  findCommand,
} from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { type WriteFiles, WrittenFiles } from "../../files/worktrees/snapshot-schema.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import { changedSince } from "../../work/chat/edits/undo-edits.ts"
import { beingRestored, endWrite, failWrite, startWrite } from "../../work/chat/rules.ts"
import type { FilesChange } from "../../work/chat/schema.ts"
import type { FilesWrite } from "../../work/chat/state.ts"
import type { RunContext } from "../../work/runs/run-context.ts"

export interface WriteDeps extends CommandDeps {
  records: Records
}

interface Options {
  signal: AbortSignal
}

const ANSWER_WITHIN_MS = 10 * 60_000
const FINISH_WITHIN_MS = 20_000

/** Planned change to a repository's files and to the chat. */
export interface PlannedWrite {
  change: FilesChange
  files: WriteFiles
}

/** Throws if an earlier executor of this run has reported that the requested change failed. */
export function requireUnfailed({ runId, state }: Pick<RunContext<unknown>, "runId" | "state">): void {
  const { restore } = state().chat
  if (restore?.runId === runId && restore.failure !== null) throw new AppError("git_error", restore.failure)
}

/**
 * Changes the files of the session's repository in a commit, and then changes the chat. If another executor takes over,
 * it doesn't send the command again, but waits for the command that was already sent. Does nothing if there is no plan.
 * Throws if the command fails.
 */
export async function writeRepository(
  deps: WriteDeps,
  context: RunContext<unknown>,
  plan: () => Promise<PlannedWrite | undefined>,
): Promise<void> {
  const { signal } = context
  const { restore } = (await context.catchUp()).chat
  context.beforeStep()
  if (restore?.write) {
    const { commandId } = restore.write
    return conclude(deps, context, restore.write, (enough) => findAnswer(deps, context, commandId, { signal, enough }))
  }
  const planned = await plan()
  if (!planned) return
  const write = { commandId: deps.newId("cmd"), change: planned.change }
  const command = { command: "write" as const, ...planned.files }
  const request = { commandId: write.commandId, command, alongside: context.fenced(startWrite(write)) }
  await conclude(deps, context, write, (enough) => commandWorktree(deps, context, request, { signal, enough }))
}

/**
 * Finishes a change whose run ended before the outcome was known. Withdraws the command if no runner has started it.
 * Otherwise, determines the outcome from the worktree. Throws `run_active` while the outcome is still unknown.
 */
export async function finishWrite(deps: WriteDeps, session: SessionLog, options: Options): Promise<void> {
  const { restore } = session.state.chat
  if (!restore?.write || !restore.isAbandoned) return
  const { commandId } = restore.write
  const run = {
    ...{ sid: session.sid, signal: options.signal },
    catchUp: () => session.catchUp(options),
    decide: (rule: Rule) => session.decide(inLiveSession(rule), options),
    awaitExternal: <T>(task: () => Promise<T>) => task(),
  }
  // Withdraw the command: its run has ended, so the change is no longer wanted.
  await run.decide(withdrawCommand(commandId))
  const enough = AbortSignal.timeout(FINISH_WITHIN_MS)
  try {
    await conclude(deps, run, restore.write, () => findAnswer(deps, run, commandId, { ...options, enough }))
  } catch (error) {
    options.signal.throwIfAborted()
    // If the files weren't changed, leave the chat unchanged and continue with the request.
    if (session.state.chat.restore?.write) throw beingRestored(restore)
    if (!(error instanceof AppError)) throw error
  }
}

type RunAccess = Pick<RunContext<unknown>, "sid" | "signal" | "catchUp" | "decide" | "awaitExternal">

/**
 * Waits for a command to end, and finishes the change. Throws if the files weren't changed, or if the command is still
 * running.
 */
async function conclude(
  deps: WriteDeps,
  run: RunAccess,
  write: FilesWrite,
  answerTo: (enough: AbortSignal) => Promise<CommandResult>,
): Promise<void> {
  const { answer, failure } = await run.awaitExternal(async () => {
    try {
      const { answer } = await answerTo(AbortSignal.timeout(ANSWER_WITHIN_MS))
      const late = new AppError("command_expired", "The repository's runner did not answer in time.")
      return answer ? { answer } : { failure: late }
    } catch (thrown) {
      const { change } = write
      const error = change.kind === "undo" ? changedSince(thrown, change.files) : thrown
      return { failure: error instanceof Error ? error : new Error(String(error)) }
    }
  })
  const state = await run.catchUp()
  if (state.chat.restore?.write?.commandId !== write.commandId) {
    throw failure ?? new Error("The files are already being changed. Try again shortly.")
  }
  const end = answer ?? (await commandEnd(deps, { sid: run.sid, state }, write.commandId, run))
  if (typeof end === "object") {
    await run.decide(endWrite(write, WrittenFiles.parse(end)))
    return
  }
  if (end === "failed") await run.decide(failWrite(write, failure?.message ?? ""))
  throw failure
}

async function findAnswer(
  deps: WriteDeps,
  run: Pick<RunAccess, "sid" | "catchUp">,
  commandId: string,
  options: { signal: AbortSignal; enough: AbortSignal },
): Promise<CommandResult> {
  await deps.launcher.serve?.(run.sid, options)
  return findCommand(deps, { sid: run.sid, state: await run.catchUp() }, commandId, options)
}
