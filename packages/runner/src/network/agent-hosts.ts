import { createHostPolicy, type HostPolicy } from "@switchyard/core/host-policy"

/** The hosts that confined agents may reach, beside their model and their tools. */
export interface AgentHosts {
  allows(host: string, port: number): boolean
  /** Decides by a host's addresses: what the operator didn't name must be public, or where accounts may be. */
  readonly policy: HostPolicy
}

/** Registries of packages, and where what they list is fetched. */
const REGISTRY_HOSTS = [
  ...["registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org", "jsr.io", "npm.jsr.io"],
  ...["pypi.org", "files.pythonhosted.org"],
  ...["index.crates.io", "static.crates.io", "crates.io", "static.rust-lang.org"],
  ...["proxy.golang.org", "sum.golang.org", "go.dev"],
  ...["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
  ...["rubygems.org", "index.rubygems.org", "packagist.org", "repo.packagist.org", "api.nuget.org"],
]

/** Registries of packages, servers of source code, and what programs of agents look up about models. */
export const DEFAULT_HOSTS = [
  ...REGISTRY_HOSTS,
  ...["deb.debian.org", "security.debian.org", "archive.ubuntu.com", "security.ubuntu.com"],
  ...["github.com", "api.github.com", "codeload.github.com", "*.githubusercontent.com"],
  ...["gitlab.com", "bitbucket.org", "codeberg.org"],
  "models.dev",
]

/** Ports of HTTP and of TLS; any other is named with its host. */
const USUAL_PORTS = [80, 443]

/** The word for no network of their own: agents have the machine's. */
const MACHINE = "machine"

/** The setting, as it was read. */
export interface HostSetting {
  words: string[]
  entries: Entry[]
  /** The hosts that the word `default` stands for. */
  usual: readonly string[]
}

/** A setting that lists hosts. */
interface HostList {
  /** Its name, for messages. */
  name: string
  usual: readonly string[]
}

/** The hosts of agents, and of what installs the packages of a project that is checked. */
export const HOST_LISTS = {
  agents: { name: "SWITCHYARD_AGENT_HOSTS", usual: DEFAULT_HOSTS },
  checks: { name: "SWITCHYARD_CHECK_HOSTS", usual: REGISTRY_HOSTS },
} satisfies Record<string, HostList>

interface Entry {
  host: string
  port?: number
}

/**
 * Parses such a setting, by default SWITCHYARD_AGENT_HOSTS: hosts, each with a port if it isn't a usual one, `*.` before a domain for all below it, and
 * the words `default`, `none`, `*` for every public host, or `machine`. Undefined for the last.
 */
export function readAgentHosts(
  setting: string | undefined,
  { name, usual }: HostList = HOST_LISTS.agents,
): HostSetting | undefined {
  const words = (setting ?? "").split(/[\s,]+/).filter(Boolean)
  if (words.includes(MACHINE)) {
    if (words.length === 1) return undefined
    throw new Error(`${name} has \`machine\` beside other entries.`)
  }
  const named = words.filter((word) => !["default", "none", "*"].includes(word)).map((word) => entryOf(word, name))
  return { words: words.length === 0 ? ["default"] : words, entries: named, usual }
}

function entryOf(text: string, setting: string): Entry {
  const isWildcard = text.startsWith("*.")
  const url = URL.parse(`http://${isWildcard ? text.slice(2) : text}`)
  const isPlain = url && url.pathname === "/" && !url.username && !url.search && !url.hash && !text.includes("*", 1)
  if (!isPlain) throw new Error(`${setting} has the entry ${text}, which is no host.`)
  const port = /:(\d+)$/.exec(text)?.[1]
  const host = isWildcard ? `*.${url.hostname}` : plain(url.hostname)
  return { host, ...(port !== undefined && { port: Number(port) }) }
}

/** The hosts of one task beside those of the setting. */
export interface OwnHosts {
  /** Hosts that its program asks by itself. */
  asked?: string[]
  /** The host that its account names, and what may be named there: a name that was public may lead elsewhere later. */
  chosen?: { host: string; policy: HostPolicy }
}

/** The hosts for one task. */
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

/** As URLs have it, without the brackets of an IPv6 address. */
function plain(host: string): string {
  return host.replace(/^\[|\]$/g, "").toLowerCase()
}
