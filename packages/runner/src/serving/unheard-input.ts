import { MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { closeInbox, type InboxDeps } from "@switchyard/core/agents/runner/inbox"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { logName } from "@switchyard/core/kernel/keys"
import type { Log } from "@switchyard/core/log/log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createAttachments } from "../agents/attachments.ts"
import type { AgentMessage } from "../agents/conversation.ts"
import { isTextInput } from "../agents/text-input.ts"
import { undeliveredNotice } from "./input-notices.ts"

interface Stores {
  log: Log
  blobs: Blobs
}

type UnheardDeps = Stores & InboxDeps & { writer: string; report: (error: unknown) => void }

/** Number of most recent events to read. Most runners append fewer events in total. */
const LATEST = 20_000

/** Number of most recent runners to consider. Of that many, at least one has passed on all earlier input. */
const LATEST_CLAIMS = 50

/** Placeholder for the terminal of a turn that has ended. */
export const NOTHING_SHOWN = { resize() {}, watched() {}, left() {}, echo() {}, submitted() {}, interrupt() {} }

/** Input accepted by lost runners. */
export interface Unheard {
  /** Undelivered messages per agent. */
  messages: Map<string, AgentMessage[]>
  /** Terminals that people typed text into, regardless of whether the text was delivered. */
  typedInto: Set<string>
}

/** Range of the lost runners' claims, from `since` to `until`, and the head of the session log. */
interface Claims {
  sid: string
  incarnation: number
  since: number
  until: number
  head: number
}

/**
 * Finds input that lost runners accepted: messages, including lines typed into turns, that the log reports neither as
 * delivered nor as undelivered. Unfinished lines are lost together with their terminal. Further input for these runners
 * is refused.
 */
export async function findUnheard(
  deps: UnheardDeps,
  claims: Claims,
  { signal }: { signal: AbortSignal },
): Promise<Unheard> {
  const { sid, incarnation, until } = claims
  const sent: InboxMessage[] = []
  for (let generation = Math.max(claims.since, until - LATEST_CLAIMS); generation <= until; generation++) {
    const place = { sid, incarnation, generation, writer: deps.writer }
    sent.push(...(await closeInbox(deps, place, { signal })))
  }
  const said = sent.filter(({ type }) => type === "agent_message" || type === "terminal_input")
  if (said.length === 0) return { messages: new Map(), typedInto: new Set() }
  const { turns, heard } = await readHeard(deps, claims, { signal })
  const attachments = createAttachments()
  for (const [pty, agentId] of turns) attachments.ofAgent(agentId).addTurn(pty, NOTHING_SHOWN)
  const agents = new Set(said.flatMap((message) => attachments.receive(message) ?? []))
  const isUnheard = (agentId: string) => (message: AgentMessage) => !heard.take(agentId, message.content)
  const messagesOf = (agentId: string) => attachments.ofAgent(agentId).takeUndelivered().filter(isUnheard(agentId))
  return {
    messages: new Map([...agents].map((agentId) => [agentId, messagesOf(agentId)])),
    typedInto: new Set(said.flatMap((message) => ("pty" in message && isTextInput(message) ? message.pty : []))),
  }
}

/** Reads the turns' terminals and their agents, and the messages that the log reports as delivered or undelivered. */
async function readHeard({ log, blobs }: Stores, { sid, since, head }: Claims, { signal }: { signal: AbortSignal }) {
  const turns = new Map<string, string>()
  let contents: string[] = []
  for await (const event of log.read(logName(sid), Math.max(0, head - LATEST), { signal })) {
    if (event.type === "runner_claimed" && event.generation === since) contents = []
    const agentId = event.agent_id ?? MAIN_AGENT
    if (event.type === "terminal_opened" && event.kind === "driver") turns.set(event.pty, agentId)
    if (event.type === "agent_notice") contents.push(keyOf(agentId, event.text))
    if (event.type !== "user_message" || event.source === "history") continue
    const { content } = await hydrateEvent(blobs, event, { signal })
    contents.push(keyOf(agentId, String(content)))
  }
  return {
    turns,
    heard: {
      /**
       * Returns true if the log contains a report about this message that hasn't been matched with a message yet. Marks
       * the report as matched.
       */
      take(agentId: string, content: string): boolean {
        const keys = [content, undeliveredNotice(agentId, content).text].map((text) => keyOf(agentId, text))
        const index = contents.findIndex((key) => keys.includes(key))
        if (index >= 0) contents.splice(index, 1)
        return index >= 0
      },
    },
  }
}

function keyOf(agentId: string, content: string): string {
  return `${agentId}\0${content}`
}
