import assert from "node:assert/strict"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { homedir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { systemClock } from "@switchyard/core/time"
import { installCli } from "@switchyard/runner/programs/install"
import { InstallError } from "@switchyard/runner/programs/npm-errors"
import { confinement } from "../runner/sandbox/confined.ts"
import { installVibe } from "./install-vibe.ts"
import { cases } from "./permission-cases.ts"
import { allPlays, type Play, playable } from "./plays.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    scenario: { type: "string", default: "" },
    jobs: { type: "string", default: "3" },
    sandbox: { type: "boolean", default: false },
    "if-possible": { type: "boolean", default: false },
  },
})
const install = { folder: join(homedir(), ".cache/switchyard-programs"), clock: systemClock, host: process.env }
const plays = allPlays(install, values.sandbox)

/** A worker's report of a play. */
interface Result {
  isFailed: boolean
  /** Outcome of a permission case. */
  held?: string | undefined
}

/**
 * Plays the real programs in the real runner, against a scripted model on loopback. Prints which programs it installs
 * and where, and which it skips and why. `--only claude,codex` selects programs, `--scenario TEXT` selects scenarios by
 * name, `--jobs 1` plays one after another, `--sandbox` uses a sandbox, and `--if-possible` tolerates an unreachable
 * npm registry. Resolves to the exit code.
 */
async function main(): Promise<number> {
  if (process.platform !== "linux") {
    console.log("Skipped: terminals with pipes beside them are Linux's.")
    return 0
  }
  if (values.sandbox && !confinement.means) {
    console.error("There is no sandbox on this machine: it takes bubblewrap and Perl.")
    return 1
  }
  const startedAt = performance.now()
  const wanted = values.only === undefined ? playable : BuiltInCli.array().parse(values.only.split(","))
  const named = plays.filter(
    ({ name, uses }) => name.includes(values.scenario) && uses.every((cli) => wanted.includes(cli)),
  )
  const installed = await Promise.all([...new Set(named.flatMap(({ uses }) => uses))].map(installProgram))
  const there = installed.flatMap(({ cli, isThere }) => (isThere ? [cli] : []))
  const isReady = ({ uses }: Play) => uses.every((cli) => there.includes(cli))
  for (const { name } of named.filter((play) => !isReady(play)))
    console.log(`Skipped, as a program is missing: ${name}`)
  const results = await playAll(named.filter(isReady), Number(values.jobs))
  console.log(permissionTable(results))
  const failed = [...results].flatMap(([{ name }, { isFailed }]) => (isFailed ? [name] : []))
  const missing = installed.filter(({ isFailed }) => isFailed).length
  for (const name of failed) console.log(`FAILED: ${name}`)
  const isWell = failed.length + missing === 0
  console.log(
    `${isWell ? `All ${results.size} went well` : `${failed.length + missing} failed`}, in ${since(startedAt)}.`,
  )
  return isWell ? 0 : 1
}

/** Installs a program, unless it is installed. */
async function installProgram(cli: BuiltInCli): Promise<{ cli: BuiltInCli; isThere: boolean; isFailed: boolean }> {
  try {
    const begins = async (what: string) => console.log(`${what} is installed in ${install.folder}, once …`)
    if (cli === "vibe") await installVibe(install.folder)
    else await installCli(install, cli, { begins, signal: AbortSignal.timeout(600_000) })
    return { cli, isThere: true, isFailed: false }
  } catch (error) {
    const isMissing = error instanceof InstallError
    if (!isMissing && cli !== "vibe") throw error
    // Vibe isn't on npm, so its installation can fail in other ways. The other programs still play.
    const isSkipped = values["if-possible"] && isMissing
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`${clis[cli].title}: ${isSkipped ? "skipped" : "FAILED"}; it can't be installed: ${reason}.`)
    return { cli, isThere: false, isFailed: !isSkipped }
  }
}

/** Plays in several processes, because agents inherit the environment of their server's process. */
async function playAll(chosen: Play[], jobs: number): Promise<Map<Play, Result>> {
  const left = [...chosen]
  const results = new Map<Play, Result>()
  async function work(): Promise<void> {
    let worker: ChildProcess | undefined
    for (let play = left.shift(); play; play = left.shift()) {
      worker = worker?.connected ? worker : fork(import.meta.filename, process.argv.slice(2))
      worker.send(play.name)
      const answered = once(worker, "message").then(([result]) => result as Result)
      const died = once(worker, "exit").then((): Result => ({ isFailed: true }))
      results.set(play, await Promise.race([answered, died]))
    }
    worker?.disconnect()
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return results
}

/** Plays whatever the parent process names. */
function workFor(parent: NodeJS.Process): void {
  parent.on("message", async (name) => {
    const play = plays.find((one) => one.name === name)
    const before = { ...process.env }
    const result = await report(play)
    for (const variable of Object.keys(process.env)) if (!(variable in before)) delete process.env[variable]
    Object.assign(process.env, before)
    parent.send?.(result)
  })
  parent.on("disconnect", () => process.exit())
}

/** Runs a play, and prints its result. */
async function report(play: Play | undefined): Promise<Result> {
  const startedAt = performance.now()
  let held: string | undefined
  try {
    held = await play?.run()
    assert.equal(held, play?.expected, play?.row ? "docs/agents.md says otherwise." : undefined)
    console.log(`${play?.name} (${since(startedAt)})`)
    return { isFailed: false, held }
  } catch (error) {
    console.error(`FAILED: ${play?.name} (${since(startedAt)})`)
    console.error(error)
    return { isFailed: true, held }
  }
}

/** Returns a Markdown table of each case's result by program. */
function permissionTable(results: Map<Play, Result>): string {
  const held = [...results].flatMap(([{ row, uses }, result]) => (row ? [{ row, cli: uses[0], ...result }] : []))
  const columns = playable.filter((cli) => held.some((one) => one.cli === cli))
  if (columns.length === 0) return ""
  const cell = (row: string, cli: BuiltInCli) => held.find((one) => one.row === row && one.cli === cli)?.held ?? "no"
  const rows = cases.map(({ name }) => `| ${[name, ...columns.map((cli) => cell(name, cli))].join(" | ")} |`)
  return [`| | ${columns.join(" | ")} |`, `|---|${"---|".repeat(columns.length)}`, ...rows].join("\n")
}

function since(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

if (process.send) workFor(process)
else process.exit(await main())
