// Reports what is missing for a deployment, commands that help, and the cost of an idle month.

import { asText, diagnose } from "./cloud/diagnose.ts"
import { endWithMessages } from "./cloud/errors.ts"
import { asBill, idleMonth } from "./cloud/idle-month.ts"
import { examineMachine } from "./cloud/machine.ts"
import { createSst } from "./cloud/sst.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"

endWithMessages()
const stage = stageOf("doctor", "prod")
loadSettings(stage)
const { findings } = await diagnose(stage, createSst(stage))
const ready = findings.every(({ kind }) => kind !== "missing")
const machine = await examineMachine(process.env.PATH ?? "")
console.log(
  `${asText([...findings, ...machine])}\n\n${bill()}\n\n${ready ? "Ready: npm run deploy -- --stage" : "Not ready for"} ${stage}`,
)
process.exit(ready ? 0 : 1)

/** Returns the monthly costs for these settings, or a note if the settings are invalid. */
function bill(): string {
  try {
    return asBill(idleMonth(process.env))
  } catch {
    return "The monthly costs are unknown with these settings."
  }
}
