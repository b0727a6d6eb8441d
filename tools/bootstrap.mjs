// Installs what the lockfile says, if that isn't what is there. Runs on whatever Node the machine has, before anything is
// installed, so it uses nothing but Node 20 and npm.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const stamp = join(root, "node_modules", ".installed")
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex")

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  console.error("Installing dependencies (once, and after each update) …")
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const install = spawnSync(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  })
  if (install.status !== 0) fail("npm ci failed; what it said is above.")
  const node = spawnSync(join(root, "node_modules", ".bin", "node"), ["--version"], { encoding: "utf8" })
  if (node.status !== 0) fail("Node could not be installed. Are npm's install scripts switched off (ignore-scripts)?")
  writeFileSync(stamp, wanted)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
