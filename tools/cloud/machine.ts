import { openControlGroup } from "@switchyard/runner/processes/control-group"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { openConfinement } from "@switchyard/runner/sandbox/confinement"
import type { Finding } from "./finding.ts"

/**
 * Checks how this machine can confine agents using programs on `path`, and what is missing. Independent of the stage.
 */
export async function examineMachine(path: string): Promise<Finding[]> {
  const [perl, setpriv, bwrap] = await Promise.all(
    ["perl", "setpriv", "bwrap"].map(async (name) => (await locate(name, path))?.file),
  )
  const isSupervised = (await openSupervisor(perl)) !== undefined
  return [
    supervision(isSupervised),
    newRights(isSupervised || setpriv !== undefined),
    await memory(isSupervised),
    await sandbox({ bwrap, perl }),
  ]
}

function supervision(isSupervised: boolean): Finding {
  if (isSupervised) return { kind: "fine", says: "On this machine, all of an agent's processes end with its task." }
  const says =
    "On this machine, processes that an agent leaves behind with an empty environment can be found only by their folders. Finding all of them needs Linux with Perl."
  return { kind: "note", says, commands: ["sudo apt-get install perl-base"] }
}

function newRights(isRefused: boolean): Finding {
  if (isRefused) {
    return {
      kind: "fine",
      says: "On this machine, agents that run as other users can't gain privileges through programs such as sudo.",
    }
  }
  const says =
    "On this machine, agents that run as other users can start programs that run as root, such as sudo. Preventing that needs Linux with Perl or setpriv."
  return { kind: "note", says, commands: ["sudo apt-get install perl-base util-linux"] }
}

async function memory(isSupervised: boolean): Promise<Finding> {
  const group = isSupervised ? await openControlGroup() : undefined
  if (group) {
    const most = Math.round(group.memoryBytes / 1e9)
    return { kind: "fine", says: `On this machine, agents and checks together may use at most ${most} GB of memory.` }
  }
  const says =
    "On this machine, each of an agent's processes has a memory limit, but there is no limit for all of them together. That needs Perl, and permission to create a memory cgroup, which root usually has."
  return { kind: "note", says }
}

async function sandbox({ bwrap, perl }: { bwrap?: string | undefined; perl?: string | undefined }): Promise<Finding> {
  const { means } = await openConfinement({ mode: "auto", bwrap, perl })
  if (means) {
    const network =
      means === "bubblewrap"
        ? "From there, they can reach their model and the hosts in SWITCHYARD_AGENT_HOSTS."
        : "They use the machine's network."
    const says = `On this machine, agents can run in a sandbox, with ${means}. SWITCHYARD_AGENT_SANDBOX=require makes the sandbox mandatory. ${network}`
    return { kind: "fine", says }
  }
  const says = bwrap
    ? "On this machine, agents can't run in a sandbox: bubblewrap is installed, but the system doesn't allow the namespaces that it needs."
    : "On this machine, agents can't run in a sandbox, which needs Linux with bubblewrap, or macOS."
  return { kind: "note", says, ...(!bwrap && { commands: ["sudo apt-get install bubblewrap"] }) }
}
