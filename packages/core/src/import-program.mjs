// JavaScript, like the files that import this. Loading Node's type stripping takes longer than a small program's start.
import { readFileSync, statSync } from "node:fs"
import * as nodeModule from "node:module"
import { fileURLToPath } from "node:url"

const ROOT = new URL("../../../", import.meta.url)
const MANIFEST = new URL("node_modules/.cache/built/manifest.json", ROOT)

/**
 * Imports a program: its bundle, which starts faster, if none of its sources have changed, and otherwise its source.
 * Half of the start is compiling, so compiled code is cached.
 * @param {string} program name in `tools/build-programs.mjs`
 * @param {URL} source module that the bundle was built from
 */
export function importProgram(program, source) {
  requireNode24()
  nodeModule.enableCompileCache(fileURLToPath(new URL("node_modules/.cache/compiled", ROOT)))
  return import(builtOrSource(program, source))
}

/**
 * Ends the process on an older Node, which has no compile cache and no type stripping. The error of a missing export
 * would mention neither.
 */
function requireNode24() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return
  const node = fileURLToPath(new URL("node_modules/.bin/node", ROOT))
  console.error(`Switchyard requires Node 24, but this is ${process.version}. Start it with npm start, or with ${node}`)
  process.exit(1)
}

/** Returns the URL of the program's bundle if it is current, or else of its source. */
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
 * Reads the record written by `tools/build-programs.mjs`: each program's bundle, with the size and time of each file in
 * it.
 */
function readManifest() {
  try {
    return JSON.parse(readFileSync(MANIFEST, "utf8"))
  } catch (error) {
    if (error.code === "ENOENT") return undefined
    throw error
  }
}
