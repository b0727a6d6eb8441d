// Installs what the lockfile says, if that isn't what is there. Runs on whatever Node the machine has, before anything is
// installed, so it uses nothing but Node 20 and npm.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { acquireLock } from "./lock.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const stamp = join(root, "node_modules", ".installed")
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex")

if (!isInstalled()) {
  const lock = await acquireLock(root, () =>
    console.error("Another command installs the dependencies; waiting for it …"),
  )
  if (!isInstalled()) install(lock)
}

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === wanted
}

/** Npm holds the lock, too: it goes on where whoever started it is killed. */
function install(lock = -1) {
  console.error("Installing dependencies (once, and after each update) …")
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const { status } = spawnSync(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2, lock >= 0 ? lock : "ignore"],
    shell: process.platform === "win32",
  })
  if (status !== 0) fail("npm ci failed; what it said is above.")
  const node = spawnSync(join(root, "node_modules", ".bin", "node"), ["--version"], { encoding: "utf8" })
  if (node.status !== 0) fail("Node could not be installed. Are npm's install scripts switched off (ignore-scripts)?")
  writeFileSync(stamp, wanted)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
