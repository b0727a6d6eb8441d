import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import type { HostPolicy } from "./host-policy.ts"

export interface HostRequest {
  url: string
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string
  /** Maximum size of the response in bytes. */
  maxBytes?: number | undefined
  signal: AbortSignal
}

export interface HostResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

const MAX_BYTES = 4 * 1024 * 1024

/**
 * Sends a request to a URL that a caller has chosen. Only connects to an allowed host, resolves the host for this
 * connection, and doesn't follow redirects. Throws if the response is too long or the host is unreachable.
 */
export async function requestHost(
  hosts: Pick<HostPolicy, "check" | "lookupFor">,
  { url, method = "GET", headers = {}, body, maxBytes = MAX_BYTES, signal }: HostRequest,
): Promise<HostResponse> {
  const target = new URL(url)
  const host = target.hostname
  await hosts.check(host, { signal })
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
  const sent = { "user-agent": "Switchyard", ...headers, ...length }
  const response = await sendRequest(target, { method, headers: sent, body, lookup: hosts.lookupFor(host), signal })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`The response is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  const { statusCode: status = 0, headers: received } = response
  return { status, headers: received, body: Buffer.concat(chunks).toString() }
}

export interface SentRequest {
  method?: string
  headers: OutgoingHttpHeaders
  body?: string | undefined
  /** Resolves the address to connect to. If undefined, the system's lookup is used. */
  lookup: LookupFunction | undefined
  signal: AbortSignal
}

/**
 * Sends one request without following redirects. Uses a new connection, because a reused one could lead to an address
 * that wasn't checked for this request.
 */
export function sendRequest(url: URL, { body, ...options }: SentRequest): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const asked = send(url, { ...options, agent: false }, resolve)
    asked.once("error", reject)
    asked.end(body)
  })
}
