// Installs what the lockfile says, if that isn't what is there. Runs on whatever Node the machine has, before anything is
// installed, so it uses nothing but Node 20 and npm. With `start`, it leaves out what only tests, checks and deployments need.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { acquireLock } from "./lock.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const modules = join(root, "node_modules")
const stamp = join(modules, ".installed")
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex")
const part = process.argv[2] === "start" ? "start" : "all"
const INSTALLING = "Installing dependencies (once, and after each update) …"
/** Node's own headers, and source maps: a fifth of all that is installed. */
const HEADERS = /node-\w+-\w+[/\\]include$/
const SOURCE_MAP = /\.[cm]?[jt]s\.map$/

if (!isInstalled()) {
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
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const command = adds
    ? ["install", "--no-save", "--include=dev"]
    : ["ci", next === "start" ? "--omit=dev" : "--include=dev"]
  const { status } = spawnSync(npm, [...command, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2, lock >= 0 ? lock : "ignore"],
    shell: process.platform === "win32",
  })
  if (status !== 0) fail(`npm ${command[0]} failed; what it said is above.`)
  const node = spawnSync(join(modules, ".bin", "node"), ["--version"], { encoding: "utf8" })
  if (node.status !== 0) fail("Node could not be installed. Are npm's install scripts switched off (ignore-scripts)?")
  removeUnused(modules)
  writeFileSync(stamp, `${wanted} ${next}`)
}

/** Removes what no program reads. */
function removeUnused(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    if (isFolder ? HEADERS.test(path) : SOURCE_MAP.test(path)) rmSync(path, { recursive: true })
    else if (isFolder) removeUnused(path)
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
