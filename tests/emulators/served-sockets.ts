import { type Clock, systemClock } from "@switchyard/core/time"
import { createAccess } from "@switchyard/functions/access"
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

/**
 * Serves an installation's sockets through an emulated API Gateway. The code of both functions runs in this process.
 */
export async function serveSockets({ config, core, stores, masterKey, originSecret, report }: Served) {
  const gateway = await startWebSocketGateway()
  let pumps: Promise<void>[] = []
  let deadline = new AbortController()
  // The server checks every ten seconds whether a caller still has access. The test shortens that to 50 ms.
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
    /** Ends every pump, as its time limit does after 15 minutes. */
    async endPumps(): Promise<void> {
      const ending = pumps
      deadline.abort()
      deadline = new AbortController()
      pumps = []
      await Promise.all(ending)
    },
  }
}
