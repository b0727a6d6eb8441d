import type { HostSetting } from "../network/agent-hosts.ts"
import { openNetwork, type TaskNetwork } from "../network/task-network.ts"
import type { AgentUser } from "../processes/agent-user.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import { registryAddresses } from "./registries.ts"

export interface InstallNetworkDeps {
  confinement: Confinement
  /** Hosts that installs may reach. Undefined if they use the machine's network. */
  checkHosts: HostSetting | undefined
  /** Environment of the runner, with the machine's proxy and registries. */
  host: Record<string, string | undefined>
  user: AgentUser | undefined
}

/** Network for installing packages, which records failed connections. */
export interface InstallNetwork extends TaskNetwork {
  /** Hosts that weren't allowed. `unreached` contains the hosts that didn't respond. */
  refused: Set<string>
  unreached: Set<string>
}

/**
 * Opens routes to package registries, in the same way as for an agent. Returns undefined if programs use the machine's
 * network.
 */
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
    // Also allow the machine's registries, because the operator configured them.
    setting: { ...checkHosts, entries: [...checkHosts.entries, ...entries] },
    refused: (name) => refused.add(name),
    unreached: (name) => unreached.add(name),
  })
  return network && { ...network, refused, unreached, [Symbol.asyncDispose]: () => network[Symbol.asyncDispose]() }
}

function entryOf({ hostname, port }: URL): HostSetting["entries"][number] {
  return { host: hostname.replace(/^\[|\]$/g, ""), ...(port !== "" && { port: Number(port) }) }
}
