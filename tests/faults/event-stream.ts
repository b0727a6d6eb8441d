import { once } from "node:events"
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"

export interface Frame {
  id?: string
  event: string
  data: unknown
}

export interface FollowOptions {
  /** Resolves to the server's current address. Called before each connection. */
  url: () => Promise<string>
  path: string
  /** The first request: a POST whose answer is the stream. `goOn` returns the path for later connections. */
  opening?: { path: string; body: object; goOn: (headers: IncomingHttpHeaders) => string }
  /** True if a frame is the last one. */
  isLast: (frame: Frame) => boolean
  /** If true, the stream doesn't end, so the client leaves after the last frame. */
  endless?: boolean
  /** Returns the number of bytes after which a connection, counted from 0, is cut. Undefined doesn't cut it. */
  cutAfter?: (connection: number) => number | undefined
  onFrame?: (frame: Frame) => void
}

/** Streams of a run: its events, and their projection. */
export const streams = {
  events: { path: (runId: string) => `/v1/runs/${runId}/events`, isLast: ({ event }: Frame) => event === "end" },
  stream: {
    path: (runId: string) => `/v1/runs/${runId}/stream`,
    isLast: ({ event }: Frame) => event === "run_complete" || event === "error",
  },
}

/**
 * Reads an event stream to its last frame, over as many connections as necessary. Like a browser, each connection
 * resumes after the last complete frame. Resolves to all frames in order.
 */
export async function follow(options: FollowOptions): Promise<{ frames: Frame[]; connections: number; cuts: number }> {
  const frames: Frame[] = []
  let { path, opening } = options
  let cuts = 0
  for (let connection = 0; ; connection++) {
    const lastId = frames.findLast(({ id }) => id !== undefined)?.id
    const outcome = await connect(await options.url(), {
      path: opening?.path ?? path,
      body: opening?.body,
      lastId,
      leaveAt: options.endless ? options.isLast : undefined,
      cutAfter: options.cutAfter?.(connection),
      onHeaders(headers) {
        path = opening?.goOn(headers) ?? path
        opening = undefined
      },
      onFrame(frame) {
        frames.push(frame)
        options.onFrame?.(frame)
      },
    })
    if (outcome === "cut") cuts++
    if (outcome === "over") frames.push(endOf(frames.at(-1)))
    const last = frames.at(-1)
    if (last && options.isLast(last)) return { frames, connections: connection + 1, cuts }
  }
}

interface Connection {
  path: string
  body?: object
  lastId?: string
  leaveAt?: (frame: Frame) => boolean
  cutAfter?: number
  onHeaders: (headers: IncomingHttpHeaders) => void
  onFrame: (frame: Frame) => void
}

/** Opens a connection, and reads until the server ends it, it breaks, or it is cut. */
async function connect(url: string, connection: Connection): Promise<"ended" | "over" | "broken" | "cut"> {
  const { path, body, lastId, leaveAt, cutAfter, onHeaders, onFrame } = connection
  const asked = request(`${url}${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      accept: "text/event-stream",
      ...(body && { "content-type": "application/json" }),
      ...(lastId !== undefined && { "last-event-id": lastId }),
    },
    agent: false,
  }).end(body && JSON.stringify(body))
  try {
    const [response] = (await once(asked, "response")) as [IncomingMessage]
    // The server can't reach its store at the moment, so try again.
    if (response.statusCode === 503) return "broken"
    if (response.statusCode === 204) return "over"
    if (response.statusCode !== 200) throw new Refused(`${response.statusCode} ${await textOf(response)}`)
    onHeaders(response.headers)
    let outcome: "ended" | "cut" = "ended"
    const cut = () => {
      outcome = "cut"
    }
    for await (const frame of framesOf(firstBytes(response, cutAfter, cut))) {
      onFrame(frame)
      if (leaveAt?.(frame)) break
    }
    return outcome
  } catch (error) {
    if (error instanceof Refused) throw error
    return "broken"
  } finally {
    asked.destroy()
  }
}

/**
 * Returns the end frame that was cut off after a run's last event. On reconnecting, only the status shows that the run
 * is over.
 */
function endOf(last: Frame | undefined): Frame {
  return { id: undefined, event: "end", data: { status: last?.event.replace("run_", "") } }
}

class Refused extends Error {}

async function* firstBytes(
  source: AsyncIterable<Buffer>,
  count = Number.POSITIVE_INFINITY,
  cut: () => void,
): AsyncGenerator<Buffer> {
  let left = count
  if (left === 0) return cut()
  for await (const chunk of source) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return cut()
  }
}

async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of source) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2)))
      if (fields.data !== undefined) yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
    }
  }
}

async function textOf(source: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(source)).toString()
}
