import { streamFailure } from "./bedrock-errors.ts"
import type { Frame } from "./bedrock-frames.ts"
import { type Block, isShown, type RawBlocks, toolUse } from "./bedrock-request.ts"
import { finishToolCall, truncatedStream, untilTruncated } from "./chat-chunks.ts"
import { ModelError } from "./errors.ts"
import { type ModelEvent, noUsage, type ToolCall, type Usage } from "./provider.ts"

type StopReason = Extract<ModelEvent, { type: "end" }>["stopReason"]

/** Block that the model is writing. */
interface OpenBlock {
  text: string
  thought: string
  signature: string
  /** Encrypted thinking. */
  redacted: Buffer[]
  call?: { id: string; name: string; input: string }
}

/** Stop reasons of answers whose form the service couldn't read. Another sample may be readable. */
const malformed = new Set(["malformed_model_output", "malformed_tool_use"])

/**
 * Folds the frames of one answer. Throws if the stream ends without `messageStop`. A call to `answerTool` is the answer
 * itself and is emitted as text.
 */
export async function* converseEvents(
  frames: AsyncIterable<Frame>,
  { model, answerTool }: { model: string; answerTool: string | undefined },
): AsyncGenerator<ModelEvent> {
  const blocks = new Map<number, OpenBlock>()
  let reason: string | undefined
  let usage: Usage | undefined

  function blockAt(index: number): OpenBlock {
    const block = blocks.get(index) ?? { text: "", thought: "", signature: "", redacted: [] }
    blocks.set(index, block)
    return block
  }

  for await (const { type, isException, fields } of untilTruncated(frames, () => reason !== undefined)) {
    if (isException) {
      if (reason === undefined) throw streamFailure(type, fields)
      break
    }
    if (type === "contentBlockStart") {
      const call = fields.start?.toolUse
      if (call) blockAt(fields.contentBlockIndex).call = { id: call.toolUseId, name: call.name, input: "" }
    }
    if (type === "contentBlockDelta" && fields.delta) {
      const index: number = fields.contentBlockIndex
      const shown = addDelta(blockAt(index), fields.delta, { index, answerTool })
      if (shown) yield shown
    }
    if (type === "messageStop") reason = fields.stopReason ?? "end_turn"
    if (type === "metadata" && fields.usage) usage = usageOf(fields.usage)
  }

  if (reason === undefined) throw truncatedStream("bedrock")
  if (malformed.has(reason)) {
    const message = `bedrock couldn't read the model's output (${reason}).`
    throw new ModelError("provider_error", message, { retryable: true, usage })
  }
  const ends = stopReason(reason)
  // Yield calls only at the end, because a broken stream can't be retried once the caller has seen a call.
  const isCut = ends === "max_tokens" || ends === "refusal"
  const written = Array.from(blocks.entries()).sort(([a], [b]) => a - b)
  const finished = written.map(([, block]) => ({ block, call: finishedCall(block, isCut) }))
  const calls = finished.flatMap(({ call }) => call ?? [])
  for (const call of calls) if (call.name !== answerTool) yield { type: "tool_call", call }
  yield { type: "usage", usage: usage ?? noUsage }
  // The caller didn't see the call to the answer tool and can't send its result, so the call must not be sent back.
  if (calls.some(({ name }) => name === answerTool)) {
    yield { type: "end", stopReason: ends === "tool_calls" ? "end" : ends }
    return
  }
  const raw: RawBlocks = { bedrock: finished.flatMap(({ block, call }) => sentBack(block, call)), model }
  const stopped = ends === "end" && calls.length > 0 ? "tool_calls" : ends
  yield { type: "end", stopReason: stopped, raw, ...explanation(reason) }
}

/** Delta of a block: text, input of a call, or thinking. */
interface Delta {
  text?: string
  toolUse?: { input?: string }
  reasoningContent?: { text?: string; signature?: string; redactedContent?: string }
}

/** Adds a delta to its block. Returns the event for it, or undefined if there is nothing to show. */
function addDelta(
  block: OpenBlock,
  { text, toolUse: written, reasoningContent: thinking }: Delta,
  { index, answerTool }: { index: number; answerTool: string | undefined },
): ModelEvent | undefined {
  if (thinking?.signature) block.signature += thinking.signature
  if (thinking?.redactedContent) block.redacted.push(Buffer.from(thinking.redactedContent, "base64"))
  if (thinking?.text) {
    block.thought += thinking.text
    return { type: "reasoning_delta", chars: thinking.text.length }
  }
  if (text) {
    block.text += text
    return { type: "text", text }
  }
  if (!written?.input || !block.call) return undefined
  block.call.input += written.input
  const { name } = block.call
  if (name === answerTool) return { type: "text", text: written.input }
  return { type: "tool_call_delta", index, name, argumentsDelta: written.input }
}

function finishedCall({ call }: OpenBlock, isCut: boolean): ToolCall | undefined {
  return call && finishToolCall({ id: call.id, name: call.name, rawArguments: call.input || "{}" }, { isCut })
}

/** Returns a block in the form that Converse accepts. Thinking without a signature is refused, and so is blank text. */
function sentBack({ text, thought, signature, redacted }: OpenBlock, call: ToolCall | undefined): Block[] {
  if (call) return [toolUse(call)]
  if (redacted.length > 0) {
    return [{ reasoningContent: { redactedContent: Buffer.concat(redacted).toString("base64") } }]
  }
  if (signature !== "") return [{ reasoningContent: { reasoningText: { text: thought, signature } } }]
  return isShown(text) ? [{ text }] : []
}

function stopReason(reason: string): StopReason {
  if (reason === "tool_use") return "tool_calls"
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "max_tokens"
  return ["content_filtered", "guardrail_intervened", "refusal"].includes(reason) ? "refusal" : "end"
}

function explanation(reason: string): { reason?: string } {
  return reason === "guardrail_intervened" ? { reason: "A guardrail of the AWS account stopped the answer." } : {}
}

interface ReportedUsage {
  inputTokens?: number
  outputTokens?: number
  cacheReadInputTokens?: number
  cacheWriteInputTokens?: number
}

/** Converts usage. Like ours, Bedrock's input excludes cached tokens. */
function usageOf(reported: ReportedUsage): Usage {
  return {
    input: reported.inputTokens ?? null,
    cacheRead: reported.cacheReadInputTokens ?? null,
    cacheWrite: reported.cacheWriteInputTokens ?? null,
    output: reported.outputTokens ?? null,
  }
}
