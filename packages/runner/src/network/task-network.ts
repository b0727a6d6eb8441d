import { chmod, chown, mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, connect, createServer, type ListenOptions, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { AgentUser } from "../processes/agent-user.ts"
import type { EgressRoutes } from "../sandbox/confined-place.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import { createAgentHosts, type HostSetting, type OwnHosts } from "./agent-hosts.ts"
import { createDial } from "./dial.ts"
import { createForwardProxy } from "./forward-proxy.ts"

/** Network of a task's programs. */
export interface TaskNetwork extends AsyncDisposable {
  /** Variables that make programs use the proxy. */
  env: Record<string, string>
  /** Routes out of a sandbox. Undefined if programs use the machine's network, and can bypass the proxy. */
  ways?: EgressRoutes
}

export interface ProxyOptions {
  setting: HostSetting
  own: OwnHosts
  /** The runner's own environment, with the machine's proxy. */
  env: Record<string, string | undefined>
  refused: (host: string) => void
  /** Called for each request to a host that didn't respond. */
  unreached?: (host: string) => void
}

export interface TaskNetworkOptions extends ProxyOptions {
  /** Loopback URLs that the program must be able to reach. */
  addresses: string[]
  /** User that runs the programs, if different from the runner's user. */
  user: AgentUser | undefined
}

/**
 * Opens the network for programs that run as `user`. In a bubblewrap sandbox, this is the programs' only network.
 * Without a sandbox, programs of a separate user get a proxy that they can bypass. In all other cases, returns
 * undefined.
 */
export async function openNetwork(
  confinement: Pick<Confinement, "means"> | undefined,
  options: TaskNetworkOptions,
): Promise<TaskNetwork | undefined> {
  if (confinement?.means === "bubblewrap") return openTaskNetwork(options)
  return options.user && openLoopbackProxy(options)
}

const HOST = "127.0.0.1"
/** Port of the proxy in the sandbox. It is the usual port of proxies. */
const PROXY_PORT = 3128

/**
 * Opens a task's routes out of its sandbox. They lead to these addresses of the runner, and to a proxy for allowed
 * hosts.
 */
export async function openTaskNetwork({ addresses, user, ...options }: TaskNetworkOptions): Promise<TaskNetwork> {
  const proxy = createProxy(options)
  const relays = addresses.map(portOf).map((port) => ({ port, server: relayTo(port) }))
  const ways: { port: number; server: Server }[] = [...relays, { port: PROXY_PORT, server: proxy.server }]
  const sockets = new Set<Socket>()
  // Use a short path, because socket paths are limited to 107 characters.
  const folder = await mkdtemp(join(tmpdir(), "switchyard-"))
  await chmod(folder, 0o711)
  for (const { port, server } of ways) {
    noteSockets(server, sockets)
    const path = join(folder, String(port))
    await listen(server, { path })
    await chmod(path, 0o600)
    if (user) await chown(path, user.uid, user.gid)
  }
  return {
    ways: { folder, ports: ways.map(({ port }) => port) },
    env: variables(PROXY_PORT),
    async [Symbol.asyncDispose]() {
      proxy.abort()
      const servers = ways.map(({ server }) => server)
      await closeAll(servers, sockets)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Opens a proxy on a loopback address for programs that use the machine's network. Programs that ignore proxy variables
 * bypass it.
 */
async function openLoopbackProxy(options: ProxyOptions): Promise<TaskNetwork> {
  const { server, abort } = createProxy(options)
  const sockets = new Set<Socket>()
  noteSockets(server, sockets)
  await listen(server, { host: HOST, port: 0 })
  return {
    env: variables((server.address() as AddressInfo).port),
    async [Symbol.asyncDispose]() {
      abort()
      await closeAll([server], sockets)
    },
  }
}

function createProxy({ setting, own, env, refused, unreached }: ProxyOptions) {
  const over = new AbortController()
  const hosts = createAgentHosts(setting, own)
  const dial = createDial({ policy: hosts.policy, env })
  const server = createForwardProxy({ hosts, dial, refused, unreached, signal: over.signal })
  return { server, abort: () => over.abort() }
}

function variables(port: number): Record<string, string> {
  const address = `http://${HOST}:${port}`
  return { ...both("HTTP_PROXY", address), ...both("HTTPS_PROXY", address), ...NODE, ...both("NO_PROXY", EXCEPTIONS) }
}

function noteSockets(server: Server, sockets: Set<Socket>): void {
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
}

async function closeAll(servers: Server[], sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
}

const EXCEPTIONS = `localhost,${HOST},::1`
/** Makes Node use the proxy variables, which it ignores by default. */
const NODE = { NODE_USE_ENV_PROXY: "1" }

/** Returns a variable with both spellings of its name, because some programs read only one of them. */
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

function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(where, resolve)
  })
}
