import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { NewEvent } from "@switchyard/core/events"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import type { Task } from "../agents/task.ts"
import type { HostSetting, OwnHosts } from "../network/agent-hosts.ts"
import { openNetwork, type TaskNetwork } from "../network/task-network.ts"
import type { AgentUser } from "../processes/agent-user.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import type { ToolAddress } from "../tools/endpoint.ts"

export interface AgentNetworkDeps {
  /** The runner's own environment, with the machine's proxy. */
  host: Record<string, string | undefined>
  /** Hosts that agents may reach. Undefined if agents have unfiltered access to the machine's network. */
  agentHosts: HostSetting | undefined
  /** Hosts that callers may name as API servers of their accounts. */
  hosts: HostPolicy
  confinement?: Confinement
  append: (events: NewEvent[]) => Promise<void>
}

/**
 * Maximum number of refused hosts that are logged. Without a limit, an agent that tries many hosts would fill the log.
 */
const REFUSALS_LOGGED = 20

/**
 * Opens the network for a task's agent: routes out of its sandbox, or a proxy in addition to the machine's network.
 * Returns undefined if the agent uses the machine's network directly.
 */
export async function openAgentNetwork(
  { host, agentHosts: setting, hosts, confinement, append }: AgentNetworkDeps,
  task: Pick<Task, "account" | "gateway"> & { cli: CliId; tools?: ToolAddress; user: AgentUser | undefined },
): Promise<TaskNetwork | undefined> {
  if (setting === undefined) return undefined
  const { account, gateway, cli, tools, user } = task
  // Without a gateway, the agent calls its model directly.
  const direct = gateway ? {} : await ownHosts(hosts, cli, account)
  const logged = new Set<string>()
  return openNetwork(confinement, {
    ...{ setting, user, env: host },
    ...{
      own: direct,
      addresses: [...(tools ? [tools.bareUrl] : []), ...(gateway ? [gateway.url] : []), ...(direct.addresses ?? [])],
    },
    refused(name) {
      if (logged.has(name) || logged.size === REFUSALS_LOGGED) return
      logged.add(name)
      // Ignore the error, because a finished run no longer accepts events.
      append([{ type: "agent_notice", text: refusalText(name) }]).catch(() => undefined)
    },
  })
}

async function ownHosts(
  hosts: HostPolicy,
  cli: CliId,
  { baseUrl, added }: AgentAccount,
): Promise<OwnHosts & { addresses?: string[] }> {
  const asked = cliOf(cli, added).hosts
  if (baseUrl === null) return { asked }
  const { hostname, host } = new URL(baseUrl)
  await hosts.check(hostname.replace(/^\[|\]$/g, ""), {})
  return LOOPBACK.test(hostname) ? { asked, addresses: [baseUrl] } : { asked, chosen: { host, policy: hosts } }
}

const LOOPBACK = /^(localhost|127\.0\.0\.1)$/

function refusalText(host: string): string {
  const name = host.slice(0, 253)
  return `The agent's access to ${name} was blocked. Allowed hosts are listed in SWITCHYARD_AGENT_HOSTS.`
}
