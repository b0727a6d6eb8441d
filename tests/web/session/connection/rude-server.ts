import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"

/** Behavior of one connection. */
export type Manners =
  | { answer: number }
  /** Reports this error for the source, and keeps the stream open. */
  | { error: string }
  /**
   * Sends the frames after the requested position, the last `doubled` twice. Cut off after `cutAfter` bytes, and sent
   * in pieces of `pieceBytes`.
   */
  | { doubled?: number; cutAfter?: number; pieceBytes?: number; comments?: boolean; ends: "end" | "cut" | "stall" }

/** Behavior of one socket. */
export type SocketManners =
  | { answer: number }
  /** Opens the socket, but never sends its first message. */
  | { mute: true }
  /**
   * Sends the frames after the requested position, the last `doubled` twice, optionally in batches or in parts. Ends
   * after this many frames.
   */
  | { doubled?: number; frames?: number; batched?: number; inParts?: boolean; ends: "end" | "cut" | "stall" }

/** Starts a server with a stream of numbered events over real HTTP. The test chooses how each connection misbehaves. */
export async function startRudeServer(
  sent: readonly { seq: number }[],
  manners: (connection: number) => Manners,
  socketManners: (connection: number) => SocketManners = () => ({ answer: 404 }),
) {
  const since: number[] = []
  const sockets = new WebSocketServer({ noServer: true })
  /** Position at which each socket asked to continue. */
  const socketSince: number[] = []
  const received: { request: number }[] = []
  let replies: (message: { request: number }, socket: WebSocket) => object | undefined = ({ request }) => ({
    type: "accepted",
    request,
  })
  const server = createServer((request, response) => {
    const from = Number(new URL(request.url ?? "", "http://x").searchParams.get("sources")?.split(":")[1])
    const how = manners(since.push(from) - 1)
    if ("answer" in how) {
      response.writeHead(how.answer).end("{}")
      return
    }
    if ("error" in how) {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(frame("error", { error: { code: how.error } }))
      return
    }
    const events = sent.filter(({ seq }) => seq > from)
    const told = [...events, ...events.slice(events.length - (how.doubled ?? 0))]
    const frames = told.map((event) => frame("event", event) + (how.comments ? ": keep-alive\r\n\r\n" : ""))
    const bytes = Buffer.from(`retry: 1000\n\n${frames.join("")}`).subarray(0, how.cutAfter)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    for (let at = 0; at < bytes.length; at += how.pieceBytes ?? bytes.length) {
      response.write(bytes.subarray(at, at + (how.pieceBytes ?? bytes.length)))
    }
    if (how.ends === "end") response.end()
    // The written bytes must be sent before the socket closes.
    if (how.ends === "cut") response.write("", () => response.destroy())
  })
  server.on("upgrade", (request, connection, head) => {
    const from = Number(new URL(request.url ?? "", "http://x").searchParams.get("sources")?.split(":")[1])
    const how = socketManners(socketSince.push(from) - 1)
    if ("answer" in how) return connection.end(`HTTP/1.1 ${how.answer} Refused\r\nConnection: close\r\n\r\n`)
    sockets.handleUpgrade(request, connection, head, (socket) => {
      socket.on("message", (text) => {
        const message = JSON.parse(String(text))
        received.push(message)
        const reply = replies(message, socket)
        if (reply) socket.send(JSON.stringify(reply))
      })
      if ("mute" in how) return
      socket.send(JSON.stringify({ type: "ready" }))
      const events = sent.filter(({ seq }) => seq > from)
      const told = [...events, ...events.slice(events.length - (how.doubled ?? 0))].slice(0, how.frames)
      const messages = told.map((data) => ({ type: "frame", event: "event", data: { source: 0, data } }))
      for (const message of inBatches(messages, how.batched ?? 1)) {
        const json = JSON.stringify(message)
        for (const part of how.inParts ? partsOf(json) : [json]) socket.send(part)
      }
      if (how.ends === "end") socket.close(1001)
      if (how.ends === "cut") socket.send("{}", () => socket.terminate())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`,
    /** Position at which each connection asked to continue. */
    since,
    socketSince,
    received,
    /** Decides how each message is answered. */
    replies(decide: typeof replies) {
      replies = decide
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function partsOf(json: string): string[] {
  const count = 3
  const length = Math.ceil(json.length / count)
  return Array.from({ length: count }, (_, index) => {
    const text = json.slice(index * length, (index + 1) * length)
    return JSON.stringify({ type: "part", data: { index, count, text } })
  })
}

function frame(event: string, data: object): string {
  return `event: ${event}\r\ndata: ${JSON.stringify({ source: 0, data })}\n\n`
}

function inBatches(messages: object[], count: number): object[] {
  if (count <= 1) return messages
  const starts = messages.map((_, index) => index).filter((index) => index % count === 0)
  return starts.map((start) => ({ type: "batch", messages: messages.slice(start, start + count) }))
}
