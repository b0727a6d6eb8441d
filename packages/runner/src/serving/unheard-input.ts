import { MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { closeInbox, type InboxDeps } from "@switchyard/core/agents/runner/inbox"
import { logName } from "@switchyard/core/kernel/keys"
import type { Log } from "@switchyard/core/log/log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { type AgentMessage, createAttachments } from "../agents/attachments.ts"

interface Stores {
  log: Log
  blobs: Blobs
}

type UnheardDeps = Stores & InboxDeps & { writer: string; report: (error: unknown) => void }

/** More events than a runner appends in its life, but for the longest. */
const LATEST = 20_000

const NOTHING_SHOWN = { resize() {}, watched() {}, left() {}, echo() {}, submitted() {}, interrupt() {} }

/**
 * The messages, lines typed into turns among them, that were accepted for a runner which died before it said in the log that it had
 * passed them on; by their agents. What had been typed of a line and not sent went with its terminal. Whoever sends to the dead
 * runner from now on is refused.
 */
export async function findUnheard(
  deps: UnheardDeps,
  { sid, incarnation, generation, head }: { sid: string; incarnation: number; generation: number; head: number },
  { signal }: { signal: AbortSignal },
): Promise<Map<string, AgentMessage[]>> {
  const sent = await closeInbox(deps, { sid, incarnation, generation, writer: deps.writer }, { signal })
  const said = sent.filter(({ type }) => type === "agent_message" || type === "terminal_input")
  if (said.length === 0) return new Map()
  const { turns, heard } = await readHeard(deps, { sid, generation, head }, { signal })
  const attachments = createAttachments()
  for (const [pty, agentId] of turns) attachments.ofAgent(agentId).addTurn(pty, NOTHING_SHOWN)
  const agents = new Set(said.flatMap((message) => attachments.receive(message) ?? []))
  const isUnheard = (agentId: string) => (message: AgentMessage) => !heard.take(agentId, message.content)
  return new Map(
    [...agents].map((agentId) => [agentId, attachments.ofAgent(agentId).takeUndelivered().filter(isUnheard(agentId))]),
  )
}

/** The terminals of the runner's turns with their agents, and what it said that agents had been told. */
async function readHeard(
  { log, blobs }: Stores,
  { sid, generation, head }: { sid: string; generation: number; head: number },
  { signal }: { signal: AbortSignal },
) {
  const turns = new Map<string, string>()
  let contents: string[] = []
  for await (const event of log.read(logName(sid), Math.max(0, head - LATEST), { signal })) {
    if (event.type === "runner_claimed" && event.generation === generation) contents = []
    const agentId = event.agent_id ?? MAIN_AGENT
    if (event.type === "terminal_opened" && event.kind === "driver") turns.set(event.pty, agentId)
    if (event.type !== "user_message") continue
    const { content } = await hydrateEvent(blobs, event, { signal })
    contents.push(keyOf(agentId, String(content)))
  }
  return {
    turns,
    heard: {
      /** Whether the agent was told this; once for each time that it was. */
      take(agentId: string, content: string): boolean {
        const index = contents.indexOf(keyOf(agentId, content))
        if (index >= 0) contents.splice(index, 1)
        return index >= 0
      },
    },
  }
}

function keyOf(agentId: string, content: string): string {
  return `${agentId}\0${content}`
}
