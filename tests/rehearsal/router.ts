import { request as ask, type IncomingMessage, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { STREAM_PREFIX, viewerRequestCode } from "@switchyard/functions/aws/paths"
import { leadToGateway } from "../emulators/lead-to-gateway.ts"
import { listen } from "./listen.ts"

/** CloudFront gives up on an origin that is silent for this long, as set in `infra/api.ts`. */
const SILENCE_MS = 60_000

interface Origins {
  api: string
  stream: string
  /** Address of API Gateway's sockets, if the stage has them. */
  gateway?: string
  secret: string
}

/**
 * Starts the Router, which runs the same code as our function in CloudFront. `cuts` lists the numbers of bytes after
 * which the next streams break off.
 */
export async function startRouter({ gateway, secret, ...origins }: Origins) {
  const code = viewerRequestCode(secret, [], { sockets: gateway !== undefined })
  const atEdge = new Function("event", "cf", `${code}; return event.request`)
  const cuts: number[] = []
  let cut = 0

  const toGateway = (address: string) => (request: IncomingMessage, connection: Duplex) =>
    leadToGateway(request, connection, { gateway: address, secret })

  function passOn(answer: IncomingMessage, response: ServerResponse): void {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    const isStream = answer.headers["content-type"]?.startsWith("text/event-stream")
    let left = (isStream ? cuts.shift() : undefined) ?? Number.POSITIVE_INFINITY
    answer.on("data", (chunk: Buffer) => {
      response.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      cut++
      response.destroy()
      // The function doesn't learn that the stream was cut.
      answer.removeAllListeners("data").resume()
    })
    answer.on("end", () => response.end())
    answer.on("error", () => response.destroy())
  }

  const upgrade = gateway === undefined ? undefined : toGateway(gateway)
  const server = await listen((request, response) => {
    const sent = Object.entries(request.headers).map(([name, value]) => [name, { value: String(value) }] as const)
    const headers: Record<string, { value: string }> = Object.fromEntries(sent)
    const event = { request: { method: request.method, uri: pathOf(request), headers }, viewer: { ip: "203.0.113.7" } }
    const chosen: string[] = []
    const { uri } = atEdge(event, { selectRequestOriginById: (id: string) => chosen.push(id) }) as typeof event.request
    if (chosen.length > 0) return response.writeHead(200, { "content-type": "text/html" }).end("the studio")
    const streamed = uri.startsWith(`${STREAM_PREFIX}/`)
    const passed = Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]))
    const origin = ask(`http://${streamed ? origins.stream : origins.api}`, {
      method: request.method,
      path: `${streamed ? uri.slice(STREAM_PREFIX.length) : uri}${request.url?.slice(pathOf(request).length)}`,
      headers: { ...passed, host: streamed ? origins.stream : origins.api },
      agent: false,
      timeout: SILENCE_MS,
    })
    origin.on("timeout", () => origin.destroy(new Error("silent")))
    origin.on("response", (answer) => passOn(answer, response))
    origin.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(504).end()))
    request.pipe(origin)
  }, upgrade)
  return { url: `http://${server.host}`, cuts, cut: () => cut, stop: server.stop }
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/"
}
