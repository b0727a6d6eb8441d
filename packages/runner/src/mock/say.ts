import { randomUUID } from "node:crypto"

/** Writes a message in Claude's control protocol. */
export function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** Writes one content block of the agent's response. If `read` is given, also reports that number of input tokens. */
export function block(content: object, read?: number): void {
  const usage = read === undefined ? {} : { model: "mock", usage: { input_tokens: read, output_tokens: 1 } }
  say({ type: "assistant", message: { id: randomUUID(), content: [content], ...usage } })
}

export function text(content: string): void {
  block({ type: "text", text: content })
}

/** Ends the turn. If `contextWindow` is given, also reports it. */
export function sayDone(result: string, contextWindow?: number): void {
  const usage = { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 10 }
  const modelUsage = contextWindow === undefined ? {} : { mock: { contextWindow } }
  say({ type: "result", subtype: "success", is_error: false, usage, modelUsage, total_cost_usd: 0, result })
}

export function sayLimit(info: object): void {
  say({ type: "rate_limit_event", rate_limit_info: info })
}
