import { endsInLoneSurrogate, wellFormedJson } from "../text/well-formed.ts"
import { checkResponse } from "./check-response.ts"
import { ModelError } from "./errors.ts"
import type { ModelEvent } from "./provider.ts"
import { copyWithoutKey, toModelError } from "./provider-error.ts"
import type { WebSearchSettings } from "./web-search.ts"

/** Options shared by all providers. They include everything that SDKs would otherwise read from the environment. */
export interface ProviderOptions {
  apiKey: string
  baseUrl: string
  /** Maximum wait for the headers, and again for the first byte of the body. After that, the call fails. */
  firstByteTimeoutMs?: number
  /** Maximum time without data after the first byte. */
  idleTimeoutMs?: number
  fetch?: typeof fetch
  now?: () => number
  webSearch?: WebSearchSettings
}

/** Network access of an SDK client during one call. */
export interface Connection {
  fetch: typeof fetch
  signal: AbortSignal
}

const defaultTimeoutMs = 120_000

/**
 * Largest delay a timer supports. Only our own watchdog may end a call, because an SDK's timeout would end a call that
 * is still receiving data.
 */
export const noSdkTimeoutMs = 2 ** 31 - 1

/**
 * Makes one model call through an SDK. Closes the connection however the call ends. An abort throws the signal's
 * reason; other failures throw a `ModelError` without the API key.
 * The network is watched below the SDKs, because they hide important facts: they end an aborted stream silently, drop
 * keep-alive pings, and replace network errors with their own.
 */
export async function* modelCall(
  call: ProviderOptions & { provider: string; model: string },
  options: { signal: AbortSignal },
  open: (connection: Connection) => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  options.signal.throwIfAborted()
  // Create a signal per call, because Groq's SDK never removes its listener, and a run's signal outlives many calls.
  const signal = AbortSignal.any([options.signal])
  const network = watchNetwork(call)
  try {
    yield* inWholeCharacters(open({ fetch: network.fetch, signal }))
  } catch (error) {
    options.signal.throwIfAborted()
    throw toModelError(network.failure() ?? error, { ...call, now: call.now ?? Date.now })
  }
}

/** Yields the same events, but never splits a surrogate pair between two pieces of text. */
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

    // Repair characters that were cut, because providers reject a conversation with a tool result that ends inside a
    // character, and would keep rejecting it.
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

/** Reads only on demand, so that a slow reader isn't mistaken for a silent provider. */
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

/** Returns the error code, such as ECONNREFUSED. Node nests it one or two causes below "fetch failed". */
export function networkCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth === 5) return undefined
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  return code ?? networkCode(error.cause, depth + 1)
}
