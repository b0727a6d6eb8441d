import { basename, join } from "node:path"
import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import type { Check } from "@switchyard/core/work/gate/check"
import { agentEnvironment } from "../agents/agent-environment.ts"
import { prepareHome } from "../agents/task-program.ts"
import { type Files, ownFiles } from "../files/files.ts"
import type { HostSetting } from "../network/agent-hosts.ts"
import type { Supervisor } from "../processes/supervisor.ts"
import { locate } from "../programs/locate.ts"
import type { ProjectTools } from "../programs/project-tools.ts"
import { writeHome } from "../sandbox/agent-home.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { Command, Confinement } from "../sandbox/confinement.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import { makeCleanCopy } from "./clean-copy.ts"
import { openInstallNetwork } from "./install-network.ts"
import { javaOptions } from "./java-options.ts"
import { registryVariables } from "./registries.ts"
import { type CommandEnd, type CommandLimits, runCommand } from "./run-command.ts"

export interface WorkdirDeps {
  blobs: Blobs
  clock: Clock
  supervisor: Supervisor | undefined
  /** Identifies this session's programs on this machine. */
  family: string
  /** Folder for named pipes. */
  folder: string
  /** Folder that contains the homes of programs without their own user. */
  homes: string
  /** Set if programs run as other users. */
  sandbox?: Sandbox | undefined
  /** Returns the confinement for programs. It is opened when the first program needs it. */
  confinement: () => Promise<Confinement>
  /** Hosts that installs may reach. Undefined if they use the machine's network. */
  checkHosts: HostSetting | undefined
  /** Environment of the runner. Programs receive only a few of its variables. */
  host: Record<string, string | undefined>
  /** The project's tools, which precede the machine's own. */
  tools?: ProjectTools | undefined
  report: (error: unknown) => void
}

/** Returns the tools that a session's main worktree was prepared with. Installs them if they are missing. */
export type ToolsOf = (
  session: { sid: string; state: SessionState },
  options: { signal: AbortSignal },
) => Promise<ProjectTools | undefined>

/** Purposes of running a project. Each purpose has its own home and user. */
export const PROJECT_USERS = {
  checks: "(checks)",
  commits: "(commits)",
  nodes: "(nodes)",
  reviews: "(reviews)",
  previews: "(preview)",
} as const
export type Purpose = keyof typeof PROJECT_USERS

/** Clean copy of a project, with everything on this machine that the project's commands may use. */
export interface Workdir {
  cwd: string
  home: string
  /** Folder that contains all homes for this purpose. If there is only one permanent home, that home itself. */
  root: string
  env: Record<string, string>
  user: WorktreeUser | undefined
  /** Files of the programs that the commands use. */
  needs: string[]
}

/**
 * Returns a workdir for a project with these commands. If a required program is missing, returns the program's name.
 * `once` is the name of a temporary home that contains nothing from earlier runs.
 */
export async function findWorkdir(
  deps: WorkdirDeps,
  { purpose, sid, once }: { purpose: Purpose; sid: string; once?: string | undefined },
  checks: Check[],
): Promise<Workdir | { missing: string }> {
  const user = deps.sandbox?.userOf(PROJECT_USERS[purpose], "own")
  const root = user?.homeOf(purpose) ?? join(deps.homes, purpose, sid)
  const home = once === undefined ? root : join(root, once)
  const env = environmentOf(deps, home)
  const needs = deps.tools ? [deps.tools.folder] : []
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

/**
 * Returns the folder of rustup's toolchains. Cargo needs this folder if it was installed by rustup, because it then
 * starts toolchains from there.
 */
function rustupHome({ RUSTUP_HOME, HOME }: WorkdirDeps["host"], needs: string[]): string | undefined {
  const isRustup = needs.some((file) => /\/\.cargo\/bin\/cargo$/.test(file))
  return isRustup ? (RUSTUP_HOME ?? (HOME && join(HOME, ".rustup"))) : undefined
}

/** Creates the home and a copy of these files in it. */
export async function prepareWorkdir(
  deps: WorkdirDeps,
  { home, cwd, user }: Workdir,
  session: { sid: string; incarnation: number },
  manifest: Manifest,
  options: { signal: AbortSignal },
): Promise<void> {
  await prepareHome(user, home, [{ path: ".tmp/.keep", content: "" }])
  await makeCleanCopy({ ...deps, disk: diskOf({ user }) }, session, manifest, cwd, options)
}

/** Creates a temporary home and a copy of these files in it. */
export async function prepareWorkdirOnce(
  deps: WorkdirDeps,
  workdir: Workdir,
  session: { sid: string; incarnation: number },
  manifest: Manifest,
  options: { signal: AbortSignal },
): Promise<void> {
  await prepareOwnHome(workdir)
  await makeCleanCopy({ ...deps, disk: diskOf(workdir) }, session, manifest, workdir.cwd, options)
}

/** Creates a temporary home. Removes the previous one if there is one. */
export async function prepareOwnHome({ user, root, home }: Workdir): Promise<void> {
  await prepareHome(user, root, [])
  const disk = diskOf({ user })
  await disk.remove(home)
  await disk.makeFolder(home)
  await writeHome(disk, home, [{ path: ".tmp/.keep", content: "" }])
}

/** Returns access to files as the workdir's user. */
export function diskOf({ user }: Pick<Workdir, "user">) {
  return user?.files ?? ownFiles
}

/**
 * Runs a program in its workdir, then ends the processes that the program left behind. With `network`, the program can
 * reach registries.
 */
export async function runInWorkdir(
  deps: WorkdirDeps,
  program: Command,
  { cwd, home, env: own, user, needs }: Workdir,
  { network, ...limits }: CommandLimits & { network: boolean },
): Promise<ProgramEnd> {
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

/** End of a program, with the hosts that were refused and the hosts that didn't respond. */
export interface ProgramEnd extends CommandEnd {
  refused: string[]
  unreached: string[]
}

/**
 * Frees the disk space that a program used. Keeps the folder itself, because the program's user may not be allowed to
 * remove it.
 */
async function emptyFolder(disk: Files, folder: string): Promise<void> {
  for (const { name } of await disk.list(folder)) await disk.remove(Buffer.concat([Buffer.from(`${folder}/`), name]))
}

function environmentOf({ host, tools }: WorkdirDeps, home: string): Record<string, string> {
  return {
    ...agentEnvironment(host, { home, temporary: join(home, ".tmp"), programs: tools?.path ?? [] }),
    ...registryVariables(host),
    ...tools?.variables,
    CI: "true",
    NO_COLOR: "1",
    TERM: "dumb",
  }
}
