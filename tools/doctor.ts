// Says what is missing before a deployment, and what helps.

import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { openConfinement } from "@switchyard/runner/sandbox/confinement"
import { asText, diagnose, type Finding } from "./cloud/diagnose.ts"
import { createSst } from "./cloud/sst.ts"
import { stageOf } from "./cloud/stage.ts"

const stage = stageOf("doctor", "prod")
const { findings } = await diagnose(stage, createSst(stage))
const ready = findings.every(({ kind }) => kind !== "missing")
console.log(
  `${asText([...findings, await supervision(), await sandbox()])}\n\n${ready ? "Ready: npm run deploy -- --stage" : "Not ready for"} ${stage}`,
)
process.exit(ready ? 0 : 1)

/** Of the agents on this machine, not of a stage. */
async function supervision(): Promise<Finding> {
  const perl = await locate("perl", process.env.PATH ?? "")
  if (await openSupervisor(perl?.file))
    return { kind: "fine", says: "On this machine, all that an agent starts ends with its task." }
  const says =
    "On this machine, a process that an agent leaves with an empty environment is only found in its folders: that takes Linux with Perl."
  return { kind: "note", says, commands: ["sudo apt-get install perl-base"] }
}

async function sandbox(): Promise<Finding> {
  const [bwrap, perl] = await Promise.all(["bwrap", "perl"].map((name) => locate(name, process.env.PATH ?? "")))
  const { means } = await openConfinement({ mode: "auto", bwrap: bwrap?.file, perl: perl?.file })
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
