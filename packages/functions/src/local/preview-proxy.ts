import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import type { Duplex } from "node:stream"
import { Readable } from "node:stream"
import type { ServerRequest } from "../previews/preview-app.ts"
import { respondAndClose } from "./respond-and-close.ts"

/** Headers that apply to a single connection and must not be forwarded. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** Forwards a browser's request to a project's server, without our private headers, and returns the response. */
export async function proxyRequest(
  asked: Request,
  { socket, headers, edit, signal }: ServerRequest,
): Promise<Response> {
  const { pathname, search } = new URL(asked.url)
  const leaving = AbortSignal.any([asked.signal, signal])
  const sent = request({
    socketPath: socket,
    method: asked.method,
    path: pathname + search,
    headers: forProject(Object.fromEntries(asked.headers)),
    signal: leaving,
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => sent.on("response", resolve).on("error", reject))
  if (asked.body) {
    const body = Readable.fromWeb(asked.body as Parameters<typeof Readable.fromWeb>[0])
    // If the browser disconnects during an upload, end the forwarded request too.
    body.on("error", (error) => sent.destroy(error)).pipe(sent)
  } else sent.end()
  const answer = await answered
  answer.on("error", () => answer.destroy())
  const status = answer.statusCode ?? 502
  const shown = forBrowser(answer, headers)
  if (asked.method === "HEAD" || status === 204 || status === 304) {
    answer.resume()
    return new Response(null, { status, headers: shown })
  }
  const size = Number(answer.headers["content-length"] ?? 0)
  if (!isPage(answer.headers) || size > edit.maxBytes) {
    return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers: shown })
  }
  const { start, rest } = await readStart(answer, edit.maxBytes)
  shown.delete("content-length")
  if (!rest) return new Response(edit.page(start), { status, headers: shown })
  return new Response(Readable.toWeb(Readable.from(joined(start, rest))) as ReadableStream, { status, headers: shown })
}

/**
 * Reads up to `maxBytes`, plus the rest of the last chunk. If the page is longer, also returns the remaining chunks.
 */
async function readStart(
  answer: IncomingMessage,
  maxBytes: number,
): Promise<{ start: Buffer; rest?: AsyncIterator<Buffer> }> {
  const chunks: Buffer[] = []
  const rest: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]()
  let size = 0
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value)
    size += next.value.length
    // A page that doesn't declare its length may never end.
    if (size > maxBytes) return { start: Buffer.concat(chunks), rest }
  }
  return { start: Buffer.concat(chunks) }
}

async function* joined(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start
  yield* { [Symbol.asyncIterator]: () => rest }
}

/** Forwards a WebSocket opened by a page to the project's server. Refuses pages from other sites. */
export function proxyUpgrade(asked: IncomingMessage, browser: Duplex, head: Buffer, socket: string): void {
  const { host = "", origin } = asked.headers
  if (origin !== `http://${host}`) {
    respondAndClose(browser, "403 Forbidden")
    return
  }
  const project = connect(socket)
  const headers = { ...forProject(asked.headers), connection: "Upgrade", upgrade: "websocket" }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  )
  project.write([`GET ${asked.url} HTTP/1.1`, ...lines, "", ""].join("\r\n"))
  project.write(head)
  project.pipe(browser)
  browser.pipe(project)
  for (const [one, other] of [
    [project, browser],
    [browser, project],
  ] as const) {
    one.on("error", () => one.destroy())
    one.on("close", () => other.destroy())
  }
}

/**
 * Removes the studio's cookies and tokens from a request's headers, in case a browser sends them to the project's
 * server.
 */
function forProject(given: IncomingHttpHeaders): IncomingHttpHeaders {
  const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !HOP_BY_HOP.has(name)))
  const cookies = (given.cookie ?? "").split(";").filter((cookie) => !/^\s*(__Host-)?switchyard/i.test(cookie))
  const own = cookies.join(";").trim()
  if (own === "") delete headers.cookie
  else headers.cookie = own
  if (/^\s*(?:bearer|basic)\s+sy_/i.test(given.authorization ?? "")) delete headers.authorization
  // The page is edited in transit, so the project's server must not compress it.
  return { ...headers, "accept-encoding": "identity" }
}

function forBrowser({ headers: given }: IncomingMessage, ours: Record<string, string>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (HOP_BY_HOP.has(name) || value === undefined || name === "x-frame-options") continue
    for (const each of [value].flat()) {
      const shown = REWRITTEN[name]?.(each) ?? each
      if (shown !== "") headers.append(name, shown)
    }
  }
  // Send both policies: browsers then apply both, so a project can restrict itself further.
  for (const [name, value] of Object.entries(ours)) {
    if (name === "Content-Security-Policy") headers.append(name, value)
    else if (name !== "Cache-Control" || !headers.has(name)) headers.set(name, value)
  }
  return headers
}

const REWRITTEN: { [header: string]: (value: string) => string } = {
  // With a domain attribute, the cookie would also be sent to other hosts on this machine.
  "set-cookie": (cookie) => cookie.replaceAll(/;\s*domain\s*=[^;]*/gi, ""),
  // Remove `frame-ancestors`, because our own policy already allows only the studio to frame the page. Remove
  // `upgrade-insecure-requests`, because there is no TLS.
  "content-security-policy": (policy) =>
    policy
      .split(";")
      .filter((directive) => !/^\s*(?:frame-ancestors|upgrade-insecure-requests)\b/i.test(directive))
      .join(";"),
}

function isPage({ "content-type": type = "", "content-encoding": encoding }: IncomingHttpHeaders): boolean {
  return type.startsWith("text/html") && (encoding === undefined || encoding === "identity")
}
