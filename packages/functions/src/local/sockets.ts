import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { createMutex } from "@switchyard/core/concurrency/mutex"
import { isAppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { type WebSocket, WebSocketServer } from "ws"
import { LOCAL_PRINCIPAL } from "../access.ts"
import type { AppDeps } from "../deps.ts"
import { isTrustedCaller } from "../http/guards.ts"
import { messageBatches, takesBatches } from "../http/message-batches.ts"
import { openSocketClient } from "../http/open-socket-client.ts"
import { isSocketPath, parseSocketAddress, type SocketSubject, ticketGrantOf } from "../http/socket-address.ts"
import { whileAuthorized } from "../http/while-authorized.ts"
import type { Previews } from "../previews/previews.ts"
import { proxyUpgrade } from "./preview-proxy.ts"
import { respondAndClose } from "./respond-and-close.ts"

/** Close codes of our socket protocol: not authenticated, and no such session. */
const UNAUTHORIZED = 4001
const NOT_FOUND = 4004
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008

/** Maximum size of a client's message. Messages are keyboard input, never files. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Maximum amount of unsent data per client. A slower client is disconnected, and reconnects with its cursor. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024

export interface Sockets {
  close(): void
}

/**
 * True if a request asks for a WebSocket. Requests for other upgrades should be answered normally (RFC 9110, 7.8):
 * Java's own client, for example, offers HTTP/2 in its first request.
 */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket"
}

/** Serves WebSockets on the API's server. */
export function serveSockets(server: Server, deps: AppDeps & { previews: Previews }): Sockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })

  server.on("upgrade", (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    connection.on("error", () => connection.destroy())
    const grant = deps.previews.find(request.headers.host ?? "", "/")?.grant
    const preview = grant?.seq === "server" ? deps.previews.serverSocket?.(grant) : undefined
    if (preview !== undefined) return proxyUpgrade(request, connection, head, preview)
    const url = URL.parse(request.url ?? "", "http://here")
    const { host, origin } = request.headers
    const trusted = isTrustedCaller(deps.config, { host: host ?? "", origin })
    if (!url || !isSocketPath(url.pathname) || !trusted) {
      respondAndClose(connection, trusted ? "404 Not Found" : "403 Forbidden")
      return
    }
    sockets.handleUpgrade(request, connection, head, (socket) => {
      serve(socket, request, url).catch((error) => {
        if (isAppError(error, "session_not_found")) return socket.close(NOT_FOUND, "Session not found.")
        if (isAppError(error, "not_found")) return socket.close(NOT_FOUND, error.message)
        if (isAppError(error, "validation_error")) return socket.close(POLICY_VIOLATION, error.message)
        if (isAppError(error, "resync")) return socket.close(POLICY_VIOLATION, error.message)
        reportFailure(socket, error)
        socket.close(GOING_AWAY)
      })
    })
  })

  /** Reports an error, unless it was caused by a client disconnecting or the server stopping. */
  function reportFailure(socket: WebSocket, error: unknown): void {
    const isAborted = socket.readyState !== socket.OPEN && error instanceof Error && error.name === "AbortError"
    if (!deps.stopping.aborted && !isAborted) deps.report(error)
  }

  async function serve(socket: WebSocket, request: IncomingMessage, { pathname, searchParams }: URL) {
    const disconnected = new AbortController()
    const early: string[] = []
    let receive = (text: string) => void early.push(text)
    socket.on("close", () => disconnected.abort())
    socket.on("error", () => socket.terminate())
    socket.on("message", (message) => receive(String(message)))
    const subject = parseSocketAddress(pathname, searchParams)
    const principal = await authenticate(request, searchParams, subject)
    if (!principal) return socket.close(UNAUTHORIZED, "A ticket or a token is required.")
    if (subject.type !== "shared") await deps.sessions.find(principal.owner, subject.id, { signal: deps.stopping })
    const client = openSocketClient(deps, principal, subject)
    const send = (message: object) => {
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate()
      else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
    }
    // Resolves when the text has been passed to the network, or the client has disconnected.
    const write = (text: string) => new Promise<void>((resolve) => socket.send(text, () => resolve()))
    const open = AbortSignal.any([disconnected.signal, deps.stopping])
    const signal = whileAuthorized(deps, principal, { signal: open })
    const closeUnauthorized = () => socket.close(UNAUTHORIZED, "The token or login is no longer valid.")
    signal.addEventListener("abort", () => open.aborted || closeUnauthorized())
    const inOrder = createMutex()
    const receiveAuthorized = async (text: string) =>
      (await deps.access.isAuthorized(principal, { signal: open })) ? client.receive(text) : undefined
    receive = (text) => {
      inOrder(() => receiveAuthorized(text)).then(
        (answers) => (answers ? answers.forEach(send) : closeUnauthorized()),
        (error) => {
          reportFailure(socket, error)
          socket.close(GOING_AWAY)
        },
      )
    }
    early.splice(0).forEach(receive)
    if (takesBatches(searchParams))
      for await (const text of messageBatches(client.frames, { signal })) await write(text)
    else for await (const message of client.frames({ signal })) send(message)
    socket.close(GOING_AWAY)
  }

  /** Verifies a browser's ticket or an API client's token. */
  async function authenticate(
    { headers }: IncomingMessage,
    query: URLSearchParams,
    subject: SocketSubject,
  ): Promise<Principal | undefined> {
    if (deps.config.auth.mode === "open") return LOCAL_PRINCIPAL
    const options = { signal: deps.stopping }
    const ticket = query.get("ticket")
    if (ticket !== null) return deps.access.tickets.redeem(ticket, ticketGrantOf(subject), options)
    const bearer = /^Bearer +([^ ].*)$/i.exec(headers.authorization ?? "")?.[1]
    const verified = bearer === undefined ? undefined : await deps.access.tokens.verify(bearer, options)
    return verified?.principal.scopes.includes("read") ? verified.principal : undefined
  }

  return {
    close() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}
