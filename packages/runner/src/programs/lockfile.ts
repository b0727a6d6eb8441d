import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { NpmCli } from "./npm-program.ts"

/** A lockfile of npm, as far as it is read here: each package has the hash of its content. */
export interface Lockfile {
  packages: { [path: string]: LockedPackage }
}

interface LockedPackage {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** The file that pins all packages of an agent's program. `tools/lock-agents.ts` makes it. */
export function lockfileOf(cli: NpmCli): string {
  return fileURLToPath(new URL(`locks/${cli}/package-lock.json`, import.meta.url))
}

export async function readLockfile(cli: NpmCli): Promise<Lockfile> {
  return JSON.parse(await readFile(lockfileOf(cli), "utf8"))
}

/** The packages among these that the lockfile doesn't pin: its program can't be had for this machine. */
export function unpinned({ packages }: Lockfile, needed: string[]): string[] {
  return needed.filter((name) => packages[`node_modules/${name}`]?.integrity === undefined)
}
