import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { endsRun } from "../../work/runs/schema.ts"
import type { AgentReply, AgentStatus } from "./agent-schema.ts"
import { statusOf } from "./agent-view.ts"
import { lastWords } from "./read-conversation.ts"
import { namedAgent } from "./state.ts"

/**
 * Waits until an agent is idle and its queue is empty, and returns its last reply. If `enough` aborts before that,
 * returns only the agent's status.
 */
export async function waitForReply(
  deps: SessionLogDeps & { blobs: Blobs },
  session: SessionHandle,
  agentId: string,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<AgentReply> {
  const log = await openSessionLog(deps, session.sid, { signal })
  await untilIdle(deps, log, agentId, { signal, enough })
  const status = currentStatus(log.state, agentId)
  const current = { ...session, state: log.state, history: log.history }
  const said = isOver(status) ? await lastWords(deps, current, agentId, { signal }) : undefined
  return { agent_id: agentId, status, text: said?.text ?? null, seq: said?.seq ?? null }
}

/** True if an agent with this status does nothing until it gets a message. */
export function isOver(status: AgentStatus): boolean {
  return status === "idle" || status === "closed"
}

/** Follows the log until the agent is idle or closed, or `enough` aborts. */
async function untilIdle(
  { log }: SessionLogDeps,
  session: SessionLog,
  agentId: string,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<void> {
  if (isOver(currentStatus(session.state, agentId))) return
  const following = AbortSignal.any([signal, enough])
  for await (const event of log.tail(logName(session.sid), session.state.head, { signal: following })) {
    const mayEnd = endsRun(event) || event.type === "agent_closed" || event.type === "session_deleted"
    if (!mayEnd) continue
    await session.catchUp({ signal })
    if (isOver(currentStatus(session.state, agentId))) return
  }
}

/** Returns an agent's status. An agent also counts as closed if it was forgotten, or deleted with its session. */
function currentStatus(state: SessionState, agentId: string): AgentStatus {
  const agent = namedAgent(state, agentId)
  return agent ? statusOf(state, agent) : "closed"
}
