import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"

/** A request in git's smart HTTP protocol, for any repository. */
export interface Step {
  method: "GET" | "POST"
  /** Path relative to the repository's URL. */
  path: string
  headers: OutgoingHttpHeaders
}

/** Paths that git requests from a server. See https://git-scm.com/docs/http-protocol */
const PATHS: Record<Step["method"], RegExp> = {
  GET: /^\/info\/refs\?service=git-(upload|receive)-pack$/,
  POST: /^\/git-(upload|receive)-pack$/,
}

const HEADERS = ["accept", "accept-encoding", "content-encoding", "content-type", "git-protocol", "user-agent"]

/**
 * Parses a request under this prefix and rebuilds its headers. Returns undefined for a request that git would never
 * send.
 */
export function requestOf({ method, url = "", headers }: IncomingMessage, prefix: string): Step | undefined {
  if (method !== "GET" && method !== "POST") return undefined
  const path = url.startsWith(prefix) ? url.slice(prefix.length) : ""
  if (!PATHS[method].test(path)) return undefined
  const kept = HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
  return { method, path, headers: { ...Object.fromEntries(kept), ...framing(method, headers) } }
}

/**
 * Returns the headers that delimit the body. If the proxy and the server delimited the body differently, the server
 * would see two requests.
 */
function framing(method: Step["method"], headers: IncomingMessage["headers"]): OutgoingHttpHeaders {
  if (method === "GET") return {}
  const { "content-length": length } = headers
  return length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": length }
}
