// JavaScript, as are the files that import this: what strips types from TypeScript takes Node longer to load than a small
// program takes to start.
import { readFileSync, statSync } from "node:fs"
import * as nodeModule from "node:module"
import { fileURLToPath } from "node:url"

const ROOT = new URL("../../../", import.meta.url)
const MANIFEST = new URL("node_modules/.cache/built/manifest.json", ROOT)

/**
 * Imports a program: its bundle, which starts sooner, as long as all that it was built from is unchanged; else its source.
 * Half of a start is compiling, so that compiled code is kept.
 *
 * @param {string} program as `tools/build-programs.mjs` calls it
 * @param {URL} source the module that it was built from
 */
export function importProgram(program, source) {
  requireNode24()
  nodeModule.enableCompileCache(fileURLToPath(new URL("node_modules/.cache/compiled", ROOT)))
  return import(builtOrSource(program, source))
}

/** Ends the process on an older Node, which has no compile cache and strips no types. A missing export would name neither. */
function requireNode24() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return
  const node = fileURLToPath(new URL("node_modules/.bin/node", ROOT))
  console.error(`Switchyard takes Node 24, and this is ${process.version}. Start it with npm start, or with ${node}`)
  process.exit(1)
}

/** The URL of the program's bundle if that is current, else of its source. */
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

/** The record that `tools/build-programs.mjs` writes: of each program its bundle, and the size and the time of each file in it. */
function readManifest() {
  try {
    return JSON.parse(readFileSync(MANIFEST, "utf8"))
  } catch (error) {
    if (error.code === "ENOENT") return undefined
    throw error
  }
}
