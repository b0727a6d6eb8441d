import { randomBytes } from "node:crypto"
import {
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream/promises"
import type { Remote, RemoteCredentials } from "@switchyard/core/files/worktrees/remote"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import { withoutSlashes } from "@switchyard/core/text/trim"
import { requestOf, type Step } from "./smart-http.ts"

/**
 * Proxy between a single git command and a single repository. It adds the credentials, because git may run as the
 * agents' user and must never see them. It connects only to allowed hosts. A process that can read git's environment
 * can use the proxy while the command runs, but only for this repository.
 */
export interface RemoteProxy extends AsyncDisposable {
  /** URL of the repository for git. It is secret, and can only be reached from this machine. */
  readonly url: string
}

/** Host name on which these proxies listen. */
export const PROXY_HOST = "127.0.0.1"
const MAX_REDIRECTS = 5

export async function openRemoteProxy(
  { url, credentials }: Remote,
  { env, hosts }: { env: Record<string, string | undefined>; hosts: HostPolicy },
): Promise<RemoteProxy> {
  const prefix = `/${randomBytes(32).toString("hex")}`
  const own = new URL(url)
  const authorization = credentials && basic(credentials)
  // Use the machine's proxy only for requests that leave the machine, and respect its own exceptions.
  const options = { keepAlive: true, proxyEnv: env }
  const agents = { "http:": new HttpAgent(options), "https:": new HttpsAgent(options) }
  /** URL of the repository after the redirects of the first request. */
  let base = withoutSlashes(url)
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.on("connect", (_request, socket) => socket.destroy())
  server.on("upgrade", (_request, socket) => socket.destroy())
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, PROXY_HOST, resolve)
  })

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const step = requestOf(request, prefix)
    if (!step) return void response.writeHead(404).end()
    const left = new AbortController()
    response.once("close", () => left.abort())
    const answer = await ask(step, request, left.signal).catch(() => undefined)
    if (!answer) return void response.writeHead(502).end()
    response.writeHead(answer.statusCode ?? 502, answerHeaders(answer))
    await pipeline(answer, response)
  }

  /** Forwards a request to the server. Like git itself, follows redirects only for a command's first request. */
  async function ask(
    { path, method, headers }: Step,
    request: IncomingMessage,
    signal: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    let target = new URL(`${base}${path}`)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await send(target, { method, headers }, request, signal)
      const { statusCode = 0, headers: answered } = answer
      if (statusCode < 300 || statusCode >= 400) return answer
      answer.resume()
      const next = answered.location && URL.parse(answered.location, target)
      if (!next || method !== "GET" || !(next.protocol in agents) || !next.href.endsWith(path)) return undefined
      target = next
      base = next.href.slice(0, -path.length)
    }
    return undefined
  }

  async function send(
    target: URL,
    { method, headers }: { method: Step["method"]; headers: OutgoingHttpHeaders },
    body: IncomingMessage,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const secure = target.protocol === "https:"
    // The host name, or the IPv6 address without its brackets.
    const host = target.hostname.replace(/^\[|\]$/g, "")
    await hosts.check(host, { signal })
    const asked = (secure ? httpsRequest : httpRequest)({
      ...{ agent: agents[secure ? "https:" : "http:"], method, path: `${target.pathname}${target.search}`, signal },
      headers: { ...headers, ...(authorization && isTrusted(target) && { authorization }), host: target.host },
      ...{ host, port: target.port || (secure ? 443 : 80), lookup: hosts.lookupFor(host) },
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve)
      asked.on("error", reject)
    })
    // A server may respond before the request has been sent completely.
    if (method === "GET") asked.end()
    else pipeline(body, asked).catch(() => {})
    return answered
  }

  /** True if the credentials may be sent to this server: the server they belong to, or the same host over TLS. */
  function isTrusted({ origin, hostname }: URL): boolean {
    return origin === own.origin || (own.port === "" && hostname === own.hostname && origin === `https://${hostname}`)
  }

  return {
    url: `http://${PROXY_HOST}:${(server.address() as AddressInfo).port}${prefix}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      for (const agent of Object.values(agents)) agent.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function basic({ username, password }: RemoteCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
}

/**
 * Returns the response headers that git needs. Git treats a 401 as wrong credentials only if the response contains a
 * challenge.
 */
function answerHeaders({ headers, statusCode }: IncomingMessage): OutgoingHttpHeaders {
  const names = ["content-type", "content-encoding", "content-length", "cache-control"]
  const kept = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
  return { ...Object.fromEntries(kept), ...(statusCode === 401 && { "www-authenticate": "Basic" }) }
}
