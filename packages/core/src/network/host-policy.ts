import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { AppError } from "../errors.ts"

/**
 * Decides which hosts named by callers may be reached. It checks all of a host's addresses, because a name proves
 * nothing. Callers learn nothing about private hosts, not even if they exist.
 */
export interface HostPolicy {
  /** True if any host may be reached, so nothing has to be looked up. */
  readonly allowsAny: boolean
  /** Returns true if the host is public, and false if it is only allowed here. Throws `host_refused` otherwise. */
  check(host: string, options: { signal?: AbortSignal }): Promise<boolean>
  /**
   * Returns a lookup for a connection to this host, which then uses a checked address. Undefined if any host is
   * allowed.
   */
  lookupFor(host: string): LookupFunction | undefined
}

export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>

/** Creates a policy. Besides public hosts, `allowed` lists hosts, addresses and address ranges; `*` is any host. */
export function createHostPolicy(allowed: string[], resolve: ResolveHost = resolveHost): HostPolicy {
  const allowsAny = allowed.includes("*")
  const { names, ranges } = parseAllowed(allowed)

  function isInRange(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
  }

  async function addressesOf(host: string) {
    const name = plainName(host)
    const addresses = await resolve(name).catch(() => [])
    const isAllowed =
      allowsAny ||
      names.some((entry) => isNamed(name, entry)) ||
      addresses.every(({ address }) => isPublic(address) || isInRange(address))
    if (addresses.length === 0 || !isAllowed) throw hostRefused()
    return addresses
  }

  return {
    allowsAny,
    async check(host, { signal }) {
      const addresses = await addressesOf(host)
      signal?.throwIfAborted()
      return addresses.every(({ address }) => isPublic(address))
    },
    lookupFor(host) {
      if (allowsAny) return undefined
      return (asked, options, callback) => {
        // A proxy on the way is the operator's choice.
        if (asked !== host) return lookup(asked, options, callback)
        addressesOf(host).then(
          (addresses) => {
            const [first] = addresses
            return options.all ? callback(null, addresses) : callback(null, first?.address ?? "", first?.family)
          },
          (error) => callback(error, "", 0),
        )
      }
    },
  }
}

/**
 * Creates the only error for hosts that may not be reached, can't be reached, or have nothing. Different errors would
 * let callers map a private network.
 */
export function hostRefused(): AppError {
  const hint = "ALLOWED_HOSTS lists private hosts that may be used here."
  return new AppError("host_refused", "Nothing was found at this address, or this server may not connect to it.", {
    hint,
  })
}

/** Parses the entries of ALLOWED_HOSTS. Throws for an invalid range. */
function parseAllowed(allowed: string[]) {
  const ranges = allowed.filter((entry) => entry.includes("/")).map((entry) => ipaddr.parseCIDR(entry))
  const plain = allowed.filter((entry) => !entry.includes("/")).map(plainName)
  const addresses = plain.filter((entry) => ipaddr.isValid(entry)).map((entry) => ipaddr.process(entry))
  const single = addresses.map((address): [typeof address, number] => [address, address.kind() === "ipv4" ? 32 : 128])
  return { names: plain, ranges: [...ranges, ...single] }
}

/** True if a host matches an entry. `*.example.org` matches all hosts below example.org. */
function isNamed(host: string, entry: string): boolean {
  return entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST))
}

/** All assigned IPv6 addresses. Others may stand for IPv4 addresses, such as `::7f00:1` for 127.0.0.1. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3")

/** Normalises a name as in URLs, which have one form of each address: `0x7f.1` is 127.0.0.1. */
function plainName(host: string): string {
  const name = host.replace(/\.$/, "").toLowerCase()
  if (name.startsWith("*.")) return name
  return (URL.parse(`http://${name}`)?.hostname ?? name).replace(/^\[|\]$/g, "")
}

const resolveHost: ResolveHost = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
