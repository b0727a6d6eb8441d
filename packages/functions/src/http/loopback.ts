import { isIPv4 } from "node:net"

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || (address.startsWith("127.") && isIPv4(address))
}

/**
 * True if a `Host` header is a loopback address or `localhost`. An attacker can make their page's host name resolve to
 * this machine, but can't serve a page from another machine under a loopback name.
 */
export function isLoopbackName(host: string): boolean {
  const [, name = ""] = /^(localhost|127[\d.]+|\[::1\])(?::\d{1,5})?$/i.exec(host) ?? []
  return isLoopback(name.toLowerCase()) || name === "[::1]"
}

/**
 * True if a `Host` header names this machine. Accepts names under `.localhost` too, because browsers resolve them to
 * this machine without a lookup.
 */
export function isLocalhostName(host: string): boolean {
  return isLoopbackName(host) || /^[a-z\d-]{1,63}\.localhost(:\d{1,5})?$/i.test(host)
}
