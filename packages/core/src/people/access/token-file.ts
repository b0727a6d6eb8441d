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

const LOOPBACK = /^(localhost|127[\d.]+|\[::1\])$/
