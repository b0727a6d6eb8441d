import { setImmediate } from "node:timers/promises"
import { MAIN_AGENT } from "../agents/conversations/schema.ts"
import { mapConcurrent } from "../concurrency/map-concurrent.ts"
import type { EventOf, LogEvent } from "../events.ts"
import { readHistoryBack, type Topic } from "../kernel/history.ts"
import type { SessionHandle } from "../kernel/session-handle.ts"
import { hydrateEvent } from "../log/payload.ts"
import type { Blobs } from "../storage/blobs.ts"
import type { Records } from "../storage/records.ts"
import type { Clock } from "../time.ts"
import { HUMAN } from "../work/teams/schema.ts"
import { agentName } from "./agent-name.ts"
import type { FoundMessages } from "./schema.ts"
import { sessionName } from "./session-name.ts"
import type { Sessions } from "./sessions.ts"
import { excerptAround, hasWords } from "./word-search.ts"

interface SearchDeps {
  sessions: Pick<Sessions, "list">
  records: Records
  blobs: Blobs
  clock: Clock
}

interface SearchOptions {
  q: string
  /** Value of `next` from the previous search. */
  before?: string | undefined
  signal: AbortSignal
}

type Found = FoundMessages["messages"][number]
type MessageText = Pick<Found, "part" | "by"> & { text: unknown }

const SESSIONS_AT_A_TIME = 20
const AT_ONCE = 4
const PER_SESSION = 3
/** Number of results after which a page is full. */
const ENOUGH = 20
const SEARCH_MS = 2000

const topics = ["chat", "messages", "team", "turns"] as const satisfies readonly Topic[]

/**
 * Searches an owner's messages for all words in `q`, ignoring case. Starts with the most recently active sessions, and
 * returns at most the three newest matches from each. Stops after about twenty messages or two seconds. `next`
 * continues the search.
 */
export async function searchMessages(
  deps: SearchDeps,
  owner: string,
  { q, before, signal }: SearchOptions,
): Promise<FoundMessages> {
  const { sessions, clock } = deps
  const until = clock.monotonic() + SEARCH_MS
  const messages: Found[] = []
  let next: string | null | undefined = before
  do {
    const page = await sessions.list(owner, { ...(next && { before: next }), limit: SESSIONS_AT_A_TIME, signal })
    const search = (session: SessionHandle) => searchSession(deps, session, { q, signal })
    for await (const found of mapConcurrent(page.sessions, search, { atOnce: AT_ONCE })) messages.push(...found)
    next = page.next
  } while (next !== null && messages.length < ENOUGH && clock.monotonic() < until)
  return { messages, next }
}

/** Returns a session's newest messages that contain the words, newest first. */
async function searchSession(
  deps: SearchDeps,
  session: SessionHandle,
  { q, signal }: { q: string; signal: AbortSignal },
): Promise<Found[]> {
  const of = { session_id: session.sessionId, session_name: sessionName(session.state) }
  const found: Found[] = []
  for (const topic of topics) {
    // Let other requests run. If the store answers immediately, reading a long history would otherwise never pause.
    await setImmediate()
    let count = 0
    for await (const event of readHistoryBack(deps, session, topic, { signal })) {
      if (!SAID.has(event.type)) continue
      const { text, ...said } = saidIn(await hydrateEvent(deps.blobs, event, { signal }))
      if (typeof text !== "string" || !hasWords(text, q)) continue
      const { seq, ts, agent_id } = event
      const agent = said.part === "agent" ? agentName(session.state, agent_id ?? MAIN_AGENT) : null
      found.push({ ...of, ...said, agent, seq, ts, excerpt: excerptAround(text, q) })
      if (++count === PER_SESSION) break
    }
  }
  return found.sort((a, b) => b.seq - a.seq).slice(0, PER_SESSION)
}

const SAID = new Set<string>([
  ...["run_created", "chat_asked", "chat_answered", "chat_message_copied", "user_message", "assistant_message"],
  ...["team_started", "team_message_sent", "team_finished"],
])

/** Returns the text of an event, and its author's role. */
function saidIn(event: LogEvent): MessageText {
  switch (event.type) {
    case "chat_asked":
      return { part: "chat", by: "person", text: event.content }
    case "chat_answered":
      return { part: "chat", by: "model", text: event.content }
    case "user_message":
      return { part: "agent", by: "person", text: event.content }
    case "assistant_message":
      return { part: "agent", by: "model", text: textIn(event.blocks) }
    case "team_started":
      return { part: "team", by: "person", text: event.goal }
    case "team_message_sent":
      return { part: "team", by: event.from === HUMAN ? "person" : "model", text: event.content }
    case "team_finished":
      return { part: "team", by: "model", text: event.summary }
    case "chat_message_copied":
      return copied(event.message)
    // For workflow runs, the prompt is in this event. All other runs start with a separate message event.
    case "run_created":
      return { part: "prompt", by: "person", text: "user_prompt" in event.input ? event.input.user_prompt : "" }
    default:
      return { part: "prompt", by: "person", text: "" }
  }
}

function copied(message: EventOf<"chat_message_copied">["message"]): MessageText {
  const isWhole = "role" in message
  return {
    part: "chat",
    by: isWhole && message.role === "assistant" ? "model" : "person",
    text: isWhole ? message.content : "",
  }
}

function textIn(blocks: EventOf<"assistant_message">["blocks"]): string {
  if (!Array.isArray(blocks)) return ""
  return blocks.flatMap(({ kind, content }) => (kind === "text" ? [content] : [])).join("\n\n")
}
