import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { AppError } from "../errors.ts"

/**
 * Decides which of the hosts named by callers the server may connect to. Checks all addresses of a host, because a name
 * can resolve to any address. Reveals nothing about private hosts, not even whether they exist.
 */
export type HostPolicy = ReturnType<typeof createHostPolicy>

export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>

/**
 * Creates a policy. `allowed` lists hosts, addresses and ranges that are allowed in addition to public hosts. `*`
 * allows any host. However, neither `*` nor the range of all addresses includes a cloud's metadata service, because it
 * hands out credentials.
 */
export function createHostPolicy(allowed: string[], resolve: ResolveHost = resolveHost) {
  /** True if nearly all hosts are allowed. Errors may then describe what was found at a host. */
  const allowsAny = allowed.includes("*")
  const { names, ranges } = parseAllowed(allowed)

  function isInRange(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(
      ([range, bits]) =>
        range.kind() === parsed.kind() && parsed.match(range, bits) && (bits > 0 || !isLinkLocal(address)),
    )
  }

  async function addressesOf(host: string) {
    const name = plainName(host)
    const addresses = await resolve(name).catch(() => [])
    const isAllowed =
      names.some((entry) => isNamed(name, entry)) ||
      addresses.every(({ address }) => isPublic(address) || isInRange(address) || (allowsAny && !isLinkLocal(address)))
    // A proxy may know names that this machine can't resolve.
    if ((addresses.length === 0 && !allowsAny) || !isAllowed) throw hostRefused()
    return addresses
  }

  return {
    allowsAny,
    /**
     * Returns true if errors may describe what was found at the host, because the host is public or any host is
     * allowed. Returns false if the host is private but allowed. Throws `host_refused` otherwise.
     */
    async check(host: string, { signal }: { signal?: AbortSignal }): Promise<boolean> {
      const addresses = await addressesOf(host)
      signal?.throwIfAborted()
      return allowsAny || addresses.every(({ address }) => isPublic(address))
    },
    /** Returns a lookup function that makes connections to this host use a checked address. */
    lookupFor(host: string): LookupFunction {
      return (asked, options, callback) => {
        // A different host is a proxy that the operator configured, so don't check it.
        if (asked !== host) return lookup(asked, options, callback)
        addressesOf(host).then(
          (addresses) => {
            const [first] = addresses
            if (!first) return lookup(asked, options, callback)
            return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
          },
          (error) => callback(error, "", 0),
        )
      }
    },
  }
}

/**
 * Creates the same error for hosts that are forbidden, are unreachable or don't respond. If the errors differed,
 * callers could use them to map a private network.
 */
export function hostRefused(): AppError {
  const hint = "ALLOWED_HOSTS lists private hosts that this server may connect to."
  return new AppError("host_refused", "Nothing was found at this address, or this server may not connect to it.", {
    hint,
  })
}

/** Parses the entries of ALLOWED_HOSTS. Throws if a range is invalid. */
function parseAllowed(allowed: string[]) {
  const ranges = allowed.filter((entry) => entry.includes("/")).map((entry) => ipaddr.parseCIDR(entry))
  const plain = allowed.filter((entry) => !entry.includes("/")).map(plainName)
  const addresses = plain.filter((entry) => ipaddr.isValid(entry)).map((entry) => ipaddr.process(entry))
  const single = addresses.map((address): [typeof address, number] => [address, address.kind() === "ipv4" ? 32 : 128])
  return { names: plain, ranges: [...ranges, ...single] }
}

/** True if a host matches an entry. `*.example.org` matches all subdomains of example.org. */
function isNamed(host: string, entry: string): boolean {
  return entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry
}

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST))
}

/** True for link-local addresses, which clouds use for their metadata services, and for AWS's IPv6 metadata address. */
function isLinkLocal(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === "linkLocal" || (parsed.kind() === "ipv6" && parsed.match(METADATA))
}

const METADATA = ipaddr.parseCIDR("fd00:ec2::/32")

/**
 * All assigned IPv6 addresses. Other IPv6 addresses aren't public. They may map to IPv4 addresses, as `::7f00:1` maps
 * to 127.0.0.1.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3")

/**
 * Normalises a host in the same way as in a URL, so that each address has only one form. For example, `0x7f.1` becomes
 * 127.0.0.1.
 */
function plainName(host: string): string {
  const name = host.replace(/\.$/, "").toLowerCase()
  if (name.startsWith("*.")) return name
  return (URL.parse(`http://${name}`)?.hostname ?? name).replace(/^\[|\]$/g, "")
}

const resolveHost: ResolveHost = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
