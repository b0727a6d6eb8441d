import { openControlGroup } from "@switchyard/runner/processes/control-group"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { openConfinement } from "@switchyard/runner/sandbox/confinement"
import type { Finding } from "./finding.ts"

/** What holds agents on this machine, by the programs of this path, and what would. It is no matter of a stage. */
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
  if (isSupervised) return { kind: "fine", says: "On this machine, all that an agent starts ends with its task." }
  const says =
    "On this machine, a process that an agent leaves with an empty environment is only found in its folders: that takes Linux with Perl."
  return { kind: "note", says, commands: ["sudo apt-get install perl-base"] }
}

function newRights(isRefused: boolean): Finding {
  if (isRefused) {
    return {
      kind: "fine",
      says: "On this machine, agents that run as other users gain no rights by programs such as sudo.",
    }
  }
  const says =
    "On this machine, agents that run as other users can start programs that run as root, such as sudo: refusing that takes Linux with Perl or setpriv."
  return { kind: "note", says, commands: ["sudo apt-get install perl-base util-linux"] }
}

async function memory(isSupervised: boolean): Promise<Finding> {
  const group = isSupervised ? await openControlGroup() : undefined
  if (group) {
    const most = Math.round(group.memoryBytes / 1e9)
    return { kind: "fine", says: `On this machine, agents and checks together get at most ${most} GB of memory.` }
  }
  const says =
    "On this machine, each process of an agent has a limit of memory, but nothing limits all of them together: that takes Perl, and a control group for memory that the server's user may make, as root mostly may."
  return { kind: "note", says }
}

async function sandbox({ bwrap, perl }: { bwrap?: string | undefined; perl?: string | undefined }): Promise<Finding> {
  const { means } = await openConfinement({ mode: "auto", bwrap, perl })
  if (means) {
    const network =
      means === "bubblewrap"
        ? "They reach their model there, and the hosts of SWITCHYARD_AGENT_HOSTS."
        : "Their network is the machine's."
    const says = `On this machine, agents can run in a sandbox, by ${means}: SWITCHYARD_AGENT_SANDBOX=require has them run in nothing else. ${network}`
    return { kind: "fine", says }
  }
  const says = bwrap
    ? "On this machine, agents can't run in a sandbox: bubblewrap is here, but the system refuses it the namespaces that it needs."
    : "On this machine, agents can't run in a sandbox: that takes Linux with bubblewrap, or macOS."
  return { kind: "note", says, ...(!bwrap && { commands: ["sudo apt-get install bubblewrap"] }) }
}
