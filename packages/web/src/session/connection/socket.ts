import { anything, isObject, list, text } from "../../api/decode.ts"
import type { ConnectionUpdate, Send } from "./connection-update.ts"
import { createQueue } from "./queue.ts"
import { createWatchdog, SILENCE_MS } from "./watchdog.ts"

export interface SocketDeps {
  /** Opens a browser WebSocket. */
  open(url: string): WebSocket
  /** Returns the URL of a WebSocket for these sources. It may be valid only once. */
  urlOf(sources: string, options: { signal: AbortSignal }): Promise<string>
}

/** A cold-started function takes seconds. Without a WebSocket, a stream is available immediately. */
const OPENS_WITHIN_MS = 5_000
const REPLIES_WITHIN_MS = 5_000
/** API Gateway's limit for messages from clients. */
const MAX_SENT = 30_000
/** Maximum text waiting to be processed by the page. Unlike a stream, a WebSocket can't be read more slowly. */
const MAX_WAITING = 8_000_000
/** Close codes of a normal end: the server stopped, or the connection reached its maximum age. */
const IN_ORDER = [1000, 1001, 1005, 1012]

/**
 * Opens a WebSocket and yields its updates until it ends. Throws if it breaks, falls silent, or can't be opened.
 * `onHeard` is called for every message received. Messages that the page sends resolve to their answer, or to false if
 * the answer may be lost.
 */
export async function* openSocket(
  deps: SocketDeps,
  sources: string,
  { onHeard, signal }: { onHeard(): void; signal: AbortSignal },
): AsyncGenerator<ConnectionUpdate> {
  const silence = createWatchdog(OPENS_WITHIN_MS)
  const stop = AbortSignal.any([signal, silence.signal])
  const queue = createQueue<{ update: ConnectionUpdate; size: number }>()
  const replies = new Map<number, (accepted: boolean) => void>()
  let nextRequest = 0
  let waiting = 0
  let failure: Error | undefined
  const end = (error?: Error) => {
    failure ??= error
    queue.end()
  }
  const put = (update: ConnectionUpdate, size: number) => {
    waiting += size
    if (waiting > MAX_WAITING) end(new Error("The server sent more data than this page can handle."))
    else queue.put({ update, size })
  }
  const opening = deps.urlOf(sources, { signal: stop }).then(deps.open)
  const socket = await opening.catch((error) => {
    silence.stop()
    throw error
  })

  const send: Send = (message) => {
    const request = nextRequest++
    const json = JSON.stringify({ ...message, request })
    if (socket.readyState !== WebSocket.OPEN || json.length > MAX_SENT) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => end(new Error("The server didn't respond.")), REPLIES_WITHIN_MS)
    replies.set(request, (accepted) => {
      clearTimeout(timer)
      replies.delete(request)
      resolve(accepted)
    })
    socket.send(json)
    return promise
  }
  const assemble = createAssembler()
  const receive = (message: unknown, size: number) => {
    if (!isObject(message)) return
    if (message.type === "ready") put({ type: "opened", send }, 0)
    else if (message.type === "frame") {
      put({ type: "frame", frame: { event: text.parse(message.event), data: message.data }, size }, size)
    } else if (message.type === "batch") {
      const messages = list(anything).parse(message.messages)
      // An estimate: the batch's size divided by its messages.
      for (const one of messages) receive(one, Math.ceil(size / messages.length))
    } else replies.get(Number(message.request))?.(message.type === "accepted")
  }
  socket.onmessage = ({ data }) => {
    onHeard()
    silence.reset(SILENCE_MS)
    const json = assemble(String(data))
    if (json !== undefined) receive(JSON.parse(json), json.length)
  }
  socket.onclose = ({ code, wasClean }) => {
    end(wasClean && IN_ORDER.includes(code) ? undefined : new Error(`The connection was closed (${code}).`))
  }

  try {
    for await (const { update, size } of queue.read({ signal: stop })) {
      waiting -= size
      yield update
    }
    silence.signal.throwIfAborted()
    if (failure && !signal.aborted) throw failure
  } finally {
    silence.stop()
    socket.onclose = null
    socket.onmessage = null
    socket.close()
    for (const reply of [...replies.values()]) reply(false)
  }
}

/** Returns a function that reassembles messages sent in parts. It returns undefined until the last part has arrived. */
function createAssembler(): (json: string) => string | undefined {
  let parts: string[] = []
  return (json) => {
    if (!json.startsWith('{"type":"part"')) return json
    const { index, count, text: part } = JSON.parse(json).data
    if (index === 0) parts = []
    parts.push(part)
    return index === count - 1 ? parts.join("") : undefined
  }
}
