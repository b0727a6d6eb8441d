import { type Decoded, list, number, object, oneOf, orNull, text } from "../../api/decode.ts"
import type { EventOfType, StudioEvent } from "../stream/event.ts"

const result = object({ exit_code: orNull(number), duration_ms: number, summary: text, output: orNull(text) })
const block = object({
  type: oneOf("text", "thinking", "tool_use"),
  text: { parse: (value: unknown) => (typeof value === "string" ? value : "") },
})
const call = object({
  type: oneOf("tool_use"),
  tool_call_id: text,
  tool: text,
  name: orNull(text),
  path: orNull(text),
  command: orNull(text),
  args: orNull(text),
  diff: orNull(text),
  result: orNull(result),
})
const anyBlock = {
  parse: (value: unknown): Decoded<typeof block> | Decoded<typeof call> => {
    const { type, text: said } = block.parse(value)
    return type === "tool_use" ? call.parse(value) : { type, text: said }
  },
}

export const ThreadPage = object({
  messages: list(
    object({
      seq: number,
      ts: text,
      run_id: orNull(text),
      role: oneOf("user", "assistant"),
      source: orNull(text),
      display_as: orNull(text),
      images: list(text),
      parent_tool_call_id: orNull(text),
      blocks: list(anyBlock),
    }),
  ),
  before: orNull(number),
})
export type ThreadPage = Decoded<typeof ThreadPage>
type Message = ThreadPage["messages"][number]

/** Returns the events that a page describes, so that it folds like the live log. */
export function pageEvents({ messages }: Pick<ThreadPage, "messages">, agentId: string): StudioEvent[] {
  return messages.flatMap((message) => messageEvents(message, agentId))
}

function messageEvents(message: Message, agent_id: string): StudioEvent[] {
  const { seq, ts, run_id, parent_tool_call_id } = message
  const header = { event_id: "", seq, ts, agent_id, ...(run_id !== null && { run_id }) }
  const parent = parent_tool_call_id === null ? {} : { parent_tool_call_id }
  if (message.role === "user") return [{ ...header, ...told(message) }]
  const events: StudioEvent[] = []
  const said: { kind: "text" | "thinking"; content: string }[] = []
  for (const one of message.blocks) {
    if ("tool_call_id" in one) events.push(...callEvents(one, { ...header, ...parent }))
    else if (one.type !== "tool_use") said.push({ kind: one.type, content: one.text })
  }
  return said.length > 0 ? [{ ...header, ...parent, type: "assistant_message", blocks: said }, ...events] : events
}

function told({ source, display_as, images, blocks }: Message) {
  const [first] = blocks
  return {
    type: "user_message" as const,
    source: source ?? "api",
    content: first && "text" in first ? first.text : "",
    ...(display_as !== null && { display_as }),
    images: images.map((path) => path.slice(path.lastIndexOf("/") + 1)),
  }
}

type Header = Pick<EventOfType<"tool_call_started">, "event_id" | "seq" | "ts" | "run_id" | "agent_id">

function callEvents(use: Decoded<typeof call>, header: Header): StudioEvent[] {
  const { tool_call_id, tool, name, path, command, args, diff, result } = use
  const about = { name, path, command, args, diff }
  const known = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null))
  const started = { ...header, type: "tool_call_started" as const, tool_call_id, tool, ...known }
  if (!result) return [started]
  const { exit_code, duration_ms, summary, output } = result
  const { event_id, seq, ts } = header
  const ended = { event_id, seq, ts, type: "tool_call_finished" as const, tool_call_id, exit_code, duration_ms }
  return [started, { ...ended, llm_summary: summary, ...(output !== null && { stdout_ref: { path: output } }) }]
}
