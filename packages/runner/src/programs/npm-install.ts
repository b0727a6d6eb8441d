import { spawn } from "node:child_process"
import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import type { NpmProgram } from "./npm-program.ts"

/** The reason why npm could not install a package, in words for people. */
export class InstallError extends Error {
  override readonly name = "InstallError"
}

/**
 * Installs a program into a folder, which appears whole or not at all; its executables are in `bin`. No script of a package
 * runs. The caller must hold the lock: half-done installations beside the folder are removed.
 */
export async function npmInstall(
  { packages, programs, forgotten }: NpmProgram,
  folder: string,
  { env, signal }: { env: Record<string, string>; signal?: AbortSignal },
): Promise<void> {
  await forgetHalves(folder)
  // An npm whose parent was killed may still be at work in another.
  const fresh = `${folder}.half-${process.pid}-${Date.now()}`
  try {
    await mkdir(join(fresh, "bin"), { recursive: true })
    await writeFile(join(fresh, "package.json"), '{"private":true}')
    await npm(fresh, packages, env, signal)
    const modules = join(fresh, "node_modules")
    for (const file of forgotten) await chmod(join(modules, file), 0o755).catch(ifThere)
    for (const [name, file] of Object.entries(programs)) {
      const program = join(modules, file)
      await chmod(program, 0o755)
      const link = join(fresh, "bin", name)
      await symlink(relative(dirname(link), program), link)
    }
    await rename(fresh, folder)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? new InstallError("the disk is full") : error
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function forgetHalves(folder: string): Promise<void> {
  const beside = dirname(folder)
  await mkdir(beside, { recursive: true })
  const halves = (await readdir(beside)).filter((name) => name.startsWith(`${basename(folder)}.half-`))
  for (const name of halves) await rm(join(beside, name), { recursive: true, force: true })
}

const FLAGS = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
/** Fails soon, for a person waits. */
const RETRIES = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000"]

async function npm(cwd: string, packages: string[], env: Record<string, string>, signal?: AbortSignal): Promise<void> {
  const args = ["install", "--prefix", cwd, ...FLAGS, ...RETRIES, ...packages]
  const child = spawn("npm", args, { cwd, env, signal, stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-8192)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  }).catch((error) => {
    if (signal?.aborted) throw error
    throw new InstallError("npm can't be started")
  })
  signal?.throwIfAborted()
  if (code !== 0) throw new InstallError(reasonOf(said))
}

/** Finds the reason in npm's output. Codes that a person can do something about have their own words. */
export function reasonOf(said: string): string {
  // Until its version 10 it wrote "npm ERR!", after warnings of the Node that it runs on.
  const errors = said.split("\n").flatMap((line) => /^npm (?:error|ERR!) ?(.*)$/.exec(line)?.[1] ?? [])
  const code = /^code (\S+)/m.exec(errors.join("\n"))?.[1] ?? ""
  if (code === "ENOSPC" || said.includes("ENOSPC")) return "the disk is full"
  if (/^(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)$/.test(code))
    return `npm's registry can't be reached (${code})`
  const lines = errors.length > 0 ? errors : said.split("\n")
  return `npm says: ${lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^code |complete log/.test(line))
    .slice(0, 3)
    .join(" ")}`
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error
}
