import type { LogEvent } from "../../events.ts"
import { readHistoryBack } from "../../kernel/history.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { ConversationBlock, ConversationMessage } from "./agent-schema.ts"
import { MAIN_AGENT } from "./schema.ts"
import { withoutSummary } from "./summary.ts"

interface ReadDeps {
  log: Log
  blobs: Blobs
  records: Records
}

export interface ConversationPage {
  /** Messages, in log order. */
  messages: ConversationMessage[]
  /** Value of `before` for the previous page. Null if this is the first page. */
  before: number | null
}

/**
 * Reads a page of an agent's conversation up to `before`. The page contains messages and tool calls. It starts with a
 * message and contains `limit` messages, so a message is never separated from its tool calls.
 */
export async function readConversationPage(
  deps: ReadDeps,
  session: SessionHandle,
  { agentId, before, limit, ...options }: { agentId: string; before: number; limit: number; signal: AbortSignal },
): Promise<ConversationPage> {
  const first = await firstOfPage(deps, session, { agentId, before, limit, ...options })
  if (first === undefined) return { messages: [], before: null }
  const messages: ConversationMessage[] = []
  const tools = new Map<string, ConversationBlock & { type: "tool_use" }>()
  for await (const event of deps.log.read(logName(session.sid), first.seq - 1, options)) {
    if (event.seq >= before || event.seq > session.state.head) break
    if (!isOfAgent(event, agentId)) continue
    if (event.type === "tool_call_finished") finishTool(tools.get(event.tool_call_id), event)
    else if (event.type === "tool_call_started") {
      const use = toolUse(event)
      tools.set(event.tool_call_id, use)
      messages.push(messageOf(event, "assistant", [use]))
    } else messages.push(...spoken(await hydrateEvent(deps.blobs, event, options)))
  }
  return { messages, before: first.isFirst ? null : first.seq }
}

/**
 * Returns an agent's last reply without its machine-readable summary, and the sequence number of the reply's event. If
 * `runId` is set, only considers that run, which started at `since`. Undefined if there is no reply.
 */
export async function lastWords(
  deps: ReadDeps,
  session: Pick<SessionHandle, "sid" | "state" | "history">,
  agentId: string,
  { runId, since = 0, ...options }: { runId?: string; since?: number; signal: AbortSignal },
): Promise<{ text: string; seq: number } | undefined> {
  for await (const event of readHistoryBack(deps, session, "messages", options)) {
    if (event.seq < since) return undefined
    if (runId !== undefined && event.run_id !== runId) continue
    if (event.type !== "assistant_message" || !isOfAgent(event, agentId)) continue
    const [message] = spoken(await hydrateEvent(deps.blobs, event, options))
    const text = (message?.blocks ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
    if (text !== "") return { text: withoutSummary(text), seq: event.seq }
  }
  return undefined
}

/** Returns the message that a page starts with. */
async function firstOfPage(
  deps: ReadDeps,
  session: SessionHandle,
  { agentId, before, limit, signal }: { agentId: string; before: number; limit: number; signal: AbortSignal },
): Promise<{ seq: number; isFirst: boolean } | undefined> {
  let found = 0
  let first: number | undefined
  for await (const event of readHistoryBack(deps, session, "messages", { signal })) {
    if (event.seq >= before || event.type === "milestone" || !isOfAgent(event, agentId)) continue
    if (found === limit && first !== undefined) return { seq: first, isFirst: false }
    first = event.seq
    found++
  }
  return first === undefined ? undefined : { seq: first, isFirst: true }
}

function isOfAgent({ agent_id = MAIN_AGENT }: LogEvent, agentId: string): boolean {
  return agent_id === agentId
}

function spoken(event: LogEvent): ConversationMessage[] {
  if (event.type === "user_message" && typeof event.content === "string") {
    const { source, display_as = null, images = [] } = event
    const about = { source, display_as, images: images.map((sha256) => `artifacts/${sha256}`) }
    return [{ ...messageOf(event, "user", [{ type: "text", text: event.content }]), ...about }]
  }
  if (event.type !== "assistant_message" || !Array.isArray(event.blocks)) return []
  const blocks = event.blocks.map(({ kind, content }) => ({ type: kind, text: content }))
  return [messageOf(event, "assistant", blocks)]
}

function messageOf(
  event: LogEvent,
  role: ConversationMessage["role"],
  blocks: ConversationBlock[],
): ConversationMessage {
  const parent_tool_call_id = "parent_tool_call_id" in event ? (event.parent_tool_call_id ?? null) : null
  const { seq, ts, run_id = null } = event
  return { seq, ts, run_id, role, source: null, display_as: null, images: [], parent_tool_call_id, blocks }
}

type ToolUse = ConversationBlock & { type: "tool_use" }

function toolUse({
  tool_call_id,
  tool,
  name,
  path,
  command,
  args,
  diff,
}: Extract<LogEvent, { type: "tool_call_started" }>): ToolUse {
  const about = {
    name: name ?? null,
    path: path ?? null,
    command: command ?? null,
    args: args ?? null,
    diff: diff ?? null,
  }
  return { type: "tool_use", tool_call_id, tool, ...about, result: null }
}

function finishTool(
  use: ToolUse | undefined,
  { exit_code, duration_ms, llm_summary, stdout_ref }: Extract<LogEvent, { type: "tool_call_finished" }>,
): void {
  if (use) use.result = { exit_code, duration_ms, summary: llm_summary, output: stdout_ref?.path ?? null }
}
