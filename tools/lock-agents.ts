// Updates the lockfiles of the agents' programs after pins in packages/core/src/agents/clis have changed: `node
// tools/lock-agents.ts`, optionally followed by the names of the changed agents. Queries npm's registry, but doesn't
// run any of the packages.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { NpmPackage } from "@switchyard/core/agents/clis/cli"
import { clis } from "@switchyard/core/agents/clis/clis"
import { type Lockfile, lockPath } from "../packages/runner/src/programs/lockfile.ts"
import { buildsOf } from "../packages/runner/src/programs/npm-program.ts"

interface Manifest {
  name: string
  version: string
  private: true
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Returns the manifest for a pinned version. Platform-specific packages are optional, so that npm installs only the
 * matching ones.
 */
function manifestOf(cli: string, pinned: NpmPackage): Manifest {
  const { name, version } = pinned
  const builds = buildsOf(pinned)
  const common = { name: `switchyard-${cli}`, version, private: true as const }
  if (!builds) return { ...common, dependencies: { [name]: version } }
  return { ...common, optionalDependencies: Object.fromEntries(builds.map((build) => [build, version])) }
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
 * Removes optional packages that don't exist in the registry. npm leaves them out of the lockfile, and `npm ci` would
 * then report them as missing.
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
for (const [cli, { package: pinned }] of Object.entries(clis)) {
  if (pinned?.registry !== "npm" || (wanted.length > 0 && !wanted.includes(cli))) continue
  const files = { "package-lock.json": withoutAbsent(lock(manifestOf(cli, pinned))), "program.json": pinned }
  mkdirSync(dirname(lockPath(cli, "program.json")), { recursive: true })
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(lockPath(cli, file as keyof typeof files), `${JSON.stringify(content, null, 2)}\n`)
  }
  console.log(`${cli} ${pinned.version}`)
}
