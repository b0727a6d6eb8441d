import { readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The record that `tools/build-programs.mjs` writes. */
interface Manifest {
  /** The size and the time of each file that was read for the program, by its path in the checkout. */
  programs: Record<string, { file: string; inputs: Record<string, string> }>
}

const ROOT = new URL("../../../", import.meta.url)
const MANIFEST = new URL("node_modules/.cache/built/manifest.json", ROOT)

/** The URL to import a program from: its bundle, which starts sooner, as long as all that it was built from is unchanged; else its source. */
export function builtOrSource(program: string, source: URL): string {
  const built = readManifest()?.programs[program]
  if (!built) return source.href
  const isCurrent = Object.entries(built.inputs).every(([path, version]) => versionOf(new URL(path, ROOT)) === version)
  return isCurrent ? new URL(built.file, MANIFEST).href : source.href
}

function versionOf(file: URL): string | undefined {
  const stats = statSync(fileURLToPath(file), { throwIfNoEntry: false })
  return stats && `${stats.size} ${stats.mtimeMs}`
}

function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(MANIFEST, "utf8"))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
