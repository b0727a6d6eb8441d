import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** HTTP methods of model APIs, and whether a request with that method has a body. */
const METHODS: ReadonlyMap<string, boolean> = new Map([
  ["GET", false],
  ["HEAD", false],
  ["DELETE", false],
  ["POST", true],
  ["PUT", true],
  ["PATCH", true],
])

/** Names that have a meaning on plain objects but not in any API. */
const PROTOTYPE_NAMES = new Set(Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()))

/** Hop-by-hop headers, and headers that the gateway sets itself. */
export const OURS = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "content-length", "upgrade", "host", "accept-encoding", "expect"],
])

/** Headers that may contain a key, depending on the provider. */
const KEY_HEADERS = ["authorization", "x-api-key", "api-key", "x-goog-api-key"]

/**
 * Returns an error if the API might delimit a request's body differently from the gateway. If the API mistook a part of
 * the body for a separate request, the agent would receive the response to that request, which may contain the key.
 */
export function framingFault(request: IncomingMessage): { status: number; message: string } | undefined {
  const hasBody = METHODS.get(request.method ?? "")
  if (hasBody === undefined) return { status: 405, message: "The model API doesn't support this method." }
  const { "transfer-encoding": encoding, "content-length": length } = request.headers
  if (!hasBody && (encoding !== undefined || (length !== undefined && length !== "0"))) {
    return { status: 400, message: `A ${request.method} request can't have a body.` }
  }
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked") {
    return { status: 400, message: "The only supported transfer encoding is chunked." }
  }
  const lengths = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "content-length")
  if (lengths.length > 1) return { status: 400, message: "A request can have only one Content-Length." }
  const named = request.rawHeaders.find((name, at) => at % 2 === 0 && PROTOTYPE_NAMES.has(name.toLowerCase()))
  return named === undefined ? undefined : { status: 400, message: "A header has an unsupported name." }
}

/** Returns the header that delimits the body for the API: the content length sent by the agent, or chunked encoding. */
export function framing({ method = "", headers }: IncomingMessage): Record<string, string> {
  if (headers["content-length"] !== undefined) return { "content-length": headers["content-length"] }
  return METHODS.get(method) ? { "transfer-encoding": "chunked" } : {}
}

/**
 * Returns the path to request below the API's base path. Returns undefined if the requested path names another host or
 * isn't below the base path.
 */
export function pathWithin(upstream: URL, asked: string): string | undefined {
  if (!asked.startsWith("/") || asked.startsWith("//") || /[\\\s]/.test(asked)) return undefined
  const [path = "", ...query] = asked.split("?")
  const segments = decoded(path)?.split(/[/\\]/)
  if (!segments || segments.some((segment) => segment === "." || segment === "..")) return undefined
  return [upstream.pathname.replace(/\/$/, "") + path, ...query].join("?")
}

/**
 * True for model calls. An agent's other requests may not accept the key, so their responses prove nothing about the
 * key.
 */
export function isModelCall(method: string | undefined, path: string): boolean {
  const [asked = ""] = path.split("?")
  return (
    method === "POST" &&
    /\/(messages|responses|chat\/completions|invoke-with-response-stream)$|:(stream)?generateContent$/i.test(asked)
  )
}

/** Replaces the token with the key. Returns undefined if the request doesn't contain the token. */
export function withKey(
  { rawHeaders }: IncomingMessage,
  path: string,
  token: string,
  key: string,
): { path: string; headers: Record<string, string | string[]> } | undefined {
  const headers: Record<string, string | string[]> = Object.create(null)
  let known = false
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]]
    if (OURS.has(name)) continue
    if (KEY_HEADERS.includes(name)) {
      const [, scheme = "", given = ""] = /^(Bearer\s+(?=\S))?(.*)$/i.exec(value) ?? []
      if (!isSame(given, token)) continue
      known = true
      headers[name] = `${scheme}${key}`
    } else {
      const before = headers[name]
      headers[name] = before === undefined ? value : [before, value].flat()
    }
  }
  const [bare = "", query] = path.split("?", 2)
  const params = new URLSearchParams(query)
  if (!params.has("key")) return known ? { path, headers } : undefined
  if (!isSame(params.get("key") ?? "", token)) return undefined
  params.set("key", key)
  return { path: `${bare}?${params}`, headers }
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
