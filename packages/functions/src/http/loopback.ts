import { isIPv4 } from "node:net"

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || (address.startsWith("127.") && isIPv4(address))
}

/**
 * Whether a `Host` header names this very machine. A page can't make its own address one of these: what it could point
 * here is a name.
 */
export function isLoopbackName(host: string): boolean {
  const [, name = ""] = /^(localhost|127[\d.]+|\[::1\])(?::\d{1,5})?$/i.exec(host) ?? []
  return isLoopback(name.toLowerCase()) || name === "[::1]"
}

/** Whether a `Host` header names this machine by a name of its own: browsers look up no such name, and find this machine. */
export function isLocalhostName(host: string): boolean {
  return isLoopbackName(host) || /^[a-z\d-]{1,63}\.localhost(:\d{1,5})?$/i.test(host)
}
