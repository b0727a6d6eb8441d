import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** A server on a free port of loopback. `stop` cuts whatever is still open. */
export async function listen(answer: RequestListener) {
  const server = createServer(answer)
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
