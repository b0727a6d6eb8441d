import { createHash } from "node:crypto"
import { chmod, chown, mkdir, open, readdir, realpath, rm, utimes } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { AppError, isAppError } from "@switchyard/core/errors"
import { toolNames } from "@switchyard/core/files/worktrees/repository-setup"
import type { SetupTools } from "@switchyard/core/files/worktrees/repository-setup-schema"
import { parseJson } from "@switchyard/core/text/parse-json"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { agentEnvironment } from "../../agents/agent-environment.ts"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import { ownFiles } from "../../files/files.ts"
import { withLock } from "../../files/lock-file.ts"
import { groupOf, type ProgramUser } from "../../processes/agent-user.ts"
import { ProjectTools, toolsIn } from "../../programs/project-tools.ts"
import { confineProgram } from "../../sandbox/confine-program.ts"
import type { Confinement } from "../../sandbox/confinement.ts"
import type { WorktreeUser } from "../../sandbox/sandbox.ts"
import type { Archives } from "./archives.ts"
import { runTar } from "./dependency-cache.ts"
import { freezeTree } from "./freeze-tree.ts"
import type { Script } from "./run-script.ts"

const Environment = z.record(z.string(), z.string())

export interface ToolsDeps {
  clock: Clock
  /** The runner's own environment. */
  host: Record<string, string | undefined>
  confinement: Confinement
  /** Folder for data that all worktrees on this machine share. */
  dataFolder: string
  /** User of the worktree, if different from the runner's user. */
  user: WorktreeUser | undefined
  archives: Archives | undefined
  /** Returns the folders of the tools that this machine's worktrees were prepared with. */
  inUse: () => Promise<string[]>
}

/** Number of sets of tools to keep per repository, besides those in use. Branches may name different versions. */
const KEPT = 4
/** File with the environment that mise printed. */
const PRINTED = "environment.json"
/** Prints the environment only after everything was installed. */
const SCRIPT = `mise="$1"; shift; "$mise" install "$@" && "$mise" env --json "$@" > ${PRINTED}`

/**
 * Installs exactly these tools with mise, once per repository of an owner and machine. `key` identifies the owner and
 * the repository. Mise runs in an empty folder and reads no configuration, neither the repository's nor a person's.
 * Afterwards, no agent can change the tools, so a check can rely on them.
 */
export async function installTools(
  { clock, host, confinement, dataFolder, user, archives, inUse }: ToolsDeps,
  { key, mise, tools }: { key: string; mise: string; tools: SetupTools },
  run: (script: Omit<Script, "worktree" | "folder">) => Promise<void>,
  { signal }: { signal: AbortSignal },
): Promise<ProjectTools> {
  const names = toolNames(tools)
  const folder = join(dataFolder, "tools", key)
  const digest = digestOf([folder, archives?.system ?? "", ...names.toSorted()])
  const place = join(folder, digest)
  const record = `${place}.json`
  const packed = `${place}.tar`
  const tarPath = host.PATH ?? "/usr/bin:/bin"
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const locks = join(dataFolder, "tools", ".locks", key)
  // Each set has its own lock, so that tasks don't wait for the installation of other versions.
  const lockOf: LockOf = (set, patienceMs) => ({ folder: join(locks, set), clock, patienceMs })

  async function install(): Promise<ProjectTools> {
    const before = await readIfExists(record)
    if (before !== undefined) {
      await utimes(record, clock.now() / 1000, clock.now() / 1000)
      return ProjectTools.parse(JSON.parse(before))
    }
    const installed = (await fill(unpack)) ?? (await fill(runMise))
    if (!installed) throw new AppError("setup_failed", "mise installed the tools but didn't say where.")
    await writeAtomically(record, installed)
    await forgetOldest({ folder, lockOf, inUse }, { signal })
    return installed
  }

  /** Creates the tools in a new folder, and protects them. Undefined if there are none afterwards. */
  async function fill(how: (staging: Staging) => Promise<boolean>): Promise<ProjectTools | undefined> {
    await using staging = await openStaging(place, user)
    if (!(await how(staging))) return undefined
    const installed = await staging.finish()
    if (how === runMise && installed) await pack(staging)
    return installed
  }

  async function runMise({ home: cwd, user: installer }: Staging): Promise<boolean> {
    const program = { file: "/bin/sh", args: ["-c", SCRIPT, "sh", mise, ...names] }
    const own = agentEnvironment(host, { home: cwd, temporary: cwd, programs: [] })
    const env = { ...own, MISE_NO_CONFIG: "1", MISE_YES: "1" }
    const confinedTo = { cwd, writable: [cwd], path: own.PATH ?? "", needs: [mise] }
    await run({
      program: await confineProgram({ confinement, user }, program, confinedTo),
      ...{ command: `mise install ${names.join(" ")}`, cwd, env, user: installer },
    })
    return true
  }

  async function unpack({ home: tree, user: installer }: Staging): Promise<boolean> {
    try {
      if (!(await archives?.fetch(digest, packed, { signal }))) return false
      await using file = await open(packed)
      return await runTar(tarPath, ["-xf", "-"], { tree, user: installer }, { input: file.fd, signal })
    } finally {
      await rm(packed, { force: true })
    }
  }

  async function pack({ home: tree }: Staging): Promise<void> {
    if (!archives) return
    await using file = await open(packed, "w", 0o600)
    const isWhole = await runTar(tarPath, ["-cf", "-", "."], { tree, user: undefined }, { output: file.fd, signal })
    void (isWhole ? archives.keep(digest, packed) : Promise.resolve()).then(() => rm(packed, { force: true }))
  }

  return withLock(lockOf(digest, Number.POSITIVE_INFINITY), install, { signal })
}

/** Identifies these tools on a machine of this kind, in a folder that their files name. */
function digestOf(names: string[]): string {
  const named = JSON.stringify([process.platform, process.arch, ...names])
  return createHash("sha256").update(named).digest("hex")
}

type Staging = Awaited<ReturnType<typeof openStaging>>

/**
 * Creates the folder that mise installs into. Only programs with its group can enter it, so that agents of the same user
 * can't change the tools before they are protected.
 */
async function openStaging(place: string, agents: ProgramUser | undefined) {
  await ownFiles.remove(place)
  await mkdir(join(place, "home"), { recursive: true, mode: 0o700 })
  const home = await realpath(join(place, "home"))
  const user = agents && { ...agents, gid: groupOf("install", place) }
  if (user) {
    await chown(place, 0, user.gid)
    await chmod(place, 0o710)
    await chown(home, user.uid, user.gid)
  }
  let isDone = false
  return {
    home,
    user,
    async finish(): Promise<ProjectTools | undefined> {
      if (user) await freezeTree(home)
      const printed = await ownFiles.readRegular(Buffer.from(join(home, PRINTED)))
      const environment = Environment.safeParse(parseJson(`${printed}`))
      if (!environment.success) return undefined
      await chmod(place, 0o755)
      isDone = true
      return toolsIn(home, environment.data)
    },
    async [Symbol.asyncDispose]() {
      if (!isDone) await ownFiles.remove(place)
    },
  }
}

type LockOf = (set: string, patienceMs: number) => Parameters<typeof withLock>[0]

/**
 * Removes all but the last sets of tools. Skips a set that a worktree uses, that is being installed, or that a task has
 * started to use meanwhile.
 */
async function forgetOldest(
  { folder, lockOf, inUse }: { folder: string; lockOf: LockOf } & Pick<ToolsDeps, "inUse">,
  options: { signal: AbortSignal },
): Promise<void> {
  const old = (await datedSets(folder)).slice(KEPT)
  // An agent may use its worktree's tools for a long time after its task has started.
  const used = new Set(old.length > 0 ? (await inUse()).map((home) => basename(dirname(home))) : [])
  for (const { set, record, usedAt } of old.filter(({ set }) => !used.has(set))) {
    const forget = async () => {
      if ((await ownFiles.lstat(record))?.mtimeNs !== usedAt) return
      // Remove the record first, because it says that the folder is complete.
      await rm(record)
      await ownFiles.remove(join(folder, set))
    }
    await withLock(lockOf(set, 0), forget, options).catch((error) => {
      if (!isAppError(error, "worktree_busy")) throw error
    })
  }
}

/** Returns the sets of tools, most recently used first. */
async function datedSets(folder: string) {
  const sets = (await readdir(folder)).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5))
  const dated = sets.map(async (set) => {
    const record = join(folder, `${set}.json`)
    return { set, record, usedAt: (await ownFiles.lstat(record))?.mtimeNs ?? 0n }
  })
  return (await Promise.all(dated)).sort((a, b) => Number(b.usedAt - a.usedAt))
}
