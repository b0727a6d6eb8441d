// Says what is missing before a deployment, what helps, and what a month costs in which nobody works.

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

/** The month that the settings come to; nothing for those that a finding refuses. */
function bill(): string {
  try {
    return asBill(idleMonth(process.env))
  } catch {
    return "What a month costs can't be said with these settings."
  }
}
