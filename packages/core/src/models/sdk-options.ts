import { ModelError } from "./errors.ts"
import type { ModelEvent } from "./provider.ts"
import { copyWithoutKey, toModelError } from "./provider-error.ts"

/** The options of every provider. Nothing is read from the environment, so all that an SDK would look up there is given. */
export interface ProviderOptions {
  apiKey: string
  baseUrl?: string
  /** The longest silence of a provider, before the first byte and between two, after which the call fails. */
  idleTimeoutMs?: number
  fetch?: typeof fetch
  now?: () => number
}

/** The network of an SDK client during one call. */
export interface Connection {
  fetch: typeof fetch
  signal: AbortSignal
}

const defaultIdleTimeoutMs = 120_000

/** Our watchdog is the only clock: an SDK's own would end a call that is alive. The greatest delay that a timer takes. */
export const noSdkTimeoutMs = 2 ** 31 - 1

/**
 * One model call around an SDK, which closes its connection however the call ends. An abort throws the signal's reason; everything
 * else that fails throws a `ModelError` without the API key in it.
 *
 * The network is watched beneath the SDKs because they hide what we must know: they end a stream silently when it is aborted,
 * swallow the pings that show that a provider is alive, and replace a network error by their own.
 */
export async function* modelCall(
  call: ProviderOptions & { provider: string; model: string },
  options: { signal: AbortSignal },
  open: (connection: Connection) => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  options.signal.throwIfAborted()
  // The call's own signal, for groq's SDK never takes its listener off, and a run's signal sees many calls.
  const signal = AbortSignal.any([options.signal])
  const network = watchNetwork(call)
  try {
    yield* open({ fetch: network.fetch, signal })
  } catch (error) {
    options.signal.throwIfAborted()
    throw toModelError(network.failure() ?? error, { ...call, now: call.now ?? Date.now })
  }
}

function watchNetwork(call: ProviderOptions & { provider: string }) {
  const send = call.fetch ?? fetch
  const idleTimeoutMs = call.idleTimeoutMs ?? defaultIdleTimeoutMs
  let failure: ModelError | undefined

  const watchedFetch: typeof fetch = async (input, init) => {
    const idle = new AbortController()
    const signal = init?.signal ? AbortSignal.any([init.signal, idle.signal]) : idle.signal
    const silence = new ModelError("connection_error", `${call.provider} sent nothing for ${idleTimeoutMs / 1000} s.`)

    const bytes = async <T>(waiting: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => idle.abort(silence), idleTimeoutMs)
      try {
        return await waiting
      } catch (error) {
        if (!init?.signal?.aborted) failure = idle.signal.aborted ? silence : brokenConnection(call, error)
        throw error
      } finally {
        clearTimeout(timer)
      }
    }

    const response = await bytes(send(input, { ...init, signal }))
    return new Response(response.body && watchBody(response.body, bytes), response)
  }
  return { fetch: watchedFetch, failure: () => failure }
}

/** Reads only when it is read from, so a slow reader is never taken for a silent provider. */
function watchBody(body: ReadableStream<Uint8Array>, bytes: <T>(waiting: Promise<T>) => Promise<T>) {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes(reader.read())
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

/** Node hides the reason, such as ECONNREFUSED, one or two causes below "fetch failed". */
export function networkCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth === 5) return undefined
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined
  return code ?? networkCode(error.cause, depth + 1)
}
