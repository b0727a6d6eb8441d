import type { RepositoryCredentials } from "../../files/worktrees/repository-credentials.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { newChatId } from "../../work/chat/ids.ts"
import { requestFork } from "../../work/chat/rules.ts"
import { MOMENT_AGENT } from "../../work/chat/schema.ts"
import { reserveRunId } from "../../work/runs/idempotency.ts"
import type { StartOnceDeps } from "../requests/start-run.ts"
import { sessionName } from "../session-name.ts"
import { requireMoment } from "./moment.ts"

interface Deps extends StartOnceDeps {
  repositoryCredentials: Pick<RepositoryCredentials, "copy">
}

interface Source {
  owner: string
  handle: SessionHandle
}

interface Fork {
  toSeq: number
  /** The request's idempotency key. All requests with the same key return the same fork. */
  key?: string | undefined
  signal: AbortSignal
}

/**
 * Opens a new session, and starts a run that copies the conversation and the files into it, as they were at a given
 * event. This includes the files of a repository. Returns once the run has started; the new session's chat shows the
 * outcome. The session and its run are created together or not at all.
 */
export async function fork(
  deps: Deps,
  { owner, handle }: Source,
  { toSeq, key, ...options }: Fork,
): Promise<{ sessionId: string; runId: string }> {
  requireMoment(handle, toSeq)
  const fresh = { runId: deps.newId("run"), sessionId: deps.newSessionId() }
  const body = { fork_of: handle.sid, incarnation: handle.state.session.incarnation, to_seq: toSeq }
  const isKeyed = key !== undefined
  const ids = isKeyed ? await reserveRunId(deps, { owner, key, body }, fresh, options) : { ...fresh, repeated: false }
  const { runId, sessionId } = ids
  if (ids.repeated && (await deps.runs.findRepeated(owner, runId, options))) return { sessionId, runId }
  const { repository } = handle.state.session
  const remote = repository === null ? {} : { remote: { url: repository } }
  const { sid, incarnation } = await deps.sessions.announce(owner, sessionId, { ...remote, ...options })
  await deps.limits.requireBytes(owner, sid, 0, options)
  if (repository !== null) {
    const from = { sid: handle.sid, incarnation: handle.state.session.incarnation }
    await deps.repositoryCredentials.copy(from, { sid, incarnation }, repository, options)
  }
  const from = { session_id: handle.sessionId, name: sessionName(handle.state), to_seq: toSeq }
  const input = { chat_id: newChatId(deps.clock.now()), from }
  const alongside = (id: string) => requestFork(id, input)
  const opensWith = repository === null ? {} : { repository }
  const about = { owner, sid, sessionId, agentId: MOMENT_AGENT, model: "none", runId, repeatable: isKeyed, opensWith }
  await deps.runs.start({ ...about, kind: "fork", input, alongside }, options)
  return { sessionId, runId }
}
