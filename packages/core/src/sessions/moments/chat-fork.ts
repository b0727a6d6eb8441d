import type { RepositoryCredentials } from "../../files/worktrees/repository-credentials.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Clock } from "../../time.ts"
import { newChatId } from "../../work/chat/ids.ts"
import { requestFork } from "../../work/chat/rules.ts"
import { MOMENT_AGENT } from "../../work/chat/schema.ts"
import { type StartRunDeps, startRun } from "../requests/start-run.ts"
import { sessionName } from "../session-name.ts"
import { requireMoment } from "./moment.ts"

interface Deps extends StartRunDeps {
  repositoryCredentials: Pick<RepositoryCredentials, "copy">
  clock: Clock
  newSessionId: () => string
}

/**
 * Opens a new session that a run gives the conversation and the files of a moment, those of a repository included. Resolves
 * once that has begun; the chat of the new session says how it ends.
 */
export async function fork(
  deps: Deps,
  { owner, handle }: { owner: string; handle: SessionHandle },
  { toSeq, ...options }: { toSeq: number; signal: AbortSignal },
): Promise<{ sessionId: string; runId: string }> {
  requireMoment(handle, toSeq)
  const { repository } = handle.state.session
  const about = repository === null ? {} : { repository, remote: { url: repository } }
  const touching = { ...about, active: true, ...options }
  const { session, sessionId } = await deps.sessions.touch(owner, deps.newSessionId(), touching)
  if (repository !== null) {
    const { incarnation } = session.state.session
    const from = { sid: handle.sid, incarnation: handle.state.session.incarnation }
    await deps.repositoryCredentials.copy(from, { sid: session.sid, incarnation }, repository, options)
  }
  const from = { session_id: handle.sessionId, name: sessionName(handle.state), to_seq: toSeq }
  const input = { chat_id: newChatId(deps.clock.now()), from }
  const alongside = (runId: string) => requestFork(runId, input)
  const run = { owner, sid: session.sid, sessionId, agentId: MOMENT_AGENT, model: "none", kind: "fork" as const }
  const { runId } = await startRun(deps, { ...run, input, alongside }, options)
  return { sessionId, runId }
}
