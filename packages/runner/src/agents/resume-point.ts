import { AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { EventOf } from "@switchyard/core/events"
import { readHistoryBack } from "@switchyard/core/kernel/history"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { isTask } from "@switchyard/core/work/runs/kinds"

/** Earlier work of an agent, continued by a new run. */
export interface ResumePoint {
  /** Native agent session, if that session belongs to this account. */
  nativeSession: string | null
  /** True if the agent has worked here before. `interrupted` is true if it did so earlier in this very run. */
  followUp: boolean
  interrupted: boolean
}

/** Reads from the log where to resume. Reads backwards, and only as far as needed. */
export async function readResumePoint(
  deps: { records: Records; blobs: Blobs },
  session: SessionLog,
  { runId, agentId, input }: { runId: string; agentId: string; input: AgentInput },
  { signal }: { signal: AbortSignal },
): Promise<ResumePoint> {
  const past: ResumePoint = { nativeSession: null, followUp: false, interrupted: false }
  /** Newest session per run. */
  const opened = new Map<string, string>()
  for await (const event of readHistoryBack(deps, session, "turns", { signal })) {
    const { run_id = "", agent_id = MAIN_AGENT } = event
    if (agent_id !== agentId) continue
    if (event.type === "agent_turn_started") {
      past.followUp = true
      past.interrupted ||= run_id === runId
    } else if (event.type === "agent_session_opened") {
      if (!opened.has(run_id)) opened.set(run_id, event.native_session_id)
    } else if (event.type === "provider_switched") {
      const native = opened.get(run_id)
      if (native !== undefined && event.to_provider === input.cli && event.to_account === input.account) {
        return { ...past, nativeSession: native }
      }
      // The session belongs to the account that took over here, which isn't this one.
      opened.delete(run_id)
    } else if (opened.has(run_id) && (await isOfAccount(deps.blobs, event, input, signal))) {
      return { ...past, nativeSession: opened.get(run_id) ?? null }
    }
  }
  return past
}

async function isOfAccount(
  blobs: Blobs,
  created: EventOf<"run_created">,
  { cli, account }: AgentInput,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isTask(created)) return false
  const asked = await readField(blobs, created.input, AgentInput, { signal })
  return asked.cli === cli && asked.account === account
}
