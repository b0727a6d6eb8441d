import type { RawContentBlockDelta, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages"
import { anthropicSearches } from "./anthropic-searches.ts"
import { finishToolCall, truncatedStream, untilCut } from "./chat-chunks.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent, ToolCall, Usage } from "./provider.ts"
import { noUsage } from "./provider.ts"

interface OpenBlock {
  block: Record<string, unknown>
  /** A tool's input, which is JSON only when it is whole. */
  input: string
}

type StopReason = Extract<ModelEvent, { type: "end" }>["stopReason"]

interface FoldedMessage {
  blocks: Record<string, unknown>[]
  usage: Usage
  reason: string | null
  answered: boolean
}

/** The times that Anthropic may pause one answer, each after up to ten searches. */
const MAX_PAUSES = 10

/**
 * Folds the events of one answer. Its blocks are rebuilt for `raw`, for signed thinking and encrypted results must go back
 * unchanged. A message that Anthropic paused is opened again with the blocks so far. A stream without `message_stop` was cut,
 * and throws. Calls of `answerTool` are the answer itself, and come out as its text.
 */
export async function* anthropicEvents(
  open: (blocks: Record<string, unknown>[]) => Promise<AsyncIterable<RawMessageStreamEvent>>,
  answerTool?: string,
): AsyncGenerator<ModelEvent> {
  const blocks: Record<string, unknown>[] = []
  let usage: Usage = noUsage
  for (let pauses = 0; pauses <= MAX_PAUSES; pauses++) {
    const message = yield* messageEvents(await open(blocks), { answerTool, before: blocks.length })
    blocks.push(...message.blocks)
    usage = addUsages(usage, message.usage)
    const { reason, answered } = message
    if (reason === "pause_turn") continue
    for (const search of anthropicSearches(blocks)) yield { type: "web_search", search }
    yield { type: "usage", usage }
    // The answer tool's call was never shown to the caller, who could not answer it, so it can't be sent back either.
    if (answered) yield { type: "end", stopReason: reason === "tool_use" ? "end" : stopReason(reason) }
    else yield { type: "end", stopReason: stopReason(reason), raw: blocks }
    return
  }
  throw new ModelError("unknown_error", `anthropic paused one answer more than ${MAX_PAUSES} times.`)
}

/** `before`: the blocks of the answer that came in earlier messages. */
async function* messageEvents(
  events: AsyncIterable<RawMessageStreamEvent>,
  { answerTool, before }: { answerTool: string | undefined; before: number },
): AsyncGenerator<ModelEvent, FoldedMessage> {
  const blocks = new Map<number, OpenBlock>()
  let usage: Usage = noUsage
  let reason: string | null = null
  let stopped = false
  let answered = false
  const calls: ToolCall[] = []

  for await (const event of untilCut(events, () => stopped)) {
    if (event.type === "message_start") usage = addUsage(usage, event.message.usage)
    if (event.type === "content_block_start") {
      blocks.set(event.index, { block: { ...event.content_block }, input: "" })
    }
    if (event.type === "content_block_delta") {
      const open = blocks.get(event.index)
      if (open) addDelta(open, event.delta)
      const shown = open && shownBy(event.delta, { index: before + event.index, open, answerTool })
      if (shown) yield shown
    }
    if (event.type === "content_block_stop") {
      const call = closeBlock(blocks.get(event.index))
      if (call && call.name === answerTool) answered = true
      else if (call) calls.push(call)
    }
    if (event.type === "message_delta") {
      usage = addUsage(usage, event.usage)
      reason = event.delta.stop_reason ?? reason
    }
    if (event.type === "message_stop") stopped = true
  }

  if (!stopped) throw truncatedStream("anthropic")
  // Not before: after a call that was seen, a stream that breaks could not be asked for again.
  for (const call of calls) yield { type: "tool_call", call }
  return { blocks: [...blocks.values()].map(({ block }) => block), usage, reason, answered }
}

/** The event of a delta; undefined where it adds nothing. */
function shownBy(
  delta: RawContentBlockDelta,
  { index, open, answerTool }: { index: number; open: OpenBlock; answerTool: string | undefined },
): ModelEvent | undefined {
  if (delta.type === "text_delta") return delta.text ? { type: "text", text: delta.text } : undefined
  if (delta.type === "thinking_delta")
    return delta.thinking ? { type: "reasoning_delta", chars: delta.thinking.length } : undefined
  if (delta.type !== "input_json_delta" || delta.partial_json === "") return undefined
  const { name, type } = open.block
  if (name === answerTool) return { type: "text", text: delta.partial_json }
  // A server's own tools are run there; their calls are none of ours.
  if (type !== "tool_use") return undefined
  return { type: "tool_call_delta", index, name: String(name), argumentsDelta: delta.partial_json }
}

function addDelta(open: OpenBlock, delta: RawContentBlockDelta) {
  const { block } = open
  if (delta.type === "text_delta") block.text = `${block.text ?? ""}${delta.text}`
  if (delta.type === "thinking_delta") block.thinking = `${block.thinking ?? ""}${delta.thinking}`
  if (delta.type === "signature_delta") block.signature = delta.signature
  if (delta.type === "input_json_delta") open.input += delta.partial_json
  if (delta.type === "citations_delta") block.citations = [...((block.citations as unknown[]) ?? []), delta.citation]
}

function closeBlock(open: OpenBlock | undefined) {
  if (!open || !("input" in open.block)) return undefined
  const { id, name } = open.block
  // Several servers that imitate Anthropic's give all of a call's input with its beginning.
  const rawArguments = open.input || JSON.stringify(open.block.input ?? {})
  const call = finishToolCall({ id: String(id), name: String(name), rawArguments })
  open.block.input = call.args ?? {}
  return open.block.type === "tool_use" ? call : undefined
}

function stopReason(reason: string | null): StopReason {
  if (reason === "tool_use") return "tool_calls"
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "max_tokens"
  return reason === "refusal" ? "refusal" : "end"
}

interface ReportedUsage {
  input_tokens?: number | null
  cache_read_input_tokens?: number | null
  cache_creation_input_tokens?: number | null
  output_tokens?: number | null
}

/** Counts are cumulative, so a later one replaces an earlier one. */
function addUsage(usage: Usage, reported: ReportedUsage | null | undefined): Usage {
  return {
    input: reported?.input_tokens ?? usage.input,
    cacheRead: reported?.cache_read_input_tokens ?? usage.cacheRead,
    cacheWrite: reported?.cache_creation_input_tokens ?? usage.cacheWrite,
    output: reported?.output_tokens ?? usage.output,
  }
}

/** The usage of two messages; null only where neither reported any. */
function addUsages(a: Usage, b: Usage): Usage {
  const sum = (x: number | null, y: number | null) => (x === null && y === null ? null : (x ?? 0) + (y ?? 0))
  return {
    input: sum(a.input, b.input),
    cacheRead: sum(a.cacheRead, b.cacheRead),
    cacheWrite: sum(a.cacheWrite, b.cacheWrite),
    output: sum(a.output, b.output),
  }
}
