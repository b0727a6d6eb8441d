import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { isAppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { type MergedCursor, readCursor } from "@switchyard/core/sessions/merged-stream"
import { type WebSocket, WebSocketServer } from "ws"
import { ANYONE } from "../access.ts"
import type { AppDeps } from "../deps.ts"
import { isKnownCaller } from "../http/guards.ts"
import { createSocketClient } from "../http/socket.ts"
import { closeWith } from "./close-with.ts"

/** In the words of the protocol: who you are is missing, and what you ask for isn't there. */
const UNAUTHORIZED = 4001
const UNKNOWN = 4004
const GOING_AWAY = 1001

/** Input of people, not files. */
const MAX_BYTES = 1024 * 1024
/** A reader that is so far behind is let go: it comes back with its cursor. */
const MAX_BEHIND_BYTES = 8 * 1024 * 1024

export interface Sockets {
  close(): void
}

/**
 * Whether a request is one for a socket. A server ignores what else is offered (RFC 9110, 7.8): Java's own client offers
 * HTTP/2 with its first request.
 */
export function isForSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket"
}

/** Serves `/ws/{session}` and `/api/v1/ws/{session}` beside the API. */
export function serveSockets(server: Server, deps: AppDeps): Sockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES })

  server.on("upgrade", (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    connection.on("error", () => connection.destroy())
    const url = URL.parse(request.url ?? "", "http://here")
    const sessionId = /^(?:\/api\/v1)?\/ws\/([A-Za-z0-9_-]{1,128})$/.exec(url?.pathname ?? "")?.[1]
    const { host, origin } = request.headers
    const known = isKnownCaller(deps.config, { host: host ?? "", origin })
    if (!url || sessionId === undefined || !known) {
      closeWith(connection, known ? "404 Not Found" : "403 Forbidden")
      return
    }
    sockets.handleUpgrade(request, connection, head, (socket) => {
      serve(socket, request, url.searchParams, sessionId).catch((error) => {
        if (isAppError(error, "session_not_found")) return socket.close(UNKNOWN, "There is no such session.")
        if (!deps.stopping.aborted) deps.report(error)
        socket.close(GOING_AWAY)
      })
    })
  })

  async function serve(socket: WebSocket, request: IncomingMessage, query: URLSearchParams, sessionId: string) {
    const left = new AbortController()
    const heard: string[] = []
    let hear = (text: string) => void heard.push(text)
    socket.on("close", () => left.abort())
    socket.on("error", () => socket.terminate())
    socket.on("message", (message) => hear(String(message)))
    const cursor = cursorOf(query)
    if (!cursor) return socket.close(1008, "A cursor is the id of a frame.")
    const principal = await callerOf(request, query, sessionId)
    if (!principal) return socket.close(UNAUTHORIZED, "This takes a ticket or a token.")
    await deps.sessions.find(principal.owner, sessionId, { signal: deps.stopping })
    const client = createSocketClient(deps, principal, sessionId)
    const send = (message: object) => {
      if (socket.bufferedAmount > MAX_BEHIND_BYTES) socket.terminate()
      else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
    }
    hear = (text) => {
      client.hear(text).then(
        (answers) => answers.forEach(send),
        (error) => {
          if (!deps.stopping.aborted) deps.report(error)
          socket.close(GOING_AWAY)
        },
      )
    }
    heard.splice(0).forEach(hear)
    const signal = AbortSignal.any([left.signal, deps.stopping])
    for await (const message of client.frames(cursor, { signal })) send(message)
    socket.close(GOING_AWAY)
  }

  /** A browser brings a ticket, a program its token. */
  async function callerOf(
    { headers }: IncomingMessage,
    query: URLSearchParams,
    sessionId: string,
  ): Promise<Principal | undefined> {
    if (deps.config.auth.mode === "open") return ANYONE
    const options = { signal: deps.stopping }
    const ticket = query.get("ticket")
    if (ticket !== null) return deps.access.tickets.redeem(ticket, { purpose: "ws", resource: sessionId }, options)
    const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1]
    const standing = bearer === undefined ? undefined : await deps.access.tokens.verify(bearer, options)
    return standing?.principal.scopes.includes("read") ? standing.principal : undefined
  }

  return {
    close() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

function cursorOf(query: URLSearchParams): MergedCursor | undefined {
  try {
    return readCursor(query.get("since_seq") ?? undefined)
  } catch {
    return undefined
  }
}
