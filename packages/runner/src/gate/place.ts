import { basename, join } from "node:path"
import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import type { Check } from "@switchyard/core/work/gate/find-checks"
import { agentEnvironment } from "../agents/agent-environment.ts"
import { prepareHome } from "../agents/task-program.ts"
import { type Files, ownFiles } from "../files/files.ts"
import type { HostSetting } from "../network/agent-hosts.ts"
import type { Supervisor } from "../processes/supervisor.ts"
import { locate } from "../programs/locate.ts"
import { writeHome } from "../sandbox/agent-home.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { Command, Confinement } from "../sandbox/confinement.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import { makeCleanCopy } from "./clean-copy.ts"
import { openInstallNetwork } from "./install-network.ts"
import { javaOptions } from "./java-options.ts"
import { registryVariables } from "./registries.ts"
import { type CommandEnd, type CommandLimits, runCommand } from "./run-command.ts"

export interface PlaceDeps {
  blobs: Blobs
  clock: Clock
  supervisor: Supervisor | undefined
  /** Identifies the programs of this session on this machine. */
  family: string
  /** Holds the names of pipes. */
  folder: string
  /** Holds the homes of these programs where they have no user of their own. */
  homes: string
  /** Present if programs run as other users. */
  sandbox?: Sandbox | undefined
  /** Confines the programs. Opened with the first of them. */
  confinement: () => Promise<Confinement>
  /** The hosts that installing may reach; undefined where that is whatever the machine's network leads to. */
  checkHosts: HostSetting | undefined
  /** The runner's own environment, of which programs get only a few variables. */
  host: Record<string, string | undefined>
  report: (error: unknown) => void
}

/** The purposes of running a project: a check of its files, one of a commit or of a node's files, a review of one, or its server for people to look at. None has another's home or user. */
export const PROJECT_USERS = {
  checks: "(checks)",
  commits: "(commits)",
  nodes: "(nodes)",
  reviews: "(reviews)",
  previews: "(preview)",
} as const
export type Purpose = keyof typeof PROJECT_USERS

/** The memory that each process of a command may have: what runs away must not take the machine along. */
export const PROCESS_MEMORY_BYTES = 4 * 2 ** 30

/** A clean copy of a project, with all that its commands have of the machine. */
export interface Place {
  cwd: string
  home: string
  /** The folder of all homes for its purpose; the home itself where that is kept. */
  root: string
  env: Record<string, string>
  user: WorktreeUser | undefined
  /** The files of the programs that the commands take. */
  needs: string[]
}

/**
 * The place for a project whose commands are these; or the name of a program that they take and that isn't there. `once` names a
 * home that isn't kept, in which nothing that ran before can have left anything.
 */
export async function findPlace(
  deps: PlaceDeps,
  { purpose, sid, once }: { purpose: Purpose; sid: string; once?: string | undefined },
  checks: Check[],
): Promise<Place | { missing: string }> {
  const user = deps.sandbox?.userOf(PROJECT_USERS[purpose], "own")
  const root = user?.homeOf(purpose) ?? join(deps.homes, purpose, sid)
  const home = once === undefined ? root : join(root, once)
  const env = environmentOf(deps, home)
  const needs: string[] = []
  for (const program of new Set(checks.map((check) => check.program))) {
    const found = await locate(program, env.PATH ?? "")
    if (!found) return { missing: program }
    needs.push(found.file)
  }
  for (const program of new Set(checks.flatMap(({ others = [] }) => others))) {
    const found = await locate(program, env.PATH ?? "")
    if (found) needs.push(found.file)
  }
  const rustup = rustupHome(deps.host, needs)
  if (rustup !== undefined) {
    needs.push(rustup)
    env.RUSTUP_HOME = rustup
  }
  return { cwd: join(home, "project"), home, root, env, user, needs }
}

/** The folder of the toolchains that a Cargo of rustup's starts, which are no part of its own folder. */
function rustupHome({ RUSTUP_HOME, HOME }: PlaceDeps["host"], needs: string[]): string | undefined {
  const isRustup = needs.some((file) => /\/\.cargo\/bin\/cargo$/.test(file))
  return isRustup ? (RUSTUP_HOME ?? (HOME && join(HOME, ".rustup"))) : undefined
}

/** Makes the home, and in it the copy of these files. */
export async function fillPlace(
  deps: PlaceDeps,
  { home, cwd, user }: Place,
  session: { sid: string; incarnation: number },
  manifest: Manifest,
  options: { signal: AbortSignal },
): Promise<void> {
  await prepareHome(user, home, [{ path: ".tmp/.keep", content: "" }])
  await makeCleanCopy({ ...deps, disk: diskOf({ user }) }, session, manifest, cwd, options)
}

/** Makes a home that isn't kept, and in it the copy of these files. */
export async function fillPlaceOnce(
  deps: PlaceDeps,
  place: Place,
  session: { sid: string; incarnation: number },
  manifest: Manifest,
  options: { signal: AbortSignal },
): Promise<void> {
  await prepareOwnHome(place)
  await makeCleanCopy({ ...deps, disk: diskOf(place) }, session, manifest, place.cwd, options)
}

/** Makes a home that isn't kept, without anything that may be left of it. */
export async function prepareOwnHome({ user, root, home }: Place): Promise<void> {
  await prepareHome(user, root, [])
  const disk = diskOf({ user })
  await disk.remove(home)
  await disk.makeFolder(home)
  await writeHome(disk, home, [{ path: ".tmp/.keep", content: "" }])
}

/** The files of a place, as its user has them. */
export function diskOf({ user }: Pick<Place, "user">) {
  return user?.files ?? ownFiles
}

/** Runs a program in its place, and ends it with all that it leaves behind. With the network, it reaches registries of packages. */
export async function runInPlace(
  deps: PlaceDeps,
  program: Command,
  { cwd, home, env: own, user, needs }: Place,
  { network, ...limits }: CommandLimits & { network: boolean },
): Promise<PlaceEnd> {
  const { clock, supervisor, family, folder, report } = deps
  const confinement = await deps.confinement()
  await using ways = network ? await openInstallNetwork({ ...deps, confinement, user }) : undefined
  const isJava = needs.some((file) => basename(file) === "mvn")
  const env: Record<string, string> = {
    ...own,
    ...ways?.env,
    ...(isJava && { JAVA_TOOL_OPTIONS: javaOptions(home, ways?.env.HTTPS_PROXY) }),
  }
  const place = { cwd, writable: [home], path: env.PATH ?? "", needs, network: ways?.ways ?? network }
  const confined = await confineProgram({ confinement, user }, program, place)
  const end = await runCommand({ clock, supervisor, report }, { ...confined, cwd, env, family, folder, user }, limits)
  if (end.filledDisk) await emptyFolder(diskOf({ user }), home)
  return { ...end, refused: [...(ways?.refused ?? [])], unreached: [...(ways?.unreached ?? [])] }
}

/** The end of a program, with the hosts that it was kept from, and those that didn't answer it. */
export interface PlaceEnd extends CommandEnd {
  refused: string[]
  unreached: string[]
}

/** Gives back what a program took of the disk. The folder itself may be in one that its user can't change. */
async function emptyFolder(disk: Files, folder: string): Promise<void> {
  for (const { name } of await disk.list(folder)) await disk.remove(Buffer.concat([Buffer.from(`${folder}/`), name]))
}

function environmentOf({ host }: PlaceDeps, home: string): Record<string, string> {
  return {
    ...agentEnvironment(host, { home, temporary: join(home, ".tmp"), programs: [] }),
    ...registryVariables(host),
    CI: "true",
    NO_COLOR: "1",
    TERM: "dumb",
  }
}
