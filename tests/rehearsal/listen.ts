import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"

/** Starts a server on a free port of loopback. `stop` closes all connections, except upgraded ones. */
export async function listen(
  answer: RequestListener,
  upgrade?: (request: IncomingMessage, connection: Duplex) => void,
) {
  const server = createServer(answer)
  if (upgrade) server.on("upgrade", upgrade)
  // A client may reuse a connection at the moment when the server closes it as idle. AWS's runtime client crashes then.
  server.keepAliveTimeout = 0
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
