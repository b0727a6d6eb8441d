import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { AgentHosts } from "./agent-hosts.ts"
import type { Dial, Target } from "./dial.ts"

export interface ForwardProxyDeps {
  hosts: Pick<AgentHosts, "allows">
  dial: Dial
  /** Called for each request to a host that isn't allowed. */
  refused: (host: string) => void
  /** Called for each request to a host that didn't respond. */
  unreached?: ((host: string) => void) | undefined
  /** Aborts when the task is over. */
  signal: AbortSignal
}

/** Headers that apply to a single connection and must not be forwarded. */
const HOP = [
  ...["connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "trailer", "upgrade"],
  "transfer-encoding",
]

/**
 * Creates a proxy to the hosts that a task may reach. Each request has its own connection, so that requests can't
 * interfere with each other.
 */
export function createForwardProxy({ hosts, dial, refused, unreached, signal }: ForwardProxyDeps): Server {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.requestTimeout = 0
  server.on("connect", (request, socket, head) => {
    tunnel(request, socket, head).catch(() => socket.destroy())
  })
  server.on("upgrade", (_request, socket) => socket.destroy())

  async function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // The client may disconnect at any time. The pipelines below handle that.
    socket.on("error", () => {})
    const target = targetOf(`http://${request.url}`)
    if (!target) return void socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
    if (!isAllowed(target)) return void socket.end(asTunnel(403, refusal(target)))
    const upstream = await connectTo(target)
    if (!upstream) return void socket.end(asTunnel(502, unreachable(target)))
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    upstream.write(head)
    await Promise.allSettled([pipeline(socket, upstream), pipeline(upstream, socket)])
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = targetOf(request.url ?? "")
    if (!target || !request.url?.startsWith("http://")) return answer(response, 400, "This server is a proxy.")
    if (!isAllowed(target)) return answer(response, 403, refusal(target))
    const socket = await connectTo(target)
    if (!socket) return answer(response, 502, unreachable(target))
    const { pathname, search, host } = new URL(request.url)
    const asked = httpRequest({
      ...{ method: request.method, path: `${pathname}${search}`, createConnection: () => socket, signal },
      headers: { ...passedOn(request), host, connection: "close", ...framingOf(request) },
    })
    response.once("close", () => asked.destroy())
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve)
      asked.once("error", reject)
    })
    const [found] = await Promise.allSettled([answered, pipeline(request, asked)])
    if (found.status === "rejected") return answer(response, 502, unreachable(target))
    response.writeHead(found.value.statusCode ?? 502, passedOn(found.value))
    await pipeline(found.value, response)
  }

  async function connectTo(target: Target) {
    const socket = await dial(target, { signal }).catch(() => undefined)
    if (!socket) unreached?.(target.host)
    return socket
  }

  function isAllowed({ host, port }: Target): boolean {
    if (hosts.allows(host, port)) return true
    refused(host)
    return false
  }

  return server
}

function targetOf(url: string): Target | undefined {
  const parsed = URL.parse(url)
  if (!parsed?.hostname || parsed.username || parsed.password) return undefined
  return { host: parsed.hostname.replace(/^\[|\]$/g, ""), port: Number(parsed.port || 80) }
}

function passedOn({ headers }: IncomingMessage) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.includes(name)))
}

/** Uses chunked encoding for every request whose length is unknown, regardless of its method. */
function framingOf({ headers }: IncomingMessage) {
  return headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" }
}

const refusal = ({ host }: Target) =>
  `Agents may not access ${host} from here. Allowed hosts are listed in SWITCHYARD_AGENT_HOSTS.\n`
const unreachable = ({ host }: Target) => `${host} couldn't be reached.\n`

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { "content-type": "text/plain" }).end(text)
}

/**
 * Formats the response to a tunnel request that was refused or failed. The status line contains the reason, because
 * programs show that line.
 */
function asTunnel(status: number, text: string): string {
  const reason = status === 403 ? "Forbidden by Switchyard" : "Bad Gateway"
  const length = Buffer.byteLength(text)
  return `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${text}`
}
