import { createHash } from "node:crypto"
import { isLoopbackName } from "../http/loopback.ts"

/** The address at which this machine's own programs reach a server that listens on `url`, be it on all addresses. */
export function localAddress(url: string): URL {
  const address = new URL(url)
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1"
  if (address.hostname === "[::]") address.hostname = "[::1]"
  return address
}

/** The address that signs a browser in. What follows the `#` stays in the browser: no server, log or referrer has it. */
export function signInUrl(base: URL | string, token: string): string {
  return new URL(`/#token=${token}`, base).href
}

/**
 * The address under a name that only whoever has the token knows. Browsers send a log-in's cookie to every port of a name, so
 * under `127.0.0.1` they would send it to whatever an agent serves there; and they find `*.localhost` by themselves (RFC
 * 6761). Undefined where this machine's own address isn't the one to use.
 */
export function secretAddress(address: URL, token: string): URL | undefined {
  if (!isLoopbackName(address.host)) return undefined
  const name = createHash("sha256").update(`host ${token}`).digest("hex").slice(0, SECRET_NAME_CHARS)
  return new URL(`${address.protocol}//${name}.localhost:${address.port}`)
}

const SECRET_NAME_CHARS = 16
