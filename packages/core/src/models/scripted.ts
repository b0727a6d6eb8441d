import { type ModelEvent, type ModelProvider, type ModelRequest, noUsage } from "./provider.ts"

/** The answer to one call: these events, or this error. A promise between the events is waited for. */
export type ScriptedAnswer = (ModelEvent | Promise<unknown>)[] | Error

/** Answers in the order of the calls, or a function of the request; `index` counts calls from 0. */
export type Script = ScriptedAnswer[] | ((request: ModelRequest, index: number) => ScriptedAnswer)

/**
 * A provider that says what a test has written down for it, and remembers what it was asked. A test that wants to hold a
 * stream at some point puts a promise there and resolves it when it likes; an abort ends that wait too.
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

/** The events of a whole answer in text. */
export function textAnswer(text: string): ModelEvent[] {
  return [
    { type: "text", text },
    { type: "usage", usage: noUsage },
    { type: "end", stopReason: "end" },
  ]
}

/** The events of an answer that calls one tool. */
export function toolAnswer(name: string, args: unknown, text = ""): ModelEvent[] {
  const call = { id: `call_${name}`, name, args, rawArguments: JSON.stringify(args) }
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    { type: "tool_call", call },
    { type: "usage", usage: noUsage },
    { type: "end", stopReason: "tool_calls" },
  ]
}

/** The same, with deltas of the arguments before the call, as real providers stream them. */
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
