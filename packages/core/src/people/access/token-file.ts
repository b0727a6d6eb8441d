import { join } from "node:path"

/**
 * The file in which a server on this machine leaves its token for the command line of the same user. It is named after the
 * server's address, so that a token is sent to no other server.
 */
export function tokenFile(
  server: URL,
  { env, home }: { env: Record<string, string | undefined>; home: string },
): string {
  const host = LOOPBACK.test(server.hostname) ? "localhost" : server.hostname
  const port = server.port || (server.protocol === "https:" ? "443" : "80")
  const name = `${host.replaceAll(/[^\w.-]/g, "_")}-${port}.token`
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "switchyard", "servers", name)
}

/** A token in such a file, and the process of its server: once that is gone, the address may be another program's. */
export interface SharedToken {
  token: string
  pid: number
}

export function formatSharedToken({ token, pid }: SharedToken): string {
  return `${token} ${pid}`
}

/** Undefined for what no server wrote. */
export function parseSharedToken(text: string): SharedToken | undefined {
  const [, token, pid] = /^(\S+) (\d+)$/.exec(text.trim()) ?? []
  return token === undefined ? undefined : { token, pid: Number(pid) }
}

const LOOPBACK = /^(localhost|127[\d.]+|\[::1\])$/
