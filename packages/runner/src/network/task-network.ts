import { chmod, chown, mkdtemp, rm } from "node:fs/promises"
import { connect, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { AgentUser } from "../processes/agent-user.ts"
import type { WaysOut } from "../sandbox/confined-place.ts"
import { createAgentHosts, type HostSetting, type OwnHosts } from "./agent-hosts.ts"
import { createDial } from "./dial.ts"
import { createForwardProxy } from "./forward-proxy.ts"

/** The network of one task's programs. */
export interface TaskNetwork extends WaysOut, AsyncDisposable {
  /** Variables by which programs find the proxy. */
  env: Record<string, string>
}

export interface TaskNetworkOptions {
  setting: HostSetting
  own: OwnHosts
  /** Addresses on loopback that the program needs. */
  addresses: string[]
  /** The user of the programs, if not the runner's own. */
  user: AgentUser | undefined
  /** The runner's own environment, with the machine's proxy. */
  env: Record<string, string | undefined>
  refused: (host: string) => void
  /** Called for each request to a host that didn't answer. */
  unreached?: (host: string) => void
}

const HOST = "127.0.0.1"
/** The port of the proxy inside, which is the usual one of proxies. */
const PROXY_PORT = 3128

/** Opens what a task's programs may reach from their sandbox: these addresses of the runner, and a proxy to the hosts. */
export async function openTaskNetwork(options: TaskNetworkOptions): Promise<TaskNetwork> {
  const { setting, own, addresses, user, env, refused, unreached } = options
  const over = new AbortController()
  const hosts = createAgentHosts(setting, own)
  const dial = createDial({ policy: hosts.policy, env })
  const proxy = createForwardProxy({ hosts, dial, refused, unreached, signal: over.signal })
  const relays = addresses.map(portOf).map((port) => ({ port, server: relayTo(port) }))
  const ways: { port: number; server: Server }[] = [...relays, { port: PROXY_PORT, server: proxy }]
  const sockets = new Set<Socket>()
  // In a place with a short name: the path of a socket has 107 characters at most.
  const folder = await mkdtemp(join(tmpdir(), "switchyard-"))
  await chmod(folder, 0o711)
  for (const { port, server } of ways) {
    server.on("connection", (socket: Socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    })
    const path = join(folder, String(port))
    await listen(server, path)
    await chmod(path, 0o600)
    if (user) await chown(path, user.uid, user.gid)
  }
  const address = `http://${HOST}:${PROXY_PORT}`
  return {
    folder,
    ports: ways.map(({ port }) => port),
    env: { ...both("HTTP_PROXY", address), ...both("HTTPS_PROXY", address), ...NODE, ...both("NO_PROXY", EXCEPTIONS) },
    async [Symbol.asyncDispose]() {
      over.abort()
      for (const socket of sockets) socket.destroy()
      await Promise.all(ways.map(({ server }) => new Promise((resolve) => server.close(resolve))))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const EXCEPTIONS = `localhost,${HOST},::1`
/** Node asks no proxy unless it is told to. */
const NODE = { NODE_USE_ENV_PROXY: "1" }

/** Some programs read the one spelling, some the other. */
const both = (name: string, value: string) => ({ [name]: value, [name.toLowerCase()]: value })

const portOf = (address: string) => Number(new URL(address).port || 80)

function relayTo(port: number): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    const upstream = connect({ port, host: HOST, allowHalfOpen: true })
    Promise.allSettled([pipeline(socket, upstream), pipeline(upstream, socket)]).then(() => {
      socket.destroy()
      upstream.destroy()
    })
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
}
