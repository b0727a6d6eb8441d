import { spawn } from "node:child_process"
import { access, chmod, chown, mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { type AgentUser, groupOf } from "../processes/agent-user.ts"
import type { Lockfile } from "./lockfile.ts"
import { InstallError, reasonOf } from "./npm-errors.ts"
import type { NpmProgram } from "./npm-program.ts"
import { takeOver } from "./take-over.ts"

export interface NpmInstallOptions {
  env: Record<string, string>
  /** The agents' user, which unpacks the packages. Undefined for this process's user. */
  user?: AgentUser
  signal?: AbortSignal
}

/**
 * Installs a program into a folder, either completely or not at all. Its executables are in `bin`. Packages must match
 * the lockfile, install scripts don't run, and agents can't change the folder. The caller must hold the lock, because
 * unfinished installations next to the folder are removed.
 */
export async function npmInstall(
  { needed, programs, forgotten }: NpmProgram,
  lockfile: Lockfile,
  folder: string,
  { env, user, signal }: NpmInstallOptions,
): Promise<void> {
  await forgetHalves(folder)
  // Use a unique name, because an npm process whose parent was killed may still be using another folder.
  const fresh = `${folder}.half-${process.pid}-${Date.now()}`
  try {
    const staging = await openStaging(fresh, user)
    await writeFile(join(staging.folder, "package.json"), JSON.stringify(lockfile.packages[""]))
    await writeFile(join(staging.folder, "package-lock.json"), JSON.stringify(lockfile))
    await npmCi(staging, { env, signal })
    await assertInstalled(join(staging.folder, "node_modules"), needed)
    if (user) await takeOver(join(staging.folder, "node_modules"))

    const modules = join(fresh, "node_modules")
    await rename(join(staging.folder, "node_modules"), modules)
    // Write this file for people who look into the folder. No program reads it.
    await writeFile(join(fresh, "package.json"), JSON.stringify(lockfile.packages[""]))
    await rm(staging.folder, { recursive: true, force: true })
    for (const file of forgotten) await chmod(join(modules, file), 0o755).catch(ifThere)
    await mkdir(join(fresh, "bin"))
    for (const [name, file] of Object.entries(programs)) {
      const program = join(modules, file)
      await chmod(program, 0o755)
      const link = join(fresh, "bin", name)
      await symlink(relative(dirname(link), program), link)
    }
    await chmod(fresh, 0o755)
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

interface Staging {
  folder: string
  /** User that unpacks packages in the folder. */
  user: AgentUser | undefined
}

/**
 * Creates the folder for unpacking packages. The agents' user unpacks them with a separate group, and only this group
 * has access to the folder. Otherwise, agents could change a file after npm has verified it.
 */
async function openStaging(fresh: string, agents: AgentUser | undefined): Promise<Staging> {
  const folder = join(fresh, "staging")
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!agents) return { folder, user: undefined }
  const user = { uid: agents.uid, gid: groupOf("install", fresh) }
  await chown(fresh, 0, user.gid)
  await chmod(fresh, 0o710)
  await chown(folder, user.uid, user.gid)
  return { folder, user }
}

const FLAGS = [
  "--ignore-scripts",
  "--no-bin-links",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=warn",
]
/** Options that make npm fail early, because a person is waiting for the result. */
const RETRIES = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000"]

async function npmCi(
  { folder: cwd, user }: Staging,
  { env, signal }: Pick<NpmInstallOptions, "env" | "signal">,
): Promise<void> {
  // The agents' user can't use the runner's npm cache and home, which may contain credentials.
  const own = user && { HOME: cwd, npm_config_cache: join(cwd, ".cache"), npm_config_userconfig: join(cwd, ".npmrc") }
  const args = ["ci", "--prefix", cwd, ...FLAGS, ...RETRIES]
  const child = spawn("npm", args, {
    cwd,
    ...user,
    env: { ...env, ...own },
    signal,
    stdio: ["ignore", "ignore", "pipe"],
  })
  let said = ""
  let isWhole = true
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
    // If a file was truncated, for example because the disk is full, npm only prints a warning and exits successfully.
    if (said.includes("TAR_ENTRY_ERROR")) isWhole = false
    said = said.slice(-8192)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  }).catch((error) => {
    if (signal?.aborted) throw error
    throw new InstallError("npm can't be started")
  })
  signal?.throwIfAborted()
  if (code !== 0 || !isWhole) throw new InstallError(reasonOf(said))
}

/**
 * Throws if a required package is missing. The check is necessary because npm silently omits optional packages that it
 * can't fetch or verify.
 */
async function assertInstalled(modules: string, needed: string[]): Promise<void> {
  for (const name of needed) {
    await access(join(modules, name, "package.json")).catch(() => {
      throw new InstallError(`npm couldn't fetch or verify ${name} as pinned`)
    })
  }
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error
}
