import { EventSourceParserStream } from "eventsource-parser/stream"
import { type StudioEvent, toEvent } from "./event.ts"

export type StreamNews =
  | { type: "connected" }
  | { type: "received"; event: StudioEvent }
  /** The connection is gone and will be tried again, by itself, in so many milliseconds. */
  | { type: "lost"; retryMs: number; reason: string }
  /** The log isn't the one that we were reading: fold it anew from its beginning. */
  | { type: "replaced" }
  /** The session isn't there any more, or isn't ours. */
  | { type: "gone"; status: number }

export interface SubscribeDeps {
  fetch: typeof fetch
  /** Resolves after so many milliseconds, or sooner if the network came back. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  random(): number
}

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
const CONNECT_WITHIN_MS = 10_000
/** The server says something every 15 s; whoever is silent for three of them is dead, whatever the socket thinks. */
const SILENCE_MS = 45_000

/**
 * A session's events after `since`, for as long as the reader stays: a connection that ends, fails or falls silent is made
 * again from the last event on, so none is missed and none comes twice.
 */
export async function* subscribe(
  deps: SubscribeDeps,
  url: string,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<StreamNews> {
  let seq = since
  let failures = 0
  while (!signal.aborted) {
    let reason = "The connection ended."
    try {
      const heard = () => {
        failures = 0
      }
      for await (const news of connection(deps, `${url}?since_seq=${seq}`, heard, signal)) {
        if (news.type === "received") {
          if (news.event.seq <= seq) continue
          seq = news.event.seq
        }
        yield news
        if (news.type === "replaced" || news.type === "gone") return
      }
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      reason = error instanceof Error ? error.message : String(error)
    }
    // A server that ends a stream in good order means: come again. That is no failure, and nobody need be told.
    const retryMs = failures === 0 ? deps.random() * 300 : backoff(failures, deps.random())
    if (failures > 0) yield { type: "lost", retryMs, reason }
    await deps.pause(retryMs, { signal })
  }
}

/** 1 s, doubled up to 30 s, less up to a half, so that not everyone comes back at once. */
function backoff(failures: number, random: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)) * (1 - random / 2)
}

async function* connection(
  deps: SubscribeDeps,
  url: string,
  onHeard: () => void,
  signal: AbortSignal,
): AsyncGenerator<StreamNews> {
  let silent = true
  const silence = createWatchdog(CONNECT_WITHIN_MS)
  try {
    const answer = await deps.fetch(url, {
      headers: { accept: "text/event-stream" },
      signal: AbortSignal.any([signal, silence.signal]),
      cache: "no-store",
    })
    if (answer.status === 410) return yield { type: "replaced" }
    if (answer.status === 404 || answer.status === 401) return yield { type: "gone", status: answer.status }
    if (!answer.ok || !answer.body) throw new Error(`The server answered ${answer.status}.`)
    silence.reset(SILENCE_MS)
    yield { type: "connected" }
    const notice = () => {
      silent = false
      silence.reset(SILENCE_MS)
      onHeard()
    }
    const heard = answer.body.pipeThrough(noticing(notice))
    const frames = heard.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const frame of iterate(frames)) {
      if (frame.event === "resync") return yield { type: "replaced" }
      if (frame.event === "event") yield { type: "received", event: toEvent(JSON.parse(frame.data)) }
    }
    // Whatever answered so, it wasn't the server: that begins every stream with how soon to come again.
    if (silent) throw new Error("The server said nothing.")
  } finally {
    silence.stop()
  }
}

/** Aborts when it isn't reset in time. */
function createWatchdog(ms: number) {
  const controller = new AbortController()
  const bite = () => controller.abort(new Error("The server said nothing."))
  let timer = setTimeout(bite, ms)
  const stop = () => clearTimeout(timer)
  const reset = (next: number) => {
    stop()
    timer = setTimeout(bite, next)
  }
  return { signal: controller.signal, stop, reset }
}

function noticing(notice: () => void) {
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      notice()
      controller.enqueue(chunk)
    },
  })
}

/** Not every browser can iterate over a stream yet. */
async function* iterate<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
