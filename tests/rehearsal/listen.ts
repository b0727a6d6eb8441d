import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"

/** A server on a free port of loopback. `stop` cuts whatever is still open, but what was upgraded. */
export async function listen(
  answer: RequestListener,
  upgrade?: (request: IncomingMessage, connection: Duplex) => void,
) {
  const server = createServer(answer)
  if (upgrade) server.on("upgrade", upgrade)
  // A client may use a connection again at the very moment at which it is closed for silence; AWS's runtime client dies of that.
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
