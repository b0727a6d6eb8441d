// Installs what the lockfile says, if that isn't what is there. Runs on whatever Node the machine has, before anything is
// installed, so it uses nothing but Node 20 and npm. With `start`, it leaves out what only tests, checks and deployments need.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { acquireLock } from "./lock.mjs"
import { requireWritable } from "./require-writable.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const modules = join(root, "node_modules")
const stamp = join(modules, ".installed")
const part = process.argv[2] === "start" ? "start" : "all"
const INSTALLING = "Installing dependencies (once, and after each update) …"
/** The parts of packages that nothing here reads: a third of all that is installed. */
const UNUSED = [
  /node-\w+-\w+\/(include|share)$/,
  /\.[cm]?[jt]s\.map$/,
  /\/(openai|@anthropic-ai\/sdk|groq-sdk|zod)\/src$/,
  /\/js-tiktoken\/dist\/(ranks|index\.\w+)$/,
  /\/tree-sitter-(c|html)\/(src|prebuilds)$/,
  /\/web-tree-sitter\/debug$/,
  /\/css-tree\/(dist|cjs)$/,
  /\/tree-sitter-wasm\/wasm\/tree-sitter(-ini|-powershell|-regex)?\.(wasm|js)$/,
]
/**
 * What a start doesn't read: declarations, packages' own documents, what only deployments use, React for other places than a
 * browser, and packages a second time, for programs that aren't ES modules.
 */
const UNUSED_BY_START = [
  /\.d\.[cm]?ts$/,
  /\/(README|CHANGELOG|HISTORY|SECURITY)\.md$/i,
  /\/node_modules\/(@langchain|@tanstack|@modelcontextprotocol)\/.*\.cjs$/,
  /\/node_modules\/(openai|@anthropic-ai\/sdk|groq-sdk)\/(?!internal\/auth\/).*\.js$/,
  /\/hono\/dist\/cjs$/,
  /\/node_modules\/(esbuild|@esbuild|@aws-sdk|@smithy)$/,
  /\/react-dom\/cjs\/react-dom-(server|profiling|client\.development|test)[\w.-]*$/,
]
/** What is installed, and what of it is removed. */
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .update(String(UNUSED))
  .digest("hex")
/** Where the rest is installed before it is moved to what is there. */
const rest = join(root, ".installing")

if (!isInstalled()) {
  requireWritable(root, "Dependencies")
  const lock = await acquireLock(root, () =>
    console.error("Another command installs the dependencies; waiting for it …"),
  )
  if (!isInstalled()) install(lock)
}

/** The content of the stamp: the lockfile's digest, and the installed part. */
function installed() {
  const [hash = "", which = "all"] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : []
  return { hash, which }
}

function isInstalled() {
  const { hash, which } = installed()
  return hash === wanted && (which === "all" || part === "start")
}

/**
 * Adds the rest where one part is there: a server may be running on it, under which `npm ci` would remove everything. Npm holds
 * the lock, too: it goes on where whoever started it is killed.
 */
function install(lock = -1) {
  const { hash, which } = installed()
  const adds = hash === wanted
  // An installation that was whole before an update is made whole again.
  const next = hash !== "" && which === "all" ? "all" : part
  console.error(adds ? "Installing what tests and checks need (once) …" : INSTALLING)
  const folder = adds ? copyManifests() : root
  const command = ["ci", next === "start" ? "--omit=dev" : "--include=dev"]
  if (!runNpm([...command, "--prefer-offline"], { folder, lock })) {
    console.error("Trying once more, in case npm's cache is older than the lockfile …")
    if (!runNpm(command, { folder, lock })) fail("npm ci failed; what it said is above.")
  }
  if (adds) {
    // The record of what is installed is npm's own, and of the whole.
    rmSync(join(modules, ".package-lock.json"), { force: true })
    moveMissing(join(rest, "node_modules"), modules)
    rmSync(rest, { recursive: true })
  }
  const node = spawnSync(join(modules, ".bin", "node"), ["--version"], { encoding: "utf8" })
  if (node.status !== 0) fail("Node could not be installed. Are npm's install scripts switched off (ignore-scripts)?")
  removeUnused(modules, next === "start" ? [...UNUSED, ...UNUSED_BY_START] : UNUSED)
  writeFileSync(stamp, `${wanted} ${next}`)
}

/**
 * Whether it worked. With `--prefer-offline` it takes what its cache has and asks the registry only for the rest, for two thirds
 * of the work; what a cache was told of a package before our version was published makes it fail, though.
 */
function runNpm(command, { folder, lock }) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const { status } = spawnSync(npm, [...command, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", 2, 2, lock >= 0 ? lock : "ignore"],
    shell: process.platform === "win32",
  })
  return status === 0
}

/** Copies what npm installs by, beside the installation that is there. */
function copyManifests() {
  rmSync(rest, { recursive: true, force: true })
  const packages = existsSync(join(root, "packages")) ? readdirSync(join(root, "packages")) : []
  const manifests = [
    ".npmrc",
    "package.json",
    "package-lock.json",
    ...packages.map((name) => `packages/${name}/package.json`),
  ]
  for (const name of manifests) {
    if (!existsSync(join(root, name))) continue
    mkdirSync(dirname(join(rest, name)), { recursive: true })
    copyFileSync(join(root, name), join(rest, name))
  }
  return rest
}

/** Moves whatever isn't in the other folder yet. What is there stays as it is. */
function moveMissing(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    const there = lstatSync(target, { throwIfNoEntry: false })
    if (!there) renameSync(source, target)
    else if (entry.isDirectory() && there.isDirectory()) moveMissing(source, target)
  }
}

/** Removes what no program reads. */
function removeUnused(folder, unused) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (unused.some((pattern) => pattern.test(path.replaceAll("\\", "/")))) rmSync(path, { recursive: true })
    else if (entry.isDirectory()) removeUnused(path, unused)
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
