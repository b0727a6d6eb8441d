import { endsInLoneSurrogate, wellFormedJson } from "../text/well-formed.ts"
import { checkResponse } from "./check-response.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent } from "./provider.ts"
import { copyWithoutKey, toModelError } from "./provider-error.ts"
import type { WebSearchSettings } from "./web-search.ts"

/**
 * Options of every provider. SDKs must not read the environment, so everything they would look up there is passed in.
 */
export interface ProviderOptions {
  apiKey: string
  baseUrl: string
  /** Maximum wait for the headers, and then for the first byte of a response, before the call fails. */
  firstByteTimeoutMs?: number
  /** Maximum silence between two bytes. */
  idleTimeoutMs?: number
  fetch?: typeof fetch
  now?: () => number
  webSearch?: WebSearchSettings
}

/** Network of an SDK client during one call. */
export interface Connection {
  fetch: typeof fetch
  signal: AbortSignal
}

const defaultTimeoutMs = 120_000

/** Largest delay of a timer. Our watchdog is the only clock, because an SDK's timeout would end a live call. */
export const noSdkTimeoutMs = 2 ** 31 - 1

/**
 * Makes one model call through an SDK, and closes its connection however the call ends. An abort throws the signal's
 * reason. Other failures throw a `ModelError` without the API key.
 * The network is watched below the SDKs, because they hide important facts. They end a stream silently when it is
 * aborted, drop the pings of a live provider, and replace network errors by their own.
 */
export async function* modelCall(
  call: ProviderOptions & { provider: string; model: string },
  options: { signal: AbortSignal },
  open: (connection: Connection) => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  options.signal.throwIfAborted()
  // The call's own signal. Groq's SDK never removes its listener, and a run's signal lives through many calls.
  const signal = AbortSignal.any([options.signal])
  const network = watchNetwork(call)
  try {
    yield* inWholeCharacters(open({ fetch: network.fetch, signal }))
  } catch (error) {
    options.signal.throwIfAborted()
    throw toModelError(network.failure() ?? error, { ...call, now: call.now ?? Date.now })
  }
}

/** Yields the same events, without characters split between two pieces of text. */
async function* inWholeCharacters(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  let half = ""
  for await (const event of events) {
    if (event.type !== "text") {
      if (half !== "") yield { type: "text", text: half }
      half = ""
      yield event
      continue
    }
    const text = half + event.text
    half = endsInLoneSurrogate(text) ? text.slice(-1) : ""
    if (text !== half) yield { ...event, text: text.slice(0, text.length - half.length) }
  }
}

function watchNetwork(call: ProviderOptions & { provider: string; model: string }) {
  const send = call.fetch ?? fetch
  const { firstByteTimeoutMs = defaultTimeoutMs, idleTimeoutMs = defaultTimeoutMs } = call
  let failure: ModelError | undefined

  const watchedFetch: typeof fetch = async (input, init) => {
    const idle = new AbortController()
    const signal = init?.signal ? AbortSignal.any([init.signal, idle.signal]) : idle.signal
    const bytes = async <T>(waiting: Promise<T>, isFirst: boolean): Promise<T> => {
      const timeoutMs = isFirst ? firstByteTimeoutMs : idleTimeoutMs
      const timer = setTimeout(() => idle.abort(silenceOf(call.provider, timeoutMs)), timeoutMs)
      try {
        return await waiting
      } catch (error) {
        if (!init?.signal?.aborted) failure = idle.signal.aborted ? idle.signal.reason : brokenConnection(call, error)
        throw error
      } finally {
        clearTimeout(timer)
      }
    }

    // A model's API refuses a conversation with a tool result that was cut inside a character, and would keep refusing
    // it.
    const body = typeof init?.body === "string" ? wellFormedJson(init.body) : init?.body
    const response = await bytes(send(input, { ...init, body, signal, redirect: "manual" }), true)
    const watched = new Response(response.body && watchBody(response.body, bytes), response)
    try {
      return await checkResponse(watched, { ...call, url: response.url })
    } catch (error) {
      if (error instanceof ModelError) failure = error
      throw error
    }
  }
  return { fetch: watchedFetch, failure: () => failure }
}

function silenceOf(provider: string, ms: number): ModelError {
  return new ModelError("connection_error", `${provider} sent nothing for ${ms / 1000} s.`)
}

/** Reads only on demand, so a slow reader isn't taken for a silent provider. */
function watchBody(body: ReadableStream<Uint8Array>, bytes: <T>(waiting: Promise<T>, isFirst: boolean) => Promise<T>) {
  const reader = body.getReader()
  let isFirst = true
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes(reader.read(), isFirst)
        isFirst = false
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function brokenConnection(call: { provider: string; apiKey: string }, error: unknown): ModelError {
  const code = networkCode(error)
  const message = `The connection to ${call.provider} failed${code ? ` (${code})` : ""}.`
  return new ModelError("connection_error", message, { cause: copyWithoutKey(error, call.apiKey) })
}

/** Returns the reason, such as ECONNREFUSED. Node hides it one or two causes below "fetch failed". */
export function networkCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth === 5) return undefined
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  return code ?? networkCode(error.cause, depth + 1)
}
