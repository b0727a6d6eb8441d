// Updates the lockfiles of the agents' programs after a change of pins in packages/core/src/agents/clis: `node
// tools/lock-agents.ts`, optionally with the changed agents' names. Asks npm's registry, and runs none of the packages.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import { type Lockfile, lockfileOf } from "../packages/runner/src/programs/lockfile.ts"
import { isNpmCli, MACHINES, type NpmCli, npmPackages } from "../packages/runner/src/programs/npm-program.ts"

interface Manifest {
  name: string
  version: string
  private: true
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Returns the manifest for a pinned version. Packages for some machines are optional, so that npm installs the matching
 * ones.
 */
function manifestOf(cli: NpmCli, version: string): Manifest {
  const { locks } = npmPackages[cli]
  const common = { name: `switchyard-${cli}`, version, private: true as const }
  if ("package" in locks) return { ...common, dependencies: { [locks.package]: version } }
  const versions = MACHINES.map((machine) => [locks.packageOf(machine), version])
  return { ...common, optionalDependencies: Object.fromEntries(versions) }
}

const FLAGS = [
  "--package-lock-only",
  "--ignore-scripts",
  "--omit-lockfile-registry-resolved",
  "--no-audit",
  "--no-fund",
]

function lock(manifest: Manifest): Lockfile {
  const folder = mkdtempSync(join(tmpdir(), "lock-agent-"))
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
    execFileSync("npm", ["install", ...FLAGS], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
    return JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Removes optional packages that the registry lacks. npm leaves them out of the lockfile, and then `npm ci` reports
 * them as missing.
 */
function withoutAbsent(lockfile: Lockfile): Lockfile {
  const locked = Object.keys(lockfile.packages)
  const isLocked = (name: string) => locked.some((path) => path.endsWith(`node_modules/${name}`))
  const packages = Object.entries(lockfile.packages).map(([path, { optionalDependencies, ...about }]) => {
    const wanted = Object.entries(optionalDependencies ?? {})
    const absent = wanted.flatMap(([name]) => (isLocked(name) ? [] : [name]))
    if (absent.length > 0) console.warn(`  The registry has no ${absent.join(", no ")}.`)
    const there = wanted.filter(([name]) => isLocked(name))
    return [path, { ...about, ...(there.length > 0 && { optionalDependencies: Object.fromEntries(there) }) }]
  })
  return { ...lockfile, packages: Object.fromEntries(packages) }
}

const wanted = process.argv.slice(2)
for (const [id, { package: pinned }] of Object.entries(clis)) {
  const cli = id as keyof typeof clis
  if (!pinned || !isNpmCli(cli) || (wanted.length > 0 && !wanted.includes(cli))) continue
  mkdirSync(dirname(lockfileOf(cli)), { recursive: true })
  const lockfile = withoutAbsent(lock(manifestOf(cli, pinned.version)))
  writeFileSync(lockfileOf(cli), `${JSON.stringify(lockfile, null, 2)}\n`)
  console.log(`${cli} ${pinned.version}`)
}
