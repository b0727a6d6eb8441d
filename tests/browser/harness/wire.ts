import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { Canaries } from "../../canaries.ts"

export interface Wire extends AsyncDisposable {
  url: string
  /** Ends every connection, and refuses new ones. */
  cut(): void
  mend(): void
  /** Sets the target of new connections. */
  aim(url: string): void
}

/**
 * Starts a proxy between browser and server that a test can cut. It also registers the keys that the browser sends as
 * canaries.
 */
export async function startWire(target: string, { canaries }: { canaries?: Canaries } = {}): Promise<Wire> {
  let to = new URL(target)
  let whole = true
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy())
    return socket
  }
  const server = createServer((near) => {
    keep(near)
    if (!whole) return near.destroy()
    const far = keep(connect(Number(to.port), to.hostname))
    near.on("data", (bytes) => canaries?.noteSent(bytes))
    near.pipe(far).pipe(near)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = () => {
    whole = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      whole = true
    },
    aim: (url) => {
      to = new URL(url)
    },
    [Symbol.asyncDispose]: () => {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
