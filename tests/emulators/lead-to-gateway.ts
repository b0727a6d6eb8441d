import type { IncomingMessage } from "node:http"
import { connect } from "node:net"
import type { Duplex } from "node:stream"
import { viewerRequestCode } from "@switchyard/functions/aws/paths"

/** Forwards a socket's request to API Gateway, with the changes that the Router's function makes. */
export function leadToGateway(
  request: IncomingMessage,
  connection: Duplex,
  { gateway, secret }: { gateway: string; secret: string },
): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://here")
  const valued = (entries: [string, unknown][]) =>
    Object.fromEntries(entries.map(([name, value]) => [name, { value: String(value) }]))
  const asked = {
    method: "GET",
    uri: pathname,
    headers: valued(Object.entries(request.headers)),
    querystring: valued([...searchParams]),
  }
  const atEdge = new Function(
    "event",
    "cf",
    `${viewerRequestCode(secret, [], { sockets: true })}; return event.request`,
  )
  const event = { request: asked, viewer: { ip: "203.0.113.7" } }
  const { uri, headers, querystring } = atEdge(event, { selectRequestOriginById: () => undefined }) as typeof asked
  const textOf = (fields: typeof headers) => Object.entries(fields).map(([name, { value }]) => [name, value] as const)
  const { hostname, port } = new URL(gateway)
  const far = connect(Number(port), hostname)
  const lines = textOf(headers).map(([name, value]) => `${name}: ${value}`)
  far.write(`GET ${uri}?${new URLSearchParams(Object.fromEntries(textOf(querystring)))} HTTP/1.1\r\n`)
  far.write(`${lines.join("\r\n")}\r\n\r\n`)
  connection.pipe(far).pipe(connection)
  connection.on("error", () => far.destroy()).on("close", () => far.destroy())
  far.on("error", () => connection.destroy()).on("close", () => connection.destroy())
}
