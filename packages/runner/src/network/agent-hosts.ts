import { createHostPolicy, type HostPolicy } from "@switchyard/core/network/host-policy"

/** Hosts that confined agents may reach. Their model and tools aren't included. */
export interface AgentHosts {
  allows(host: string, port: number): boolean
  /**
   * Allows hosts that the operator listed. All other hosts must have public addresses, or addresses that are allowed
   * for accounts.
   */
  readonly policy: HostPolicy
}

/** Package registries and their download hosts. */
const REGISTRY_HOSTS = [
  ...["registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org", "jsr.io", "npm.jsr.io"],
  ...["pypi.org", "files.pythonhosted.org"],
  ...["index.crates.io", "static.crates.io", "crates.io", "static.rust-lang.org"],
  ...["proxy.golang.org", "sum.golang.org", "go.dev"],
  ...["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
  ...["rubygems.org", "index.rubygems.org", "packagist.org", "repo.packagist.org", "api.nuget.org"],
]

/** Package registries, source code hosts, language downloads, and the model catalog that agent CLIs read. */
export const DEFAULT_HOSTS = [
  ...REGISTRY_HOSTS,
  ...["deb.debian.org", "security.debian.org", "archive.ubuntu.com", "security.ubuntu.com"],
  ...["github.com", "api.github.com", "codeload.github.com", "*.githubusercontent.com"],
  ...["gitlab.com", "bitbucket.org", "codeberg.org"],
  // Hosts of the language versions that the image's version manager installs.
  ...["mise-versions.jdx.dev", "dl.google.com"],
  "models.dev",
]

/** Default ports of HTTP and TLS. Hosts with any other port must be listed together with the port. */
const USUAL_PORTS = [80, 443]

/** Word that lets agents use the machine's own network. */
const MACHINE = "machine"

/** A parsed host list. */
export interface HostSetting {
  words: string[]
  entries: Entry[]
  /** Hosts that the word `default` stands for. */
  usual: readonly string[]
}

/** A setting that consists of a host list. */
interface HostList {
  /** Name of the setting in error messages. */
  name: string
  usual: readonly string[]
}

/** Settings for hosts that agents may reach, and for hosts that checked projects may install packages from. */
export const HOST_LISTS = {
  agents: { name: "SWITCHYARD_AGENT_HOSTS", usual: DEFAULT_HOSTS },
  checks: { name: "SWITCHYARD_CHECK_HOSTS", usual: REGISTRY_HOSTS },
} satisfies Record<string, HostList>

interface Entry {
  host: string
  port?: number
}

/**
 * Parses a host list. It consists of hosts with an optional port, `*.` before a domain for its subdomains, and the
 * words `default`, `none`, `*` (any public host) or `machine`. Returns undefined for `machine`. Throws if an entry is
 * invalid. By default, the list is that of SWITCHYARD_AGENT_HOSTS.
 */
export function readAgentHosts(
  setting: string | undefined,
  { name, usual }: HostList = HOST_LISTS.agents,
): HostSetting | undefined {
  const words = (setting ?? "").split(/[\s,]+/).filter(Boolean)
  if (words.includes(MACHINE)) {
    if (words.length === 1) return undefined
    throw new Error(`${name} can't combine \`machine\` with other entries.`)
  }
  const named = words.filter((word) => !["default", "none", "*"].includes(word)).map((word) => entryOf(word, name))
  return { words: words.length === 0 ? ["default"] : words, entries: named, usual }
}

function entryOf(text: string, setting: string): Entry {
  const isWildcard = text.startsWith("*.")
  const url = URL.parse(`http://${isWildcard ? text.slice(2) : text}`)
  const isPlain = url && url.pathname === "/" && !url.username && !url.search && !url.hash && !text.includes("*", 1)
  if (!isPlain) throw new Error(`${setting} has an invalid host: ${text}.`)
  const port = /:(\d+)$/.exec(text)?.[1]
  const host = isWildcard ? `*.${url.hostname}` : plain(url.hostname)
  return { host, ...(port !== undefined && { port: Number(port) }) }
}

/** Hosts that one task may reach in addition to those in the setting. */
export interface OwnHosts {
  /** Hosts that the CLI itself contacts. */
  asked?: string[]
  /**
   * Host of the account's API, and the policy for checking it. The check is necessary because a public name may later
   * resolve to another address.
   */
  chosen?: { host: string; policy: HostPolicy }
}

/** Creates the set of hosts allowed for one task. */
export function createAgentHosts({ words, entries, usual: byDefault }: HostSetting, own: OwnHosts = {}): AgentHosts {
  const { asked = [], chosen } = own
  const account = chosen && entryOf(chosen.host, "The account")
  const named = account ? [...entries, account] : entries
  const usual = [...(words.includes("default") ? byDefault : []), ...asked].map((host) => entryOf(host, "The program"))
  const allowed = [...named, ...usual]
  const allowsPublic = words.includes("*")
  const listed = createHostPolicy(entries.map(({ host }) => host))
  const isListed = (host: string) => entries.some((entry) => isNamed(host, entry.host))
  const policyOf = (host: string) =>
    chosen && account?.host === plain(host) && !isListed(plain(host)) ? chosen.policy : listed
  return {
    allows(host, port) {
      if (allowsPublic && USUAL_PORTS.includes(port)) return true
      return allowed.some((entry) => isNamed(plain(host), entry.host) && portsOf(entry).includes(port))
    },
    policy: {
      allowsAny: false,
      check: (host, options) => policyOf(host).check(host, options),
      lookupFor: (host) => policyOf(host).lookupFor(host),
    },
  }
}

const portsOf = ({ port }: Entry) => (port === undefined ? USUAL_PORTS : [port])

function isNamed(host: string, entry: string): boolean {
  return entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry
}

/** Normalises a host: converts it to lowercase, and removes the brackets of an IPv6 address. */
function plain(host: string): string {
  return host.replace(/^\[|\]$/g, "").toLowerCase()
}
