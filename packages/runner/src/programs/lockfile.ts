import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { NpmPackage } from "@switchyard/core/agents/clis/cli"

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

/**
 * Returns the path of an agent's lockfile, or of a copy of its package description. The copy is needed for images that
 * are built without the agents' code. `tools/lock-agents.ts` creates both files.
 */
export function lockPath(cli: string, file: "package-lock.json" | "program.json"): string {
  return fileURLToPath(new URL(`locks/${cli}/${file}`, import.meta.url))
}

export async function readLockfile(cli: string): Promise<Lockfile> {
  return JSON.parse(await readFile(lockPath(cli, "package-lock.json"), "utf8"))
}

export async function readPackage(cli: string): Promise<NpmPackage> {
  return JSON.parse(await readFile(lockPath(cli, "program.json"), "utf8"))
}

/** Returns the required packages that the lockfile doesn't pin because there is no version of them for this machine. */
export function unpinned({ packages }: Lockfile, needed: string[]): string[] {
  return needed.filter((name) => packages[`node_modules/${name}`]?.integrity === undefined)
}
