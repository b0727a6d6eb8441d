import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { NpmCli } from "./npm-program.ts"

/** Fields of an npm lockfile that are used here. Each package has a hash of its content. */
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

/** Returns the lockfile of an agent's program. `tools/lock-agents.ts` creates it. */
export function lockfileOf(cli: NpmCli): string {
  return fileURLToPath(new URL(`locks/${cli}/package-lock.json`, import.meta.url))
}

export async function readLockfile(cli: NpmCli): Promise<Lockfile> {
  return JSON.parse(await readFile(lockfileOf(cli), "utf8"))
}

/** Returns the needed packages that the lockfile doesn't pin. Without them, no program exists for this machine. */
export function unpinned({ packages }: Lockfile, needed: string[]): string[] {
  return needed.filter((name) => packages[`node_modules/${name}`]?.integrity === undefined)
}
