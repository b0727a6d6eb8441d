import { once } from "node:events"
import type { Server } from "node:http"

/**
 * Listens on the first free port and returns the address. If no port is free, throws the error of the last port tried.
 */
export async function listen(
  server: Server,
  { host, ports }: { host: string; ports: number[] },
  onTaken: (port: number) => void = () => {},
): Promise<string> {
  for (const port of ports) {
    try {
      server.listen(port, host)
      await once(server, "listening")
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || port === ports.at(-1)) throw error
      onTaken(port)
    }
  }
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : ports[0]
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}
