import { parseArgs } from "node:util"
import { cases } from "./cases.ts"
import { evaluate, type Step } from "./evaluate.ts"
import { startLocalServer } from "./local-server.ts"
import { report } from "./report.ts"

const USAGE = `npm run eval -- --model PROVIDER/MODEL [--case NAME]…

Builds and changes a fixed set of small projects with a real model. Prints how many requests were fulfilled: the project
installs, builds, passes its tests and starts, and contains what the requests name. Costs as much as about 13 builds.

Cases: ${cases.map(({ name }) => name).join(", ")}. All of them by default.`

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    case: { type: "string", multiple: true },
    help: { type: "boolean" },
  },
})
const names = values.case ?? cases.map(({ name }) => name)
const unknown = names.find((name) => !cases.some((each) => each.name === name))
if (values.help || !values.model || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no case called ${JSON.stringify(unknown)}.\n`)
  else if (!values.help) console.error("Name a model.\n")
  console.error(USAGE)
  process.exit(values.help ? 0 : 2)
}

await using server = await startLocalServer()
const steps: Step[] = []
const chosen = cases.filter(({ name }) => names.includes(name))
try {
  for await (const step of evaluate(server, values.model, chosen)) {
    steps.push(step)
    console.error(`${step.case}: ${step.status}, checks ${step.checks ?? "didn't run"}, ${step.seconds.toFixed(0)} s`)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
if (steps.length > 0) console.log(report(steps))
