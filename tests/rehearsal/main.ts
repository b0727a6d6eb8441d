import { setTimeout as pause } from "node:timers/promises"
import { archives } from "./archives.ts"
import { badWeather } from "./bad-weather.ts"
import { type Cloud, startCloud } from "./cloud.ts"
import { deadlines } from "./deadlines.ts"
import { launches } from "./launches.ts"
import { longAnswers } from "./long-answers.ts"
import { startModel } from "./model.ts"
import { runtimeClient } from "./runtime-client.ts"
import type { Scenarios, Stage } from "./stage.ts"

/** None takes a sixth of it on a machine of its own. */
const SCENARIO_MS = 240_000

// What a scenario that failed left behind is nothing to wait for.
process.exit(await main(process.argv.slice(2)))

/** Plays the installation through: `npm run rehearse -- [--if-possible] [words of scenarios …]`. */
async function main(args: string[]): Promise<number> {
  const client = await runtimeClient().catch((error: Error) => error)
  if (client instanceof Error) {
    console.log(`${client.message}\nSo nothing was rehearsed.`)
    return args.includes("--if-possible") ? 0 : 1
  }
  const model = await startModel()
  const cloud = await startCloud({ client, modelUrl: model.url })
  const score = { passed: 0, failed: 0 }
  const words = args.filter((arg) => !arg.startsWith("--"))
  const play = (scenarios: Scenarios) => playEach(scenarios, { cloud, model }, words, score)
  try {
    await Promise.all([
      play(launches),
      ...Object.entries(longAnswers).map((entry) => play(Object.fromEntries([entry]))),
    ])
    await play({ ...archives, ...deadlines, ...badWeather })
    console.log(billed(cloud))
    if (score.failed > 0) console.log(`What the functions printed last:\n${cloud.printed().slice(-6000)}`)
  } finally {
    await cloud.stop()
    await model.close()
  }
  console.log(`${score.passed} passed, ${score.failed} failed`)
  return score.failed > 0 || score.passed === 0 ? 1 : 0
}

/** What Lambda would have billed for all of it: a stream costs what it is open. */
function billed({ lambda }: Cloud): string {
  const lines = Object.entries(Object.groupBy(lambda.bills, ({ name }) => name)).map(([name, bills = []]) => {
    const seconds = bills.reduce((sum, { ms }) => sum + ms, 0) / 1000
    return `${name} ${seconds.toFixed(1)} s in ${bills.length} invocations`
  })
  return `Billed: ${lines.sort().join(", ")}`
}

async function playEach(
  scenarios: Scenarios,
  stage: Stage,
  words: string[],
  score: { passed: number; failed: number },
) {
  for (const [name, play] of Object.entries(scenarios)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue
    const began = performance.now()
    const failure = await Promise.race([play(stage), inTime(name)]).then(
      () => undefined,
      (error: unknown) => error ?? "without a reason",
    )
    score[failure ? "failed" : "passed"]++
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(failure ? `FAILED ${name} (${seconds} s)` : `ok     ${name} (${seconds} s)`)
    if (failure) console.log(failure)
  }
}

async function inTime(name: string): Promise<never> {
  await pause(SCENARIO_MS, undefined, { ref: false })
  throw new Error(`"${name}" has not ended after ${SCENARIO_MS / 1000} s.`)
}
