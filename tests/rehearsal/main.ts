import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { agents, networkedAgents, warmAgents } from "./agents.ts"
import { archives } from "./archives.ts"
import { badWeather } from "./bad-weather.ts"
import { buildBundles } from "./bundles.ts"
import { type Cloud, type CloudOptions, startCloud } from "./cloud.ts"
import { deadlines } from "./deadlines.ts"
import { launches } from "./launches.ts"
import { logins } from "./logins.ts"
import { longAnswers } from "./long-answers.ts"
import { startModel } from "./model.ts"
import { owner } from "./owner.ts"
import { pipelines } from "./pipelines.ts"
import { runtimeClient } from "./runtime-client.ts"
import { sockets } from "./sockets.ts"
import type { Scenarios, Stage } from "./stage.ts"

/** On an otherwise idle machine, no scenario takes a sixth of this. */
const SCENARIO_MS = 240_000

/** Nothing listens at the proxy, so all requests through it fail. */
const NETWORK = {
  ...{ RUNNER_SUBNETS: "subnet-0a1b2c3d,subnet-4e5f6a7b", RUNNER_SECURITY_GROUP: "sg-0a1b2c3d" },
  ...{ RUNNER_HTTPS_PROXY: "http://127.0.0.1:9", RUNNER_HTTP_PROXY: "http://127.0.0.1:9" },
}

// Don't wait for what a failed scenario left running.
process.exit(await main(process.argv.slice(2)))

/**
 * Plays the installation's scenarios: `npm run rehearse -- [--if-possible] [words of scenarios …]`. Resolves to the
 * exit code.
 */
async function main(args: string[]): Promise<number> {
  const client = await runtimeClient().catch((error: Error) => error)
  if (client instanceof Error) {
    console.log(`${client.message}\nSo nothing was rehearsed.`)
    return args.includes("--if-possible") ? 0 : 1
  }
  const words = args.filter((arg) => !arg.startsWith("--"))
  const score = { passed: 0, failed: 0 }
  const bundles = await mkdtemp(join(tmpdir(), "rehearsal-bundles-"))
  const model = await startModel()

  /** Plays the requested scenarios among these on a new installation, if any were requested. */
  async function playOn(
    given: Pick<CloudOptions, "agents" | "warmRunners" | "network">,
    rounds: Scenarios[][],
  ): Promise<void> {
    const asked = rounds.map((round) => round.map((scenarios) => chosen(scenarios, words)))
    if (asked.flat().every((scenarios) => Object.keys(scenarios).length === 0)) return
    const cloud = await startCloud({ client: client as string, modelUrl: model.url, bundles, ...given })
    const failed = score.failed
    try {
      for (const round of asked) await Promise.all(round.map((each) => playEach(each, { cloud, model }, score)))
      console.log(billed(cloud))
      if (score.failed > failed) console.log(`What was printed last:\n${cloud.printed().slice(-6000)}`)
    } finally {
      await cloud.stop()
    }
  }

  try {
    await buildBundles(bundles)
    const atOnce = Object.entries(longAnswers).map((entry) => Object.fromEntries([entry]))
    await playOn({}, [[{ ...launches, ...pipelines }, ...atOnce], [{ ...archives, ...deadlines, ...badWeather }]])
    await playOn({ agents: true }, [[agents], [logins], [owner], [sockets]])
    await playOn({ agents: true, warmRunners: 1 }, [[warmAgents]])
    await playOn({ agents: true, network: NETWORK }, [[networkedAgents]])
  } finally {
    await model.close()
    await rm(bundles, { recursive: true, force: true })
  }
  console.log(`${score.passed} passed, ${score.failed} failed`)
  return score.failed > 0 || score.passed === 0 ? 1 : 0
}

function chosen(scenarios: Scenarios, words: string[]): Scenarios {
  const wanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word))
  return Object.fromEntries(Object.entries(scenarios).filter(([name]) => wanted(name)))
}

/** Returns the time that Lambda would bill. A stream costs as long as it is open. */
function billed({ lambda }: Cloud): string {
  const lines = Object.entries(Object.groupBy(lambda.bills, ({ name }) => name)).map(([name, bills = []]) => {
    const seconds = bills.reduce((sum, { ms }) => sum + ms, 0) / 1000
    return `${name} ${seconds.toFixed(1)} s in ${bills.length} invocations`
  })
  return `Billed: ${lines.sort().join(", ")}`
}

async function playEach(scenarios: Scenarios, stage: Stage, score: { passed: number; failed: number }) {
  for (const [name, play] of Object.entries(scenarios)) {
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
