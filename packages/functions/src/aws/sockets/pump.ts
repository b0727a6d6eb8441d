import { AppError, isAppError } from "@switchyard/core/errors"
import { messageBatches, takesBatches } from "../../http/message-batches.ts"
import { type AnySocketDeps, openSocketClient } from "../../http/open-socket-client.ts"
import { parseSocketAddress, type SocketSubject } from "../../http/socket-address.ts"
import { type AuthorizationDeps, whileAuthorized } from "../../http/while-authorized.ts"
import type { Connections } from "./connections.ts"
import type { Gateway } from "./gateway.ts"
import { messageParts } from "./message-parts.ts"

/** Maximum time between admitting a client and API Gateway opening the connection. */
const OPENS_WITHIN_MS = 5000
const TRY_EVERY_MS = 50

export type PumpDeps = AnySocketDeps & AuthorizationDeps & { connections: Connections; gateway: Gateway }

/** Returns the client name under which a connection is a viewer. */
export function clientOf(connection: string): string {
  return `ws-${connection}`
}

/**
 * Sends a connection's client all events of its session until the client leaves, is no longer authorized, or `signal`
 * aborts. Then closes the connection, at the latest when `closing` aborts. The client reconnects and continues from its
 * cursor.
 */
export async function pumpConnection(
  deps: PumpDeps,
  id: string,
  { signal, closing }: { signal: AbortSignal; closing: AbortSignal },
): Promise<void> {
  const { connections, gateway, clock } = deps
  const connection = await connections.find(id, { signal })
  if (!connection) return
  const { principal, path, query } = connection
  const address = new URLSearchParams(query)
  const subject = parseSocketAddress(path, address)
  const left = new AbortController()
  const present = AbortSignal.any([signal, left.signal])
  const authorized = whileAuthorized(deps, principal, { signal: present })
  const opensUntil = clock.monotonic() + OPENS_WITHIN_MS
  let isOpen = false

  async function send(text: string): Promise<void> {
    for (const part of messageParts(text, sessionOf(subject))) {
      if (left.signal.aborted) return
      if (!(await sendPart(part))) left.abort()
    }
  }
  /** Sends a part of a message. Returns false if the client has left. */
  async function sendPart(text: string): Promise<boolean> {
    while (!(await gateway.post(id, text, { signal: closing }))) {
      if (isOpen || clock.monotonic() > opensUntil) return false
      await clock.sleep(TRY_EVERY_MS, { signal: closing })
    }
    isOpen = true
    return true
  }

  try {
    const client = openSocketClient(deps, principal, subject, { client: clientOf(id) })
    const options = { signal: authorized }
    if (takesBatches(address)) for await (const text of messageBatches(client.frames, options)) await send(text)
    else for await (const message of client.frames(options)) await send(JSON.stringify(message))
  } catch (error) {
    // API Gateway can't give a reason when it closes a connection, so first send the error as a message.
    if (isAppError(error, "resync")) await send(JSON.stringify(errorMessage(subject, error)))
    // The client already knows from an event that the session was deleted.
    else if (!isAppError(error, "session_not_found") && !authorized.aborted) throw error
  } finally {
    if (authorized.aborted && !present.aborted) await send(JSON.stringify(unauthorized(subject)))
    left.abort()
    await gateway.close(id, { signal: closing })
    await connections.remove(id, { signal: closing })
  }
}

/** Returns the last message to a client whose token or login is no longer valid. */
export function unauthorized(subject: SocketSubject): object {
  return errorMessage(subject, new AppError("unauthorized", "The token or login is no longer valid."))
}

/** Returns the message that explains why a connection is being closed or why a message wasn't handled. */
export function errorMessage(subject: SocketSubject, { message, code }: AppError): object {
  return { type: "error", session_id: sessionOf(subject), data: { error: message, code } }
}

/**
 * Returns the session ID to put into a socket's messages. Undefined for a shared socket, which has several sessions.
 */
export function sessionOf(subject: SocketSubject): string | undefined {
  return subject.type === "shared" ? undefined : subject.id
}
