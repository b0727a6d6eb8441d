import { AppError, isAppError } from "../../errors.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { agentOf, requestFiles } from "../../work/chat/rules.ts"
import type { FilesTask } from "../../work/chat/schema.ts"
import { agentsUnavailable, type Launcher } from "../../work/runs/launcher.ts"
import { runInWorktree } from "../../work/runs/state.ts"
import { type StartRunDeps, startRun } from "../requests/start-run.ts"

interface Deps extends StartRunDeps {
  launcher: Pick<Launcher, "serve">
}

/**
 * Starts a run that reads the files of a session's repository, or that reviews, resets or undoes changes. Returns once
 * the run has started; the chat shows the outcome. If another run is already reading the files, a request to read them
 * returns that run. Throws immediately if it is already clear that the run would fail.
 */
export async function startFilesTask(
  deps: Deps,
  { owner, session, handle }: { owner: string; session: SessionLog; handle: SessionHandle },
  task: FilesTask,
  options: { signal: AbortSignal },
): Promise<{ runId: string }> {
  if (!deps.launcher.serve) throw agentsUnavailable()
  const refused = requestFiles("", task)(session.state)
  if (refused instanceof AppError) throw refused
  const busy = task.task === "reset" || task.task === "undo" ? runInWorktree(session.state) : undefined
  if (busy) throw new AppError("worktree_busy", "An agent is working in this worktree.", { run_id: busy.runId })
  const about = { owner, sid: session.sid, sessionId: handle.sessionId, agentId: agentOf(task.task), model: "none" }
  const alongside = (runId: string) => requestFiles(runId, task)
  try {
    return await startRun(deps, { ...about, kind: "chat_files", input: task, alongside }, options)
  } catch (error) {
    const reading =
      task.task === "read" && isAppError(error, "run_active") ? await readingIn(session, options) : undefined
    if (!reading) throw error
    return reading
  }
}

async function readingIn(
  session: SessionLog,
  options: { signal: AbortSignal },
): Promise<{ runId: string } | undefined> {
  const { reading } = (await session.catchUp(options)).chat
  return reading?.failure === null ? reading : undefined
}

/** Throws if the session has no repository. */
export function requireRepository({ state }: SessionLog, message: string): void {
  if (state.session.repository === null) throw new AppError("invalid_request", message)
}
