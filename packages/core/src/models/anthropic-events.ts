import type { Message, RawContentBlockDelta, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages"
import { anthropicSearches } from "./anthropic-searches.ts"
import { finishToolCall, truncatedStream, untilTruncated } from "./chat-chunks.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent, ToolCall, Usage } from "./provider.ts"
import { noUsage } from "./provider.ts"

interface OpenBlock {
  block: Record<string, unknown>
  /** Tool input so far, as JSON text. It becomes valid JSON only when it is complete. */
  input: string
}

type StopReason = Extract<ModelEvent, { type: "end" }>["stopReason"]

interface FoldedMessage {
  blocks: Record<string, unknown>[]
  usage: Usage
  reason: string | null
  /** Reason that the model gave for a refusal. */
  explanation: string | undefined
  answered: boolean
}

/** Maximum number of pauses in one answer. Anthropic pauses after up to ten searches. */
const MAX_PAUSES = 10

/**
 * Folds the events of one answer. Rebuilds its blocks for `raw`, because signed thinking and encrypted results must be
 * sent back unchanged. If Anthropic pauses the answer, calls `open` again with the blocks so far. Throws if the stream
 * ends without `message_stop`. A call to `answerTool` is the answer itself and is emitted as text.
 */
export async function* anthropicEvents(
  open: (
    blocks: Record<string, unknown>[],
  ) => Promise<AsyncIterable<RawMessageStreamEvent> | Iterable<RawMessageStreamEvent>>,
  answerTool?: string,
): AsyncGenerator<ModelEvent> {
  const blocks: Record<string, unknown>[] = []
  let usage: Usage = noUsage
  for (let pauses = 0; pauses <= MAX_PAUSES; pauses++) {
    const message = yield* messageEvents(await open(blocks), { answerTool, before: blocks.length })
    blocks.push(...message.blocks)
    usage = addUsages(usage, message.usage)
    const { reason, answered, explanation } = message
    if (reason === "pause_turn") continue
    for (const search of anthropicSearches(blocks)) yield { type: "web_search", search }
    yield { type: "usage", usage }
    // The caller didn't see the call to the answer tool and can't send its result, so the call must not be sent back.
    if (answered) yield { type: "end", stopReason: reason === "tool_use" ? "end" : stopReason(reason) }
    else yield { type: "end", stopReason: stopReason(reason), raw: blocks, ...(explanation && { reason: explanation }) }
    return
  }
  throw new ModelError("provider_error", `anthropic paused one answer more than ${MAX_PAUSES} times.`)
}

/** Folds the events of one message. `before` is the number of blocks in the answer's earlier messages. */
async function* messageEvents(
  events: AsyncIterable<RawMessageStreamEvent> | Iterable<RawMessageStreamEvent>,
  { answerTool, before }: { answerTool: string | undefined; before: number },
): AsyncGenerator<ModelEvent, FoldedMessage> {
  const blocks: OpenBlock[] = []
  /** Newest block for each index, because Anthropic-compatible servers may reuse an index. */
  const byIndex = new Map<number, OpenBlock>()
  let usage: Usage = noUsage
  let reason: string | null = null
  let explanation: string | undefined
  let stopped = false

  function openBlock(index: number, block: object): OpenBlock {
    const open = { block: { ...block }, input: "" }
    blocks.push(open)
    byIndex.set(index, open)
    return open
  }

  for await (const event of untilTruncated(events, () => stopped)) {
    if (event.type === "message_start") usage = addUsage(usage, event.message?.usage)
    if (event.type === "content_block_start") openBlock(event.index, event.content_block)
    if (event.type === "content_block_delta" && event.delta) {
      const { index, delta } = event
      const isText = delta.type === "text_delta"
      const open = byIndex.get(index) ?? (isText ? openBlock(index, { type: "text", text: "" }) : undefined)
      if (open) addDelta(open, delta)
      const shown = open && shownBy(delta, { index: before + blocks.indexOf(open), open, answerTool })
      if (shown) yield shown
    }
    if (event.type === "message_delta") {
      usage = addUsage(usage, event.usage)
      reason = event.delta?.stop_reason ?? reason
      explanation = event.delta?.stop_details?.explanation ?? explanation
    }
    if (event.type === "message_stop") stopped = true
  }

  if (!stopped) throw truncatedStream("anthropic")
  // Yield calls only at the end. Only then is it known whether the last call was cut off. Also, a broken stream can't
  // be retried once the caller has seen a call. Some compatible servers never close a block.
  const isCut = ["max_tokens", "refusal"].includes(stopReason(reason))
  const calls = blocks.flatMap((open) => finishCall(open, { isCut }) ?? [])
  for (const call of calls) if (call.name !== answerTool) yield { type: "tool_call", call }
  const answered = calls.some(({ name }) => name === answerTool)
  return { blocks: blocks.map(({ block }) => block).filter(isSendable), usage, reason, explanation, answered }
}

/** Converts a non-streamed message to stream events. */
export function* asMessageEvents(message: Message): Generator<RawMessageStreamEvent> {
  yield { type: "message_start", message }
  for (const [index, block] of message.content.entries()) {
    const isText = block.type === "text"
    yield { type: "content_block_start", index, content_block: isText ? { ...block, text: "" } : block }
    if (isText) yield { type: "content_block_delta", index, delta: { type: "text_delta", text: block.text } }
    yield { type: "content_block_stop", index }
  }
  const { stop_reason, stop_sequence, stop_details, container, usage } = message
  const delta = { stop_reason, stop_sequence, stop_details, container }
  yield { type: "message_delta", delta, usage }
  yield { type: "message_stop" }
}

/** Returns true for blocks that can be sent back. Anthropic rejects thinking that has no signature. */
function isSendable({ type, signature }: Record<string, unknown>): boolean {
  return type !== "thinking" || Boolean(signature)
}

/** Returns the event for a delta, or undefined if there's nothing to show. */
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
  // Ignore server tools. They run at the provider, so the caller must not see their calls.
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

/** Parses a block's input. Returns the call, unless the provider itself runs it. */
function finishCall({ block, input }: OpenBlock, options: { isCut: boolean }): ToolCall | undefined {
  if (!("input" in block)) return undefined
  const { id, name } = block
  // Several Anthropic-compatible servers send a call's whole input in its first event.
  const rawArguments = input || JSON.stringify(block.input ?? {})
  const call = finishToolCall({ id: String(id), name: String(name), rawArguments }, options)
  block.input = call.args ?? {}
  return block.type === "tool_use" ? call : undefined
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

/** Merges reported counts. They are cumulative, so a later count replaces an earlier one. */
function addUsage(usage: Usage, reported: ReportedUsage | null | undefined): Usage {
  return {
    input: reported?.input_tokens ?? usage.input,
    cacheRead: reported?.cache_read_input_tokens ?? usage.cacheRead,
    cacheWrite: reported?.cache_creation_input_tokens ?? usage.cacheWrite,
    output: reported?.output_tokens ?? usage.output,
  }
}

/** Adds the usage of two messages. A count is null only if neither message reported it. */
function addUsages(a: Usage, b: Usage): Usage {
  const sum = (x: number | null, y: number | null) => (x === null && y === null ? null : (x ?? 0) + (y ?? 0))
  return {
    input: sum(a.input, b.input),
    cacheRead: sum(a.cacheRead, b.cacheRead),
    cacheWrite: sum(a.cacheWrite, b.cacheWrite),
    output: sum(a.output, b.output),
  }
}
