// Moves the pins of agents' programs to the newest versions on npm: `node tools/update-agents.ts`, optionally followed
// by the names of agents. Reports which options and which parts of Codex's protocol differ, and runs the real programs
// against the scripted model. Undoes a pin if they fail. `--dry` only reports newer versions. Never runs install
// scripts.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type CliId, clis } from "@switchyard/core/agents/clis/clis"

const root = fileURLToPath(new URL("..", import.meta.url))
const INSTALLED = join(homedir(), ".cache/switchyard-programs")
/** Format of versions accepted from a registry, because they become part of files and commands. */
const VERSION = /^\d+\.\d+\.\d+$/

/** A program's options and, if it has its own protocol, the files that describe the protocol. */
interface Surface {
  options: string[]
  protocol: Map<string, string>
}

const given = process.argv.slice(2)
const isDry = given.includes("--dry")
const wanted = given.filter((name) => name !== "--dry")

let failures = 0
for (const [cli, { title, package: pinned }] of Object.entries(clis)) {
  if (!pinned || (wanted.length > 0 && !wanted.includes(cli))) continue
  if (pinned.registry !== "npm") {
    console.log(`${title} ${pinned.version}: not on npm; compare it with https://pypi.org/project/${pinned.name}/.`)
    continue
  }
  const newest = run("npm", ["view", pinned.name, "version"]).trim()
  if (!VERSION.test(newest)) throw new Error(`The registry names no version of ${pinned.name}: ${newest}`)
  const isCurrent = newest === pinned.version
  console.log(`${title} ${pinned.version}${isCurrent ? " is current." : ` → ${newest}`}`)
  if (!isCurrent && !isDry && !update(cli as CliId, pinned.version, newest)) failures++
}
process.exitCode = failures > 0 ? 1 : 0

/** Moves a pin, and returns true if the program still passes. Otherwise restores the files. */
function update(cli: CliId, from: string, to: string): boolean {
  const source = join(root, `packages/core/src/agents/clis/${cli}.ts`)
  const locks = join(root, `packages/runner/src/programs/locks/${cli}`)
  const files = [source, ...readdirSync(locks).map((name) => join(locks, name))]
  const before = files.map((file) => readFileSync(file, "utf8"))
  const surface = surfaceOf(cli, from)
  let passed = false
  try {
    writeFileSync(source, readFileSync(source, "utf8").replace(`"${from}"`, `"${to}"`))
    run(process.execPath, ["tools/lock-agents.ts", cli])
    report(surface, surfaceOf(cli, to))
    const args = ["tests/clis/main.ts", "--only", cli]
    passed = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0
  } finally {
    if (!passed) {
      for (const [index, file] of files.entries()) writeFileSync(file, before[index] ?? "")
      console.log(`  ${to} fails, so the pin stays at ${from}.`)
    }
  }
  return passed
}

/** Installs a version, unless it is installed, and reads the program's options and protocol. */
function surfaceOf(cli: CliId, version: string): Surface {
  // A separate process imports the pins, because this one would keep them from before the update.
  const module = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href)
  const install = `
    const { installCli } = await import(${module("packages/runner/src/programs/install.ts")})
    const clock = (await import(${module("packages/core/src/time.ts")})).systemClock
    const begins = async (what) => console.error("  Installing " + what + " …")
    const deps = { folder: ${JSON.stringify(INSTALLED)}, clock, host: process.env }
    await installCli(deps, ${JSON.stringify(cli)}, { begins, signal: AbortSignal.timeout(600_000) })`
  run(process.execPath, ["--input-type=module", "-e", install])
  const program = join(INSTALLED, `${cli}-${version}`, "bin", cli)
  const home = mkdtempSync(join(tmpdir(), "agent-home-"))
  try {
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, CODEX_HOME: home }
    const ask = (...args: string[]) => spawnSync(program, args, { cwd: home, env, encoding: "utf8", timeout: 60_000 })
    const { stdout, stderr } = ask("--help")
    const options = [...new Set(`${stdout}${stderr}`.match(/(?<![\w-])--[a-z][a-z0-9-]*/g))].sort()
    if (cli === "codex") ask("app-server", "generate-ts", "--out", join(home, "protocol"))
    return { options, protocol: cli === "codex" ? filesIn(join(home, "protocol")) : new Map() }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path), readFileSync(path, "utf8")]
    }),
  )
}

function report(before: Surface, after: Surface): void {
  show("New options", minus(after.options, before.options))
  show("Removed options", minus(before.options, after.options))
  const [names, newNames] = [[...before.protocol.keys()], [...after.protocol.keys()]]
  show("New in the protocol", minus(newNames, names))
  show("Removed from the protocol", minus(names, newNames))
  const changed = names.filter((name) => after.protocol.get(name) !== before.protocol.get(name))
  show("Changed in the protocol", minus(changed, minus(names, newNames)))
  if (changed.length === 0 && before.options.join() === after.options.join()) console.log("  The same options.")
}

function minus(all: string[], others: string[]): string[] {
  return all.filter((one) => !others.includes(one))
}

function show(what: string, names: string[]): void {
  if (names.length > 0) console.log(`  ${what}: ${names.join(", ")}`)
}

function run(file: string, args: string[]): string {
  return execFileSync(file, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
}
