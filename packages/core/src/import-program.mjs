// This file and the files that import it are JavaScript, because it takes longer to load Node's type stripping than to
// start a small program.
import { readFileSync, statSync } from "node:fs"
import * as nodeModule from "node:module"
import { fileURLToPath } from "node:url"

const ROOT = new URL("../../../", import.meta.url)
const MANIFEST = new URL("node_modules/.cache/built/manifest.json", ROOT)

/**
 * Imports a program: its bundle, which starts faster, or its source if any source file has changed since. Half of the
 * startup time is compilation, so compiled code is cached.
 * @param {string} program name in `tools/build-programs.mjs`
 * @param {URL} source module that the bundle was built from
 * @param {{ fromSource?: boolean }} options with `fromSource`, always imports the source
 */
export function importProgram(program, source, { fromSource = false } = {}) {
  requireNode24()
  nodeModule.enableCompileCache(fileURLToPath(new URL("node_modules/.cache/compiled", ROOT)))
  return import(fromSource ? source.href : builtOrSource(program, source))
}

/**
 * Exits on older versions of Node, which have no compile cache or type stripping. Without this check, the error would
 * only mention a missing export.
 */
function requireNode24() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return
  const node = fileURLToPath(new URL("node_modules/.bin/node", ROOT))
  console.error(`Switchyard requires Node 24, but this is ${process.version}. Start it with npm start, or with ${node}`)
  process.exit(1)
}

/** Returns the URL of the program's bundle if it is up to date, or else the URL of its source. */
function builtOrSource(program, source) {
  const built = readManifest()?.programs[program]
  if (!built) return source.href
  const isCurrent = Object.entries(built.inputs).every(([path, version]) => versionOf(new URL(path, ROOT)) === version)
  return isCurrent ? new URL(built.file, MANIFEST).href : source.href
}

function versionOf(file) {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats && `${stats.size} ${stats.mtimeMs}`
}

/**
 * Reads the manifest written by `tools/build-programs.mjs`. It lists each program's bundle, and the size and
 * modification time of each input file.
 */
function readManifest() {
  try {
    return JSON.parse(readFileSync(MANIFEST, "utf8"))
  } catch (error) {
    if (error.code === "ENOENT") return undefined
    throw error
  }
}
