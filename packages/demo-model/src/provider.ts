import { type ModelEvent, type ModelProvider, type ModelRequest, noUsage } from "@switchyard/core/models/provider"
import type { Answer } from "./answer.ts"
import { answerTo } from "./answers.ts"

export interface DemoDeps {
  /** Pause between words. */
  paceMs: number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Creates `scripted/demo`, a model that doesn't need a key. It plans and writes small working projects by fixed rules;
 * their texts say so. It refuses other prompts with a `ModelError` whose message is for people. It is stateless and
 * doesn't count tokens.
 */
export function createDemoProvider(deps: DemoDeps): ModelProvider {
  return { name: "scripted", stream: (request, options) => speak(deps, request, options) }
}

async function* speak(
  { paceMs, sleep }: DemoDeps,
  request: ModelRequest,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ModelEvent> {
  const pause = async (words: number) => {
    await sleep(paceMs * words, signal)
    signal.throwIfAborted()
  }
  signal.throwIfAborted()
  const { text, calls = [] } = answerTo(request)
  for (const word of text.match(/\s*\S+/g) ?? []) {
    await pause(1)
    yield { type: "text", text: word }
  }
  for (const [index, call] of calls.entries()) {
    const written = toolCall(call, request, index)
    for (const argumentsDelta of piecesOf(written.rawArguments)) {
      await pause(1)
      yield { type: "tool_call_delta", index, name: written.name, argumentsDelta }
    }
    yield { type: "tool_call", call: written }
  }
  yield { type: "usage", usage: noUsage }
  yield { type: "end", stopReason: calls.length > 0 ? "tool_calls" : "end" }
}

/** Maximum number of chunks per file, so that a long file doesn't take too long. */
const MAX_PIECES = 40
const MIN_PIECE_CHARS = 24

function piecesOf(text: string): string[] {
  const chars = Math.max(MIN_PIECE_CHARS, Math.ceil(text.length / MAX_PIECES))
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, at) => text.slice(at * chars, (at + 1) * chars))
}

function toolCall({ name, args }: NonNullable<Answer["calls"]>[number], { messages }: ModelRequest, index: number) {
  return { id: `call_${messages.length}_${index}`, name, args, rawArguments: JSON.stringify(args) }
}
