import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { AppError } from "./errors.ts"

/**
 * Decides which hosts may be reached at addresses that callers name, by all of a host's addresses: a name proves nothing.
 * Callers learn nothing about a host that isn't public, not even whether it exists.
 */
export interface HostPolicy {
  /** Whether any host may be reached, so that nothing has to be looked up. */
  readonly allowsAny: boolean
  /** Resolves to true if the host is public, to false if it is only allowed here. Throws `host_refused` if it is neither. */
  check(host: string, options: { signal?: AbortSignal }): Promise<boolean>
  /** Looks up this host for a connection, which then goes to an address that was checked. Undefined where any will do. */
  lookupFor(host: string): LookupFunction | undefined
}

export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>

/** Besides public hosts, `allowed` names hosts, addresses and ranges of addresses; `*` is any host. */
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

/** The one answer for a host that may not be reached, can't be, or has nothing: any other would map a private network. */
export function hostRefused(): AppError {
  const hint = "ALLOWED_HOSTS lists the hosts that may be named here although they aren't public."
  return new AppError("host_refused", "Nothing was found at this address, or this server may not connect to it.", {
    hint,
  })
}

/** Parses the entries of ALLOWED_HOSTS. Throws for a range that is none. */
function parseAllowed(allowed: string[]) {
  const ranges = allowed.filter((entry) => entry.includes("/")).map((entry) => ipaddr.parseCIDR(entry))
  const plain = allowed.filter((entry) => !entry.includes("/")).map(plainName)
  const addresses = plain.filter((entry) => ipaddr.isValid(entry)).map((entry) => ipaddr.process(entry))
  const single = addresses.map((address): [typeof address, number] => [address, address.kind() === "ipv4" ? 32 : 128])
  return { names: plain, ranges: [...ranges, ...single] }
}

/** Whether a host is the one of an entry; `*.example.org` has all below example.org. */
function isNamed(host: string, entry: string): boolean {
  return entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST))
}

/** All that is assigned of IPv6. Outside of it are addresses that stand for others, such as `::7f00:1` for 127.0.0.1. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3")

/** The name as URLs have it, which write an address in one way: `0x7f.1` is 127.0.0.1. */
function plainName(host: string): string {
  const name = host.replace(/\.$/, "").toLowerCase()
  if (name.startsWith("*.")) return name
  return (URL.parse(`http://${name}`)?.hostname ?? name).replace(/^\[|\]$/g, "")
}

const resolveHost: ResolveHost = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
