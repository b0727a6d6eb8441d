import assert from "node:assert/strict"
import { homedir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { clis } from "@switchyard/core/agents/clis/clis"
import { CliId } from "@switchyard/core/agents/clis/schema"
import { systemClock } from "@switchyard/core/time"
import { installCli } from "@switchyard/runner/programs/install"
import { InstallError } from "@switchyard/runner/programs/npm-errors"
import { confinement } from "../runner/sandbox/confined.ts"
import { dryCases, nameOf, playDry } from "./dry-accounts.ts"
import { playGitEscapes, usedForGitEscapes } from "./git-escapes.ts"
import { hostileScenarios, placesOf } from "./hostile-repository.ts"
import { installVibe } from "./install-vibe.ts"
import { limitScenarios, playLimits, usedForLimits } from "./limits.ts"
import { playLogin, usedForLogins } from "./logins.ts"
import { cases, type PermissionCase, playCase, readCases, ruleCases } from "./permission-cases.ts"
import { documentedPermissions } from "./permission-table.ts"
import { budgetScenario, models, type Stage, scenarios, withStage } from "./scenarios.ts"
import { playStorm, usedForStorm } from "./storm.ts"
import { toolScenario } from "./tool-scenario.ts"

/**
 * The real programs, in the real runner, against a scripted model on loopback. Says what it installs and where, what it skips
 * and why. `--only claude,codex` runs these; `--sandbox` runs them in one; `--if-possible` is content where npm's registry
 * can't be reached.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      sandbox: { type: "boolean", default: false },
      "if-possible": { type: "boolean", default: false },
    },
  })
  if (process.platform !== "linux") {
    console.log("Skipped: terminals with pipes beside them are Linux's.")
    return 0
  }
  const wanted = CliId.options.filter((cli) => !values.only || values.only.split(",").includes(cli))
  for (const cli of wanted.filter((each) => !models[each]))
    console.log(`${clis[cli].title}: skipped; it has tests of its own.`)
  if (values.sandbox && !confinement.means) {
    console.error("There is no sandbox on this machine: it takes bubblewrap and Perl.")
    return 1
  }
  const how = { confinement: values.sandbox ? confinement : undefined, isOptional: values["if-possible"] }
  const install = { folder: join(homedir(), ".cache/switchyard-programs"), clock: systemClock, host: process.env }
  const startedAt = performance.now()
  // Side by side: they wait more than they work.
  const results = await Promise.all(wanted.filter((cli) => models[cli]).map((cli) => playAll(cli, { install, ...how })))
  const failures = results.reduce((sum, each) => sum + each, 0)
  const failed =
    failures +
    (await playLimitsOf(wanted, install.folder, values.sandbox)) +
    (await playDryOf(wanted, install.folder, values.sandbox)) +
    (await playStormOf(wanted, install.folder, values.sandbox)) +
    (await playHostileOf(wanted, install.folder, values.sandbox)) +
    (await playLoginsOf(wanted, install.folder, values.sandbox)) +
    (await playGitEscapesOf(wanted, install.folder))
  console.log(permissionTable())
  console.log(`${failed === 0 ? "All went well" : `${failed} failed`}, in ${since(startedAt)}.`)
  return failed > 0 ? 1 : 0
}

type How = Parameters<typeof withStage>[1]

const installed = new Set<CliId>()

/** Resolves to how many failed. */
async function playAll(cli: CliId, how: How & { isOptional: boolean }): Promise<number> {
  const { install, isOptional } = how
  const startedAt = performance.now()
  if (cli === "vibe" && how.confinement) {
    console.log(`${clis.vibe.title}: skipped; its Python isn't in the sandbox.`)
    return 0
  }
  try {
    const begins = async (what: string) => console.log(`${what} is installed in ${install.folder}, once …`)
    if (cli === "vibe") await installVibe(install.folder)
    else await installCli(install, cli, { begins, signal: AbortSignal.timeout(600_000) })
  } catch (error) {
    const isMissing = error instanceof InstallError
    if (!isMissing && cli !== "vibe") throw error
    // Vibe isn't on npm: where it is missing, its permissions were not tried.
    const isSkipped = isOptional && isMissing
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`${clis[cli].title}: ${isSkipped ? "skipped" : "FAILED"}; it can't be installed: ${reason}.`)
    return isSkipped ? 0 : 1
  }
  // The servers of other scenarios install programs themselves, which they can't do with Vibe.
  if (cli !== "vibe") installed.add(cli)
  const installedIn = since(startedAt)
  let failures = 0
  // The scripted model doesn't know how Vibe calls the tools of its session.
  const more = cli === "vibe" ? [] : [toolScenario]
  for (const scenario of [...scenarios, budgetScenario, ...more]) {
    failures += await play(cli, how, scenario)
  }
  for (const one of cases) failures += await playPermission(cli, how, one)
  for (const one of [...ruleCases, ...(cli === "codex" ? [] : readCases)])
    failures += await play(cli, how, { name: one.name, run: (stage) => playRules(stage, one) })
  console.log(`${clis[cli].title} is done (there in ${installedIn}, all in ${since(startedAt)}).`)
  return failures
}

/** The limits of the two together, after all else: their servers have no network but loopback. */
async function playLimitsOf(wanted: CliId[], programs: string, isConfined: boolean): Promise<number> {
  const because = whyNot(usedForLimits, wanted, isConfined)
  if (because) {
    console.log(`Limits in the middle of a task: skipped ${because}.`)
    return 0
  }
  let failures = 0
  for (const scenario of limitScenarios) failures += await report(scenario.name, () => playLimits(scenario, programs))
  return failures
}

/** Accounts that are dry, each with a program of its own. */
async function playDryOf(wanted: CliId[], programs: string, isConfined: boolean): Promise<number> {
  let failures = 0
  for (const one of dryCases) {
    const because = whyNot([one.cli, one.next], wanted, isConfined)
    if (because) console.log(`${nameOf(one)}: skipped ${because}.`)
    else failures += await report(nameOf(one), () => playDry(one, programs))
  }
  return failures
}

async function playStormOf(wanted: CliId[], programs: string, isConfined: boolean): Promise<number> {
  const name = "Eight agents of four programs at once, whose runner is killed at 20 instants"
  const because = whyNot(usedForStorm, wanted, isConfined)
  if (!because) return report(name, () => playStorm(programs, STORM_SEED))
  console.log(`${name}: skipped ${because}.`)
  return 0
}

const STORM_SEED = 1

/** Hostile repositories, in each place of this machine that the program can work in. */
async function playHostileOf(wanted: CliId[], programs: string, isConfined: boolean): Promise<number> {
  const name = "Hostile repositories"
  // Their servers are with and without a sandbox anyway.
  if (isConfined) console.log(`${name}: skipped in a sandbox.`)
  if (isConfined) return 0
  const machine = { hasSandbox: confinement.means === "bubblewrap", isRoot: process.getuid?.() === 0 }
  let failures = 0
  for (const cli of wanted.filter((each) => models[each])) {
    const isInstalled = installed.has(cli) || cli === "vibe"
    if (!isInstalled) console.log(`${name}: skipped without ${cli}.`)
    const places = placesOf(cli, machine)
    for (const { name, run } of isInstalled ? hostileScenarios(cli, places) : [])
      failures += await report(name, () => run(programs))
  }
  return failures
}

async function playLoginsOf(wanted: CliId[], programs: string, isConfined: boolean): Promise<number> {
  let failures = 0
  for (const cli of usedForLogins) {
    const name = `${clis[cli].title} works with its own log-in, which is stored as it leaves it and shown nowhere`
    const because = whyNot([cli], wanted, isConfined)
    if (because) console.log(`${name}: skipped ${because}.`)
    else failures += await report(name, () => playLogin(cli, programs))
  }
  return failures
}

/** In a sandbox, whether or not the others are. */
async function playGitEscapesOf(wanted: CliId[], programs: string): Promise<number> {
  let failures = 0
  for (const cli of usedForGitEscapes) {
    const name = `${clis[cli].title} leaves nothing that git starts outside of its sandbox`
    const because = confinement.means === "bubblewrap" ? whyNot([cli], wanted, false) : "without bubblewrap"
    if (because) console.log(`${name}: skipped ${because}.`)
    else failures += await report(name, () => playGitEscapes(cli, programs))
  }
  return failures
}

/** The reason for which programs can't be played together. */
function whyNot(used: readonly CliId[], wanted: CliId[], isConfined: boolean): string | undefined {
  if (isConfined) return "in a sandbox"
  const missing = used.filter((cli) => !wanted.includes(cli) || !installed.has(cli))
  return missing.length > 0 ? `without ${missing.join(" and ")}` : undefined
}

async function play(cli: CliId, how: How, { name, run }: (typeof scenarios)[number]): Promise<number> {
  return report(`${clis[cli].title} ${name}`, () => withStage(cli, how, run))
}

/** Says how it went. Resolves to how many failed. */
async function report(name: string, run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  try {
    await run()
    console.log(`${name} (${since(startedAt)})`)
    return 0
  } catch (error) {
    console.error(`FAILED: ${name}`)
    console.error(error)
    return 1
  }
}

/** Rules hold in every mode and every program, without an exception. */
async function playRules(stage: Stage, one: PermissionCase): Promise<void> {
  assert.equal(await playCase(stage, one), "yes")
}

/** The result of each case, by program. */
const held = new Map<CliId, Map<string, string>>()

async function playPermission(cli: CliId, how: How, one: PermissionCase): Promise<number> {
  const ofCli = held.get(cli) ?? new Map<string, string>()
  held.set(cli, ofCli.set(one.name, "no"))
  const run = async (stage: Stage) => {
    const came = await playCase(stage, one)
    ofCli.set(one.name, came)
    assert.equal(came, documentedPermissions().get(cli)?.get(one.name), "docs/agents.md says otherwise.")
  }
  return play(cli, how, { name: one.name, run })
}

function permissionTable(): string {
  const names = [...held.keys()]
  const rows = cases.map(({ name }) => `| ${[name, ...names.map((cli) => held.get(cli)?.get(name))].join(" | ")} |`)
  return [`| | ${names.join(" | ")} |`, `|---|${"---|".repeat(names.length)}`, ...rows].join("\n")
}

function since(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

process.exit(await main())
