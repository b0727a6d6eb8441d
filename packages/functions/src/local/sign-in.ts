import { createHash } from "node:crypto"
import { isLoopbackName } from "../http/loopback.ts"

/**
 * Returns the address of a server that listens on `url`, for programs on this machine. Replaces a wildcard host with a
 * loopback address.
 */
export function localAddress(url: string): URL {
  const address = new URL(url)
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1"
  if (address.hostname === "[::]") address.hostname = "[::1]"
  return address
}

/**
 * Returns the address that signs a browser in. The part after the `#` never leaves the browser, so servers, logs and
 * referrers can't contain it.
 */
export function signInUrl(base: URL | string, token: string): string {
  return new URL(`/#token=${token}`, base).href
}

/**
 * Returns an address with a host name that only people who have the token know. Browsers send a login's cookie to every
 * port of a host name, so with `127.0.0.1`, a server started by an agent would receive the cookie too. Browsers resolve
 * `*.localhost` themselves (RFC 6761). Returns undefined if the server isn't on a loopback address.
 */
export function secretAddress(address: URL, token: string): URL | undefined {
  if (!isLoopbackName(address.host)) return undefined
  const name = createHash("sha256").update(`host ${token}`).digest("hex").slice(0, SECRET_NAME_CHARS)
  return new URL(`${address.protocol}//${name}.localhost:${address.port}`)
}

const SECRET_NAME_CHARS = 16
