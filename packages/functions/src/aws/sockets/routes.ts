import { AppError, isAppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { isEqual } from "@switchyard/core/people/access/secrets"
import { parseJson } from "@switchyard/core/text/parse-json"
import * as z from "zod"
import type { Access } from "../../access.ts"
import { type AnySocketDeps, openSocketClient } from "../../http/open-socket-client.ts"
import { ORIGIN_HEADER } from "../../http/origin.ts"
import { isSocketPath, parseSocketAddress, type SocketSubject, ticketGrantOf } from "../../http/socket-address.ts"
import { PATH_PARAMETER } from "../paths.ts"
import type { Connections } from "./connections.ts"
import type { Gateway } from "./gateway.ts"
import { messageParts } from "./message-parts.ts"
import { clientOf, errorMessage, sessionOf, unauthorized } from "./pump.ts"

/** Invocation by API Gateway: a new connection, a message, or a disconnect. */
export const GatewayEvent = z.object({
  requestContext: z.object({ routeKey: z.enum(["$connect", "$disconnect", "$default"]), connectionId: z.string() }),
  headers: z.record(z.string(), z.string()).nullish(),
  queryStringParameters: z.record(z.string(), z.string()).nullish(),
  body: z.string().nullish(),
})
export type GatewayEvent = z.infer<typeof GatewayEvent>

export interface RouteDeps extends AnySocketDeps {
  access: Pick<Access, "tickets" | "tokens" | "isAuthorized">
  connections: Connections
  gateway: Gateway
  originSecret: string
  /** Starts a pump that sends the session's events to the connection. */
  startPump(connection: string, options: { signal: AbortSignal }): Promise<void>
}

/** HTTP status of the handshake. API Gateway ignores the status of message and disconnect events. */
export interface GatewayAnswer {
  statusCode: number
}

/** Handles an event from API Gateway. Stops waiting when `signal` aborts. */
export async function handleGatewayEvent(
  deps: RouteDeps,
  event: GatewayEvent,
  options: { signal: AbortSignal },
): Promise<GatewayAnswer> {
  const { routeKey, connectionId } = event.requestContext
  if (routeKey === "$connect") return { statusCode: await connect(deps, event, options) }
  if (routeKey === "$disconnect") await deps.connections.remove(connectionId, options)
  else await receive(deps, connectionId, event.body ?? "", options)
  return { statusCode: 200 }
}

/**
 * Admits a client with a ticket or a token, and starts its pump. Pages from other origins have neither, and cookies are
 * ignored. Therefore, the page's origin needn't be checked.
 */
async function connect(deps: RouteDeps, event: GatewayEvent, options: { signal: AbortSignal }): Promise<number> {
  const headers = new Headers(event.headers ?? {})
  if (!isEqual(headers.get(ORIGIN_HEADER) ?? "", deps.originSecret)) return 403
  const { [PATH_PARAMETER]: path = "", ticket, ...rest } = event.queryStringParameters ?? {}
  if (!isSocketPath(path)) return 404
  const query = new URLSearchParams(rest)
  try {
    const subject = parseSocketAddress(path, query)
    const principal = await authenticate(deps, { subject, ticket, headers }, options)
    if (!principal) return 401
    if (!(await isThere(deps, principal, subject, options))) return 404
    const { connectionId } = event.requestContext
    await deps.connections.add(connectionId, { path, query: String(query), principal }, options)
    await deps.startPump(connectionId, options)
    return 200
  } catch (error) {
    if (isAppError(error, "validation_error")) return 400
    throw error
  }
}

/**
 * True if the session or team exists. Always true for a shared socket, because each of its sources reports a missing
 * session itself.
 */
async function isThere(
  { sessions }: RouteDeps,
  { owner }: Principal,
  subject: SocketSubject,
  options: { signal: AbortSignal },
): Promise<boolean> {
  if (subject.type === "shared") return true
  try {
    const { state } = await sessions.find(owner, subject.id, options)
    return subject.type === "session" || state.team !== null
  } catch (error) {
    if (isAppError(error, "session_not_found")) return false
    throw error
  }
}

/** Verifies a browser's ticket or an API client's token. */
async function authenticate(
  { access }: RouteDeps,
  { subject, ticket, headers }: { subject: SocketSubject; ticket: string | undefined; headers: Headers },
  options: { signal: AbortSignal },
): Promise<Principal | undefined> {
  if (ticket !== undefined) return access.tickets.redeem(ticket, ticketGrantOf(subject), options)
  const bearer = /^Bearer +([^ ].*)$/i.exec(headers.get("authorization") ?? "")?.[1]
  const verified = bearer === undefined ? undefined : await access.tokens.verify(bearer, options)
  return verified?.principal.scopes.includes("read") ? verified.principal : undefined
}

/** Handles a client's message and replies. Closes a connection that has no record. */
async function receive(deps: RouteDeps, id: string, text: string, options: { signal: AbortSignal }): Promise<void> {
  const { connections, gateway, access } = deps
  const connection = await connections.find(id, options)
  if (!connection) return gateway.close(id, options)
  const { principal, path, query } = connection
  const subject = parseSocketAddress(path, new URLSearchParams(query))
  const reply = async (message: object) => {
    for (const part of messageParts(JSON.stringify(message), sessionOf(subject))) await gateway.post(id, part, options)
  }
  if (!(await access.isAuthorized(principal, options))) {
    await reply(unauthorized(subject))
    return gateway.close(id, options)
  }
  const client = openSocketClient(deps, principal, subject, { client: clientOf(id) })
  const deliver = () => client.receive(text)
  // A client with several sources waits for each reply itself, so its input doesn't need ordering.
  const replies = await (subject.type === "shared" ? deliver() : inTurn(deps, id, text, deliver, options))
  for (const message of replies ?? [errorMessage(subject, outOfTurn())]) await reply(message)
}

/**
 * Delivers input in the order of its numbers. API Gateway invokes functions for several messages at the same time, and
 * a runner ignores input that arrives after input with a higher number. Returns undefined if the input has no number or
 * the previous input is missing.
 */
async function inTurn<T>(
  { connections }: RouteDeps,
  id: string,
  text: string,
  deliver: () => Promise<T[]>,
  options: { signal: AbortSignal },
): Promise<T[] | undefined> {
  const message = Numbered.safeParse(parseJson(text))
  if (message.data?.type !== "input") return deliver()
  const { client_seq: clientSeq } = message.data
  if (clientSeq === undefined) return undefined
  const isDue = await connections.awaitTurn(id, clientSeq, options)
  if (isDue === undefined) return undefined
  if (!isDue) return []
  const replies = await deliver()
  await connections.endTurn(id, clientSeq, options)
  return replies
}

const Numbered = z.object({ type: z.string(), client_seq: z.int().positive().optional().catch(undefined) })

function outOfTurn(): AppError {
  return new AppError("validation_error", "Number a connection's inputs with `client_seq`, starting at 1.")
}
