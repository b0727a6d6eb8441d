import type { HostSetting } from "../network/agent-hosts.ts"
import { openNetwork, type TaskNetwork } from "../network/task-network.ts"
import type { AgentUser } from "../processes/agent-user.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import { registryAddresses } from "./registries.ts"

export interface InstallNetworkDeps {
  confinement: Confinement
  /** The hosts that may be reached; undefined where that is the machine's network. */
  checkHosts: HostSetting | undefined
  /** The runner's own environment, with the machine's proxy and its registries. */
  host: Record<string, string | undefined>
  user: AgentUser | undefined
}

/** The network for installing packages, and what went wrong in it. */
export interface InstallNetwork extends TaskNetwork {
  /** Hosts that aren't listed, and those that didn't answer. */
  refused: Set<string>
  unreached: Set<string>
}

/** Opens ways to registries of packages, as for an agent; undefined where programs have the machine's network alone. */
export async function openInstallNetwork(deps: InstallNetworkDeps): Promise<InstallNetwork | undefined> {
  const { confinement, checkHosts, host, user } = deps
  if (checkHosts === undefined) return undefined
  const urls = registryAddresses(host)
  const isHere = ({ hostname }: URL) => /^(?:localhost|127\.0\.0\.1)$/.test(hostname)
  const entries = urls.filter((url) => !isHere(url)).map(entryOf)
  const refused = new Set<string>()
  const unreached = new Set<string>()
  const network = await openNetwork(confinement, {
    ...{ own: {}, user, env: host, addresses: urls.filter(isHere).map(({ href }) => href) },
    // The operator named the machine's registries, too.
    setting: { ...checkHosts, entries: [...checkHosts.entries, ...entries] },
    refused: (name) => refused.add(name),
    unreached: (name) => unreached.add(name),
  })
  return network && { ...network, refused, unreached, [Symbol.asyncDispose]: () => network[Symbol.asyncDispose]() }
}

function entryOf({ hostname, port }: URL): HostSetting["entries"][number] {
  return { host: hostname.replace(/^\[|\]$/g, ""), ...(port !== "" && { port: Number(port) }) }
}
