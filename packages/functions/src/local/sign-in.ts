import { createHash } from "node:crypto"
import { isLoopbackName } from "../http/loopback.ts"

/** Returns the address for this machine's own programs of a server that listens on `url`, or on all addresses. */
export function localAddress(url: string): URL {
  const address = new URL(url)
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1"
  if (address.hostname === "[::]") address.hostname = "[::1]"
  return address
}

/**
 * Returns the address that signs a browser in. The part after the `#` stays in the browser: no server, log or referrer
 * contains it.
 */
export function signInUrl(base: URL | string, token: string): string {
  return new URL(`/#token=${token}`, base).href
}

/**
 * Returns an address under a name that only holders of the token know. Browsers send a log-in's cookie to every port of
 * a name, so under `127.0.0.1` they would send it to an agent's server too. They resolve `*.localhost` by themselves
 * (RFC 6761). Returns undefined if this machine's own address isn't the one to use.
 */
export function secretAddress(address: URL, token: string): URL | undefined {
  if (!isLoopbackName(address.host)) return undefined
  const name = createHash("sha256").update(`host ${token}`).digest("hex").slice(0, SECRET_NAME_CHARS)
  return new URL(`${address.protocol}//${name}.localhost:${address.port}`)
}

const SECRET_NAME_CHARS = 16
