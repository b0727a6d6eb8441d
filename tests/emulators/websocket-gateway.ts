import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { buffer } from "node:stream/consumers"
import { type WebSocket, WebSocketServer } from "ws"

const FRAME_BYTES = 32 * 1024
const MESSAGE_BYTES = 128 * 1024
const IDLE_MS = 10 * 60_000
const LONGEST_MS = 2 * 3_600_000

/** Close code that API Gateway sends if a client's frame is too large. */
const TOO_LARGE = 1009
const GOING_AWAY = 1001

interface Open {
  socket: WebSocket
  openedAt: number
  activeAt: number
}

/**
 * Starts an emulator of API Gateway's WebSockets on loopback, which follows their documentation:
 * - The handshake is answered after `$connect`.
 * - A message to a connection that isn't open yet or anymore gets 410, and one above 128 KB gets 413.
 * - Messages to clients are sent in frames of 32 KB.
 * - Each client message has its own invocation, and invocations run concurrently.
 * - A connection ends after ten minutes of silence, or after two hours.
 * It is stricter in one way: it refuses a client's message of more than 32 KB, even in several frames.
 */
export async function startWebSocketGateway() {
  const sockets = new WebSocketServer({ noServer: true })
  const open = new Map<string, Open>()
  /** Size in bytes of each sent frame and message. */
  const sent = { frames: [] as number[], messages: [] as number[] }
  const failed: unknown[] = []
  let now = 0
  let invoke: (event: object) => Promise<{ statusCode: number }> = async () => ({ statusCode: 500 })
  let order: (invocations: (() => void)[]) => void = (invocations) => {
    for (const begin of invocations.splice(0)) begin()
  }
  const waiting: (() => void)[] = []

  const server = createServer((request, response) => manage(request, response).catch((error) => failed.push(error)))
  server.on("upgrade", (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    handshake(request, connection, head).catch((error) => {
      failed.push(error)
      connection.end("HTTP/1.1 500 Internal Server Error\r\n\r\n")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo

  function eventOf(routeKey: string, connectionId: string, rest: object = {}): object {
    return { requestContext: { routeKey, connectionId, stage: "live" }, isBase64Encoded: false, ...rest }
  }

  async function handshake(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? "", "http://here")
    const connectionId = Buffer.from(crypto.randomUUID()).toString("base64url")
    const queryStringParameters = Object.fromEntries(url.searchParams)
    const asked = { headers: request.headers, queryStringParameters }
    const { statusCode } = await invoke(eventOf("$connect", connectionId, asked))
    if (statusCode !== 200) return void connection.end(`HTTP/1.1 ${statusCode} Refused\r\nConnection: close\r\n\r\n`)
    sockets.handleUpgrade(request, connection, head, (socket) => serve(connectionId, socket))
  }

  function serve(connectionId: string, socket: WebSocket): void {
    open.set(connectionId, { socket, openedAt: now, activeAt: now })
    socket.on("message", (message) => {
      const text = String(message)
      if (Buffer.byteLength(text) > FRAME_BYTES) return socket.close(TOO_LARGE)
      touch(connectionId)
      waiting.push(() => void invoke(eventOf("$default", connectionId, { body: text })).catch((e) => failed.push(e)))
      order(waiting)
    })
    socket.on("close", () => {
      open.delete(connectionId)
      invoke(eventOf("$disconnect", connectionId)).catch((error) => failed.push(error))
    })
  }

  function touch(connectionId: string): void {
    const found = open.get(connectionId)
    if (found) found.activeAt = now
  }

  async function manage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connectionId = /^\/live\/@connections\/(.+)$/.exec(decodeURIComponent(request.url ?? ""))?.[1] ?? ""
    const bytes = await buffer(request)
    const found = open.get(connectionId)
    const refuse = (status: number, type: string) =>
      response.writeHead(status, { "x-amzn-errortype": type, "content-type": "application/json" }).end("{}")
    if (!found) return void refuse(410, "GoneException")
    if (request.method === "DELETE") {
      found.socket.close(GOING_AWAY)
      open.delete(connectionId)
      return void response.writeHead(204).end()
    }
    if (bytes.length > MESSAGE_BYTES) return void refuse(413, "PayloadTooLargeException")
    touch(connectionId)
    sent.messages.push(bytes.length)
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      const frame = bytes.subarray(at, at + FRAME_BYTES)
      sent.frames.push(frame.length)
      found.socket.send(frame, { binary: false, fin: at + FRAME_BYTES >= bytes.length })
    }
    response.writeHead(200).end()
  }

  return {
    /** Address for clients, and address for messages to them. */
    url: `ws://127.0.0.1:${port}/live`,
    endpoint: `http://127.0.0.1:${port}/live`,
    sent,
    /** Errors that no client receives. */
    failed,
    connections: () => [...open.keys()],
    invokes(handler: typeof invoke) {
      invoke = handler
    },
    /**
     * Decides when and in which order waiting invocations start. `decide` removes each from the list when it starts it.
     */
    orders(decide: typeof order) {
      order = decide
    },
    /** Advances the gateway's clock only. */
    pass(ms: number): void {
      now += ms
      for (const { socket, openedAt, activeAt } of open.values()) {
        if (now - activeAt >= IDLE_MS || now - openedAt >= LONGEST_MS) socket.close(GOING_AWAY)
      }
    },
    /** Cuts every connection, as a network failure does. */
    cut(): void {
      for (const { socket } of open.values()) socket.terminate()
    },
    async stop(): Promise<void> {
      for (const { socket } of open.values()) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
