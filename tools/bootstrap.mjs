// Installs the packages in the lockfile, unless they are installed. Runs on any Node from version 20 before anything is
// installed, so it may only use Node and npm. With `start`, leaves out packages for tests, checks and deployments.
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
/** Parts of packages that are never used. They make up a third of all installed files. */
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
 * Files that aren't needed to start the server: type declarations, documents, packages for deployments, React for
 * environments other than browsers, and CommonJS copies of packages.
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
/** Digest of the lockfile and the patterns of removed parts. */
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .update(String(UNUSED))
  .digest("hex")
/** Folder in which the remaining packages are installed before they are moved to the others. */
const rest = join(root, ".installing")

if (!isInstalled()) {
  requireWritable(root, "Dependencies")
  const lock = await acquireLock(root, () =>
    console.error("Another command is installing the dependencies; waiting for it …"),
  )
  if (!isInstalled()) install(lock)
}

/** Reads the stamp: the lockfile's digest, and which part is installed. */
function installed() {
  const [hash = "", which = "all"] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : []
  return { hash, which }
}

function isInstalled() {
  const { hash, which } = installed()
  return hash === wanted && (which === "all" || part === "start")
}

/**
 * Installs the packages. If a part is already installed, only adds the rest: a server may be running on that part, and
 * `npm ci` would remove it. npm inherits the lock, because it keeps running if its parent is killed.
 */
function install(lock = -1) {
  const { hash, which } = installed()
  const adds = hash === wanted
  // If all packages were installed before the lockfile changed, installs all of them again.
  const next = hash !== "" && which === "all" ? "all" : part
  console.error(adds ? "Installing packages for tests and checks (once) …" : INSTALLING)
  const folder = adds ? copyManifests() : root
  const command = ["ci", next === "start" ? "--omit=dev" : "--include=dev"]
  if (!runNpm([...command, "--prefer-offline"], { folder, lock })) {
    console.error("Trying again, in case npm's cache is older than the lockfile …")
    if (!runNpm(command, { folder, lock })) fail("npm ci failed; its output is above.")
  }
  if (adds) {
    // npm's own record must then cover the complete installation.
    rmSync(join(modules, ".package-lock.json"), { force: true })
    moveMissing(join(rest, "node_modules"), modules)
    rmSync(rest, { recursive: true })
  }
  const node = spawnSync(join(modules, ".bin", "node"), ["--version"], { encoding: "utf8" })
  if (node.status !== 0) fail("Node could not be installed. Are npm's install scripts disabled (ignore-scripts)?")
  removeUnused(modules, next === "start" ? [...UNUSED, ...UNUSED_BY_START] : UNUSED)
  writeFileSync(stamp, `${wanted} ${next}`)
}

/**
 * Runs npm. Returns true on success. `--prefer-offline` uses cached metadata, which saves a third of the time. It fails
 * if a package's cached metadata is older than the version in our lockfile.
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

/** Copies npm's inputs to a folder next to the existing installation. */
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

/** Moves the entries that are missing in the other folder. Existing ones are kept. */
function moveMissing(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    const there = lstatSync(target, { throwIfNoEntry: false })
    if (!there) renameSync(source, target)
    else if (entry.isDirectory() && there.isDirectory()) moveMissing(source, target)
  }
}

/** Removes files that nothing reads. */
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
