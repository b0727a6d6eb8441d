import { openControlGroup } from "@switchyard/runner/processes/control-group"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { openConfinement } from "@switchyard/runner/sandbox/confinement"
import type { Finding } from "./finding.ts"

/**
 * Examines how this machine can confine agents with programs on `path`, and what is missing. It is independent of the
 * stage.
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
  if (isSupervised) return { kind: "fine", says: "On this machine, all processes of an agent end with its task." }
  const says =
    "On this machine, a process that an agent leaves with an empty environment is only found by its folders. Finding all of them needs Linux with Perl."
  return { kind: "note", says, commands: ["sudo apt-get install perl-base"] }
}

function newRights(isRefused: boolean): Finding {
  if (isRefused) {
    return {
      kind: "fine",
      says: "On this machine, agents that run as other users gain no privileges through programs such as sudo.",
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
    "On this machine, each process of an agent has a memory limit, but all of them together have none. A common limit needs Perl, and a memory control group that the server's user may create, as root usually may."
  return { kind: "note", says }
}

async function sandbox({ bwrap, perl }: { bwrap?: string | undefined; perl?: string | undefined }): Promise<Finding> {
  const { means } = await openConfinement({ mode: "auto", bwrap, perl })
  if (means) {
    const network =
      means === "bubblewrap"
        ? "They reach their model there, and the hosts of SWITCHYARD_AGENT_HOSTS."
        : "They use the machine's network."
    const says = `On this machine, agents can run in a sandbox, with ${means}. SWITCHYARD_AGENT_SANDBOX=require makes the sandbox mandatory. ${network}`
    return { kind: "fine", says }
  }
  const says = bwrap
    ? "On this machine, agents can't run in a sandbox: bubblewrap is installed, but the system refuses the namespaces that it needs."
    : "On this machine, agents can't run in a sandbox, which needs Linux with bubblewrap, or macOS."
  return { kind: "note", says, ...(!bwrap && { commands: ["sudo apt-get install bubblewrap"] }) }
}
