import { AgentInput } from "@switchyard/core/agents/schema"
import type { Log } from "@switchyard/core/log/log"
import { logName } from "@switchyard/core/sessions/keys"

/** What a session remembers of earlier work that a new turn can go on from. */
export interface Past {
  /** The agent's own session, if it was this account's. */
  nativeSession: string | null
  /** Whether an agent worked here before, and whether it was in this very run. */
  followUp: boolean
  interrupted: boolean
}

/** `since`: where this life of the session begins, for what was before has been deleted. */
export async function readPast(
  log: Log,
  sid: string,
  { runId, input, since }: { runId: string; input: AgentInput; since: number },
  { signal }: { signal: AbortSignal },
): Promise<Past> {
  const sameAccount = new Set<string>()
  const past: Past = { nativeSession: null, followUp: false, interrupted: false }
  for await (const event of log.read(logName(sid), since, { signal })) {
    if (event.type === "run_created" && event.kind === "agent") {
      const asked = AgentInput.safeParse(event.input)
      const { cli, account } = asked.data ?? {}
      if (cli === input.cli && account === input.account) sameAccount.add(event.run_id)
    }
    if (event.type === "agent_turn_started") {
      past.followUp = true
      past.interrupted ||= event.run_id === runId
    }
    if (event.type === "agent_session_opened" && sameAccount.has(event.run_id ?? "")) {
      past.nativeSession = event.native_session_id
    }
  }
  return past
}
