import { type ModelEvent, type ModelProvider, type ModelRequest, noUsage } from "./provider.ts"

/** Answer to one call: events or an error. A promise between the events is awaited. */
export type ScriptedAnswer = (ModelEvent | Promise<unknown>)[] | Error

/** Answers in the order of the calls, or a function of the request. `index` counts calls from 0. */
export type Script = ScriptedAnswer[] | ((request: ModelRequest, index: number) => ScriptedAnswer)

/**
 * Creates a provider that replays a test's script and records its requests. A test can hold a stream with a promise in
 * the script. An abort ends that wait too.
 */
export function createScriptedProvider(script: Script): ModelProvider & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    name: "scripted",
    requests,
    async *stream(request, { signal }) {
      const index = requests.push(request) - 1
      const answer = typeof script === "function" ? script(request, index) : script[index]
      if (answer === undefined) throw new Error(`The script has no answer for call ${index + 1}.`)
      if (answer instanceof Error) throw answer
      for (const step of answer) {
        signal.throwIfAborted()
        if (step instanceof Promise) await unlessAborted(step, signal)
        else yield step
      }
    },
  }
}

/** Returns the events of a complete text answer. */
export function textAnswer(text: string): ModelEvent[] {
  return [
    { type: "text", text },
    { type: "usage", usage: noUsage },
    { type: "end", stopReason: "end" },
  ]
}

/** Returns the events of an answer that calls one tool. */
export function toolAnswer(name: string, args: unknown, text = ""): ModelEvent[] {
  const call = { id: `call_${name}`, name, args, rawArguments: JSON.stringify(args) }
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    { type: "tool_call", call },
    { type: "usage", usage: noUsage },
    { type: "end", stopReason: "tool_calls" },
  ]
}

/** Returns the same events, with deltas of the arguments before the call, as real providers stream them. */
export function streamedToolAnswer(name: string, args: unknown, deltaChars = 40): ModelEvent[] {
  return [...deltasOf(name, JSON.stringify(args), deltaChars), ...toolAnswer(name, args)]
}

function deltasOf(name: string, rawArguments: string, deltaChars: number): ModelEvent[] {
  const parts = rawArguments.match(new RegExp(`[\\s\\S]{1,${deltaChars}}`, "g")) ?? []
  return parts.map((argumentsDelta) => ({ type: "tool_call_delta", index: 0, name, argumentsDelta }))
}

async function unlessAborted(gate: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener("abort", abort, { once: true })
  try {
    await Promise.race([gate, aborted.promise])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}
