import type { IncomingMessage } from "node:http"
import { connect } from "node:net"
import type { Duplex } from "node:stream"
import { type Clock, systemClock } from "@switchyard/core/time"
import { createAccess } from "@switchyard/functions/access"
import { viewerRequestCode } from "@switchyard/functions/aws/paths"
import { createConnections } from "@switchyard/functions/aws/sockets/connections"
import { createGateway } from "@switchyard/functions/aws/sockets/gateway"
import { pumpConnection } from "@switchyard/functions/aws/sockets/pump"
import { GatewayEvent, handleGatewayEvent } from "@switchyard/functions/aws/sockets/routes"
import type { compose } from "@switchyard/functions/compose"
import type { Config } from "@switchyard/functions/config"
import type { Stores } from "@switchyard/functions/local/local-core"
import { startWebSocketGateway } from "./websocket-gateway.ts"

interface Served {
  config: Config
  core: ReturnType<typeof compose>
  stores: Stores
  masterKey: Uint8Array
  originSecret: string
  report(error: unknown): void
}

/** The sockets of an installation by API Gateway's stand-in, with the code of both functions, in this process. */
export async function serveSockets({ config, core, stores, masterKey, originSecret, report }: Served) {
  const gateway = await startWebSocketGateway()
  let pumps: Promise<void>[] = []
  let deadline = new AbortController()
  // Whether a caller still may is looked at every ten seconds.
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, options) => systemClock.sleep(ms === 10_000 ? 50 : ms, options),
  }
  const shared = { ...core, ...stores, config, clock, report, stopping: new AbortController().signal }
  const access = createAccess(config, { ...shared, masterKey })
  const credentials = { accessKeyId: "a", secretAccessKey: "b" }
  const deps = {
    ...shared,
    ...{ access, originSecret, connections: createConnections(shared) },
    gateway: createGateway({ endpoint: gateway.endpoint, region: "eu-central-1", credentials }),
    async startPump(connection: string) {
      pumps.push(pumpConnection(deps, connection, { signal: deadline.signal, closing: shared.stopping }))
    },
  }
  const serve = () =>
    gateway.invokes((event) => handleGatewayEvent(deps, GatewayEvent.parse(event), { signal: shared.stopping }))
  serve()

  return {
    gateway,
    access,
    serve,
    pumps: () => pumps,
    /** Has every pump end, as after a quarter of an hour. */
    async endPumps(): Promise<void> {
      const ending = pumps
      deadline.abort()
      deadline = new AbortController()
      pumps = []
      await Promise.all(ending)
    },
  }
}

/** Leads a request for a socket to API Gateway, changed as the Router's own function changes it. */
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
