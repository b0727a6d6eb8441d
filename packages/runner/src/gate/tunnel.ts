import { once } from "node:events"
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AgentUser } from "../processes/agent-user.ts"

/** Two connected sockets on this machine: one for the server's proxy, and one for a sandboxed program. */
export interface Tunnel {
  /** Path of the socket for the proxy. Only the runner's user can connect to it. */
  outside: string
  /**
   * Path of the socket for the sandboxed program. The program opens connections here in advance, and each connection
   * from outside uses one of them.
   */
  inside: string
  /** Resolves when the program first connects. */
  readonly opened: Promise<void>
  /** Time at which the last byte from outside was received, measured with `now`. */
  readonly usedAt: number
  close(): Promise<void>
}

/**
 * Maximum number of waiting connections. A browser opens fewer at once. Further connections are closed, because a
 * program could open any number of them.
 */
const MAX_WAITING = 64

/**
 * Opens a tunnel for a program that runs as `user`, or as the runner's own user. The program must not create the socket
 * for the proxy itself, because it could instead create a link to another socket on this machine.
 */
export async function openTunnel(now: () => number, user?: AgentUser): Promise<Tunnel> {
  // Use a short path: socket paths are limited to about a hundred characters, and the data folder's path may be longer.
  const folder = await mkdtemp(join(tmpdir(), "sy-"))
  await chmod(folder, 0o711)
  const own = join(folder, "o")
  await mkdir(own, { mode: 0o700 })
  const [outside, inside] = [join(own, "s"), join(folder, "i")]
  const programs: Socket[] = []
  const clients: Socket[] = []
  const open = new Set<Socket>()
  const opened = Promise.withResolvers<void>()
  let usedAt = now()

  function match(): void {
    while (programs.length > 0 && clients.length > 0) {
      const [program, client] = [programs.shift(), clients.shift()]
      if (program && client) bind(program, client)
    }
  }

  function bind(program: Socket, client: Socket): void {
    client.on("data", () => {
      usedAt = now()
    })
    program.on("close", () => client.destroy())
    client.on("close", () => program.destroy())
    client.pipe(program)
    program.pipe(client)
  }

  function accept(waiting: Socket[]): (socket: Socket) => void {
    return (socket) => {
      open.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => {
        open.delete(socket)
        const at = waiting.indexOf(socket)
        if (at >= 0) waiting.splice(at, 1)
      })
      if (waiting.length >= MAX_WAITING) return socket.destroy()
      waiting.push(socket)
      if (waiting === programs) opened.resolve()
      match()
    }
  }

  const servers = [await listen(outside, accept(clients)), await listen(inside, accept(programs))]
  // All users can see the socket's path in /proc/net/unix. Allow only the program's user to connect, because the runner
  // assumes that connections come from the program.
  await chmod(inside, 0o600)
  if (user) await chown(inside, user.uid, user.gid)
  return {
    outside,
    inside,
    opened: opened.promise,
    get usedAt() {
      return usedAt
    },
    async close() {
      for (const socket of open) socket.destroy()
      for (const server of servers) server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listen(path: string, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept).listen(path)
  await once(server, "listening")
  return server
}
