import { endsInLoneSurrogate, wellFormedJson } from "../text/well-formed.ts"
import { checkResponse } from "./check-response.ts"
import { ModelError } from "./errors.ts"
import { limitInHeaders, type PlanLimit } from "./plan-limit.ts"
import type { ModelEvent, StreamOptions } from "./provider.ts"
import { copyWithoutKey, toModelError } from "./provider-error.ts"
import type { WebSearchSettings } from "./web-search.ts"

/** Options for all providers. They include everything that SDKs would otherwise read from the environment. */
export interface ProviderOptions {
  apiKey: string
  baseUrl: string
  /** Maximum wait for the headers, and again for the first byte of the body. When it is exceeded, the call fails. */
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
 * Longest delay that a timer supports. Only our own watchdog may end a call, because an SDK's timeout would also end a
 * call that is still receiving data.
 */
export const noSdkTimeoutMs = 2 ** 31 - 1

/**
 * Makes one model call through an SDK. Closes the connection however the call ends. An abort throws the signal's
 * reason; other failures throw a `ModelError` without the API key. The network is watched at a level below the SDKs,
 * because SDKs hide important facts: they end an aborted stream silently, drop keep-alive pings, and replace network
 * errors with their own.
 */
export async function* modelCall(
  call: ProviderOptions & { provider: string; model: string; hasImages?: boolean },
  options: StreamOptions,
  open: (connection: Connection) => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  options.signal.throwIfAborted()
  // Create a signal per call, because Groq's SDK never removes its listener, and a run's signal outlives many calls.
  const signal = AbortSignal.any([options.signal])
  const network = watchNetwork(call, options)
  try {
    yield* withPlanLimit(inWholeCharacters(open({ fetch: network.fetch, signal })), network.limit)
  } catch (error) {
    options.signal.throwIfAborted()
    throw toModelError(network.failure() ?? error, { ...call, now: call.now ?? Date.now })
  }
}

/** Yields the plan's limit before the first event, if the response's headers contain one. */
async function* withPlanLimit(
  events: AsyncIterable<ModelEvent>,
  stated: () => PlanLimit | undefined,
): AsyncGenerator<ModelEvent> {
  let isFirst = true
  for await (const event of events) {
    const limit = isFirst ? stated() : undefined
    isFirst = false
    if (limit) yield { type: "plan_limit", limit }
    yield event
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

function watchNetwork(call: ProviderOptions & { provider: string; model: string }, { onAccepted }: StreamOptions) {
  const send = call.fetch ?? fetch
  const { firstByteTimeoutMs = defaultTimeoutMs, idleTimeoutMs = defaultTimeoutMs } = call
  let failure: ModelError | undefined
  let limit: PlanLimit | undefined

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

    // Repair truncated characters. If a tool result ends inside a character, providers reject the conversation, now and
    // in all later requests.
    const body = typeof init?.body === "string" ? wellFormedJson(init.body) : init?.body
    const response = await bytes(send(input, { ...init, body, signal, redirect: "manual" }), true)
    limit = limitInHeaders(response.headers)
    if (response.ok) onAccepted?.()
    const watched = new Response(response.body && watchBody(response.body, bytes), response)
    try {
      return await checkResponse(watched, { ...call, url: response.url })
    } catch (error) {
      if (error instanceof ModelError) failure = error
      throw error
    }
  }
  return { fetch: watchedFetch, failure: () => failure, limit: () => limit }
}

function silenceOf(provider: string, ms: number): ModelError {
  return new ModelError("connection_error", `${provider} sent nothing for ${ms / 1000} s.`)
}

/** Reads only on demand. Otherwise, a slow reader would look like a silent provider. */
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
