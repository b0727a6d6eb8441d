// Builds the studio, unless the existing build is current. Runs on any Node, like bootstrap.mjs, but builds with the
// installed one.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { acquireLock } from "./lock.mjs"
import { requireWritable } from "./require-writable.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const web = join(root, "packages", "web")
const dist = join(web, "dist")
const stamp = join(web, ".dist-stamp")
const building = `.dist-${process.pid}`

const SOURCES = [
  "package-lock.json",
  "tsconfig.json",
  "packages/client/src",
  "packages/core/src",
  ...["src", "public", "index.html", "package.json", "vite.config.ts"].map((name) => `packages/web/${name}`),
]

const wanted = digest(SOURCES.map((name) => join(root, name)))
if (!isBuilt()) {
  if (/[#?]/.test(root)) {
    console.error(`Vite can't build in a folder with # or ? in its path. Rename ${root}`)
    process.exit(1)
  }
  requireWritable(web, "The studio")
  await acquireLock(`${web} dist`, () => console.error("Another command is building the studio; waiting for it …"))
  if (!isBuilt()) build()
}

function isBuilt() {
  if (!existsSync(stamp) || !existsSync(join(dist, "index.html"))) return false
  return readFileSync(stamp, "utf8") === `${wanted} ${digest([dist])}`
}

/** Builds next to the served folder, which is left unchanged until the new one is complete. */
function build() {
  console.error("Building the studio (once, and after each change to it) …")
  removeRemains()
  const vite = join(root, "node_modules", "vite", "bin", "vite.js")
  const { status, stdout, stderr, error } = spawnSync(
    join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node"),
    [vite, "build", "--outDir", building, "--emptyOutDir", "--logLevel", "warn"],
    {
      cwd: web,
      encoding: "utf8",
      // A build started by a test must not leave React's development build for the next start.
      env: { ...process.env, NODE_ENV: "production", NO_COLOR: "1" },
      shell: process.platform === "win32",
    },
  )
  if (status !== 0 || !existsSync(join(web, building, "index.html"))) {
    rmSync(join(web, building), { recursive: true, force: true })
    console.error(stripVTControlCharacters(`${stdout ?? ""}${stderr ?? ""}${error ?? ""}`).trim())
    console.error("The studio couldn't be built; see the errors above.")
    process.exit(1)
  }
  const built = digest([join(web, building)])
  replace()
  writeFileSync(stamp, `${wanted} ${built}`)
}

/**
 * Replaces the served folder. Without a lock, another process may do so at the same time. The builds are identical, so
 * it doesn't matter which one remains.
 */
function replace() {
  const old = join(web, `${building}-old`)
  for (let attempt = 0; ; attempt++) {
    if (existsSync(dist)) ignoring(["ENOENT"], () => renameSync(dist, old))
    if (ignoring(attempt < 5 ? ["ENOTEMPTY", "EEXIST", "EPERM"] : [], () => renameSync(join(web, building), dist)))
      break
    rmSync(old, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

/** Removes what killed builds left behind. */
function removeRemains() {
  for (const name of readdirSync(web)) {
    const pid = /^\.dist-(\d+)(-old)?$/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(web, name), { recursive: true, force: true })
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}

function ignoring(codes, task) {
  try {
    task()
    return true
  } catch (error) {
    if (!codes.includes(error.code)) throw error
    return false
  }
}

/** Hashes the names and contents of files, including all files in folders. */
function digest(paths) {
  const hash = createHash("sha256")
  const add = (path, name) => {
    if (!existsSync(path)) return
    if (statSync(path).isDirectory()) {
      for (const entry of readdirSync(path).sort()) add(join(path, entry), `${name}/${entry}`)
    } else hash.update(`${name}\0`).update(createHash("sha256").update(readFileSync(path)).digest())
  }
  for (const [index, path] of paths.entries()) add(path, String(index))
  return hash.digest("hex")
}
