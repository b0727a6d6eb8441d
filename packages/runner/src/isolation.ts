import type { AgentIsolation } from "@switchyard/core/agents/runner/isolation-schema"
import { readAgentHosts } from "./network/agent-hosts.ts"
import { findAgentUser } from "./processes/agent-user.ts"
import { openSupervisor } from "./processes/supervisor.ts"
import { locate } from "./programs/locate.ts"
import { checkConfinementMode, confinementMode, openConfinement } from "./sandbox/confinement.ts"

/** Determines how runners with this environment isolate agents and project code on this machine. */
export async function readIsolation(
  env: NodeJS.ProcessEnv,
): Promise<{ agents: AgentIsolation; confines_checks: boolean }> {
  const user = await findAgentUser(env.SWITCHYARD_AGENT_USER)
  const [bwrap, perl] = await Promise.all(["bwrap", "perl"].map((name) => locate(name, env.PATH ?? "")))
  const supervisor = await openSupervisor(perl?.file)
  const mode = confinementMode(env.SWITCHYARD_AGENT_SANDBOX, user)
  const about = { bwrap: bwrap?.file, perl: perl?.file, user, supervisor }
  const { means } = await openConfinement({ ...about, mode })
  const checks = await openConfinement({ ...about, mode: checkConfinementMode(env.SWITCHYARD_AGENT_SANDBOX, user) })
  const network = means === "bubblewrap" && readAgentHosts(env.SWITCHYARD_AGENT_HOSTS) ? "listed" : "machine"
  const required = mode === "require"
  return {
    agents: { network, user: user ? "own" : "server", sandbox: means ?? null, required },
    confines_checks: checks.means !== undefined,
  }
}
