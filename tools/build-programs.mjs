// Bundles the programs that are started often, unless the bundles are current. A bundled program reads a few files at
// startup instead of hundreds, and doesn't have to strip types. A program with an outdated bundle starts from source.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join, relative, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { acquireLock } from "./lock.mjs"
import { requireWritable } from "./require-writable.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "node_modules", ".cache", "built")
const manifest = join(folder, "manifest.json")

/** Relative path from a bundle's folder to the root. */
const TO_ROOT = "../../../../../"

const PROGRAMS = {
  server: "packages/functions/src/local/run.ts",
  runner: "packages/runner/src/run.ts",
  isolation: "packages/runner/src/isolation.ts",
  retire: "packages/runner/src/retire.ts",
  mock: "packages/runner/src/mock/agent.ts",
  cli: "packages/cli/src/command-line/program.ts",
}

/** Packages that load their own files, and packages used only by deployments. */
const EXTERNAL = [/^@lydell\/node-pty/, /^web-tree-sitter/, /^@(aws-sdk|smithy)\//]

/** npm's record of its installation, used as an input instead of all package files. */
const INSTALLED = "node_modules/.package-lock.json"
const BUILDER = "tools/build-programs.mjs"
const RECIPES = "packages/demo-model/src/recipe-files.ts"

/** Number of builds to keep, because a running server may still load parts of an older one. */
const KEPT_BUILDS = 5

if (!isCurrent()) {
  requireWritable(join(root, "node_modules"), "The server")
  // npm runs this script with the machine's Node, which may be too old for the bundler.
  if (Number.parseInt(process.versions.node, 10) < 24) process.exit(runOnPinnedNode())
  await acquireLock(folder, () => console.error("Another command is building the server; waiting for it …"))
  if (!isCurrent()) await buildAll()
}

function isCurrent() {
  if (!existsSync(manifest)) return false
  const { programs } = JSON.parse(readFileSync(manifest, "utf8"))
  const inputs = Object.values(programs).flatMap((program) => Object.entries(program.inputs))
  return inputs.every(([path, version]) => versionOf(path) === version)
}

function runOnPinnedNode() {
  const isWindows = process.platform === "win32"
  const node = join(root, "node_modules", ".bin", isWindows ? "node.cmd" : "node")
  return spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: "inherit", shell: isWindows }).status ?? 1
}

async function buildAll() {
  console.error("Building the server (once, and after each change to it) …")
  const { rolldown } = await import("rolldown")
  const name = `${Date.now()}-${process.pid}`
  const built = Object.entries(PROGRAMS).map(async ([program, entry]) => [
    program,
    { file: `${name}/${program}/${program}.mjs`, inputs: await build(rolldown, entry, join(folder, name, program)) },
  ])
  const programs = Object.fromEntries(await Promise.all(built))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${manifest}-${process.pid}`, JSON.stringify({ programs }))
  renameSync(`${manifest}-${process.pid}`, manifest)
  const builds = readdirSync(folder)
    .filter((entry) => /^\d+-\d+$/.test(entry))
    .sort()
  for (const old of builds.slice(0, -KEPT_BUILDS)) rmSync(join(folder, old), { recursive: true, force: true })
}

/**
 * Builds a program into its own folder, and returns its files and their versions. Programs share no files, because a
 * program would then load what only the others need, from three times as many files.
 */
async function build(rolldown, entry, dir) {
  let inputs
  const bundle = await rolldown({
    cwd: root,
    input: { [basename(dir)]: entry },
    platform: "node",
    external: EXTERNAL,
    // Some modules are loaded on demand in the cloud but statically on this machine.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: "recipes",
        load: { filter: { id: /[\\/]demo-model[\\/]src[\\/]recipe-files\.ts$/ }, handler: recipesInside },
      },
      { name: "places", transform: { filter: { id: /[\\/]packages[\\/][^.]+\.ts$/ }, handler: inPlace } },
      { name: "http", renderChunk: withoutFetch },
      {
        name: "inputs",
        buildEnd() {
          inputs = inputsOf(join(root, entry), (id) => this.getModuleInfo(id))
        },
      },
    ],
    logLevel: "warn",
  })
  await bundle.write({
    ...{ dir, entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
    // Node keeps each file's text in memory. Escaping other characters lets it store each character in one byte.
    ...{ charset: "ascii", comments: false },
  })
  await bundle.close()
  return inputs
}

/**
 * Embeds the demo model's recipes with their JavaScript, so that the server doesn't have to load the compiler that
 * strips types.
 */
async function recipesInside(id) {
  // Suppresses Node's warning that the compiler is experimental.
  process.removeAllListeners("warning")
  const { recipeFiles } = await import(pathToFileURL(id).href)
  return `export const recipeFiles = ${JSON.stringify(recipeFiles)}`
}

/**
 * Lets a bundled module find files next to its source. The path is relative to the bundle, so that a checkout can be
 * moved.
 */
function inPlace(code, id) {
  // A thread's entry file runs from the bundle, and recipes are embedded as text.
  if (id.endsWith("thread-entry.ts") || id.endsWith("recipe-files.ts")) return undefined
  const path = relative(root, id).split(sep).map(encodeURIComponent).join("/")
  return code.replaceAll("import.meta.url", `new URL(${JSON.stringify(TO_ROOT + path)}, import.meta.url).href`)
}

/**
 * Replaces a chunk's import of `node:http` with the module object. An import evaluates all of the module's exports, and
 * `WebSocket` alone loads Node's fetch client, which adds 30 ms to startup.
 */
function withoutFetch(code) {
  return code.replace(
    /^import \{(?<names>[^}]*)\} from "(?<module>node:https?)";$/gm,
    (_, names, module) => `const {${names.replaceAll(" as ", ": ")}} = process.getBuiltinModule("${module}");`,
  )
}

/** Returns a program's files and their versions, including files that it may load later. */
function inputsOf(entry, moduleOf) {
  const found = new Set([entry])
  for (const id of found) {
    const { importedIds = [], dynamicallyImportedIds = [] } = moduleOf(id) ?? {}
    for (const next of [...importedIds, ...dynamicallyImportedIds]) found.add(next)
  }
  const paths = [...found].map((id) => relative(root, id).split(sep).join("/"))
  const recipes = paths.includes(RECIPES) ? recipePaths() : []
  const sources = [...paths, ...recipes].filter((path) => path.startsWith("packages/"))
  return Object.fromEntries([INSTALLED, BUILDER, ...sources.sort()].map((path) => [path, versionOf(path)]))
}

function recipePaths() {
  const folder = "packages/demo-model/recipes"
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const helper = "packages/demo-model/src/without-types.ts"
  return [helper, ...files.map((path) => relative(root, path).split(sep).join("/"))]
}

function versionOf(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false })
  return stats && `${stats.size} ${stats.mtimeMs}`
}
