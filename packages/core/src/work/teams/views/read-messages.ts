import type { EventOf } from "../../../events.ts"
import { readHistoryBack, type SessionHistory } from "../../../kernel/history.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { Records } from "../../../storage/records.ts"
import type { TeamMessages } from "../request-schema.ts"
import { COORDINATOR, HUMAN } from "../schema.ts"

interface MessagesOptions {
  limit: number
  offset?: number
  atSeq?: number
  signal: AbortSignal
}

type Told = EventOf<"team_started" | "team_message_sent" | "team_finished" | "trigger_fired">

/**
 * Returns the last messages of a session's team, oldest first: the goal, messages from members and people, fired
 * triggers, and the final report. Skips the newest `offset` messages and all events after `atSeq`.
 */
export async function readTeamMessages(
  deps: { records: Records; blobs: Blobs },
  session: SessionHistory,
  { limit, offset = 0, atSeq = Number.POSITIVE_INFINITY, ...options }: MessagesOptions,
): Promise<TeamMessages> {
  const messages: TeamMessages["messages"] = []
  let newer = 0
  for await (const event of readHistoryBack(deps, session, "team", options)) {
    if (event.seq > atSeq || newer++ < offset) continue
    const { seq, ts } = event
    messages.unshift({ seq, ts, ...wordsOf((await hydrateEvent(deps.blobs, event, options)) as Told) })
    if (messages.length >= limit) break
  }
  return { messages }
}

type Words = Omit<TeamMessages["messages"][number], "seq" | "ts">

function wordsOf(event: Told): Words {
  if (event.type === "team_started") {
    const { goal, images } = event
    return { kind: "goal", from: HUMAN, to: COORDINATOR, content: String(goal), ...(images && { images }) }
  }
  if (event.type === "team_finished") return { kind: "report", from: COORDINATOR, to: HUMAN, content: event.summary }
  if (event.type === "trigger_fired") return { kind: "trigger", from: "trigger", to: event.to, content: event.message }
  const { from, to, content, suggestion } = event
  return { kind: suggestion ? "suggestion" : "message", from, to, content: String(content) }
}
