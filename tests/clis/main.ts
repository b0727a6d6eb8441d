import { homedir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { clis } from "@switchyard/core/clis/clis"
import { CliId } from "@switchyard/core/clis/schema"
import { installClis } from "./install.ts"
import { models, scenarios, withStage } from "./scenarios.ts"

/** The real programs, in the real runner, against a scripted model on loopback. Says what it skipped, and why. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: "string" } } })
  if (process.platform !== "linux" || process.arch !== "x64") {
    console.log("Skipped: the agents are pinned for linux-x64.")
    return 0
  }
  const links = await installClis(join(homedir(), ".cache/switchyard-clis")).catch((error: Error) => {
    console.log(`Skipped: the agents can't be installed here (${error.message.split("\n")[0]}).`)
  })
  if (!links) return 0
  let failures = 0
  for (const cli of CliId.options) {
    if (values.only && !values.only.split(",").includes(cli)) continue
    if (!models[cli]) {
      console.log(`${cli}: skipped; ${cli === "vibe" ? "it needs Python 3.12" : "it has tests of its own"}`)
      continue
    }
    for (const scenario of scenarios) failures += await play(cli, links, scenario)
  }
  return failures > 0 ? 1 : 0
}

async function play(cli: CliId, links: string, scenario: (typeof scenarios)[number]): Promise<number> {
  const startedAt = performance.now()
  try {
    await withStage(cli, links, scenario.run)
    console.log(`${clis[cli].title} ${scenario.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
    return 0
  } catch (error) {
    console.error(`FAILED: ${clis[cli].title} ${scenario.name}`)
    console.error(error)
    return 1
  }
}

process.exit(await main())
