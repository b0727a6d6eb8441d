// Says what is missing before a deployment, and what helps.

import { asText, diagnose } from "./cloud/diagnose.ts"
import { examineMachine } from "./cloud/machine.ts"
import { createSst } from "./cloud/sst.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"

const stage = stageOf("doctor", "prod")
loadSettings(stage)
const { findings } = await diagnose(stage, createSst(stage))
const ready = findings.every(({ kind }) => kind !== "missing")
const machine = await examineMachine(process.env.PATH ?? "")
console.log(
  `${asText([...findings, ...machine])}\n\n${ready ? "Ready: npm run deploy -- --stage" : "Not ready for"} ${stage}`,
)
process.exit(ready ? 0 : 1)
