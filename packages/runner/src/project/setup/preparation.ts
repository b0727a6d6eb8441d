import { join } from "node:path"
import type { NewEvent } from "@switchyard/core/events"
import { toolNames } from "@switchyard/core/files/worktrees/repository-setup"
import type {
  PreparedTools,
  RepositorySetup,
  SetupTools,
} from "@switchyard/core/files/worktrees/repository-setup-schema"
import type { Clock } from "@switchyard/core/time"
import type { Attachments } from "../../agents/attachments.ts"
import type { TerminalProgramDeps } from "../../agents/terminal-program.ts"
import { ownFiles } from "../../files/files.ts"
import type { Worktree } from "../../git/worktrees/worktree-record.ts"
import type { Supervisor } from "../../processes/supervisor.ts"
import { locate } from "../../programs/locate.ts"
import type { ProjectTools } from "../../programs/project-tools.ts"
import { agentGitMounts } from "../../sandbox/git-sandbox.ts"
import type { Sandbox } from "../../sandbox/sandbox.ts"
import type { ArchiveRun, Archives } from "./archives.ts"
import { createDependencyCache } from "./dependency-cache.ts"
import { installTools, type ToolsDeps } from "./install-tools.ts"
import { createPortLeases } from "./port-leases.ts"
import {
  findPrepared,
  forgetPrepared,
  type PrepareDeps,
  type Prepared,
  prepareWorktree,
  toolsInUse,
  type Unprepared,
} from "./prepare-worktree.ts"
import { runCleanup, runSetup, runSetupUnseen, type Script } from "./run-script.ts"
import { placeProgram, type ScriptPlaceDeps } from "./script-place.ts"
import { type NamedSetup, readSetupFile, readVersionFiles } from "./setup-file.ts"

export interface PreparationDeps extends ScriptPlaceDeps {
  clock: Clock
  supervisor: Supervisor | undefined
  sandbox: Sandbox | undefined
  /** Identifies this session's programs on this machine. */
  family: string
  /** Folder for named pipes and recordings. */
  folder: string
  /** Folder that contains the records of all sessions on this machine. */
  records: string
  /** Folder for data that all worktrees on this machine share. */
  dataFolder: string
  report: (error: unknown) => void
  /** Returns the archives that a run can use. Undefined if this machine's own caches outlive its sessions. */
  archives?: ((run: ArchiveRun) => Archives) | undefined
}

/** Parts of the waiting run that the terminal of the set-up command needs. */
export interface SetupTerminal extends TerminalProgramDeps {
  attachments: ReturnType<Attachments["ofAgent"]>
  append: (events: NewEvent[]) => Promise<void>
  rows: number
  cols: number
}

/** Parses the set-up that a repository names if the owner has consented to it. */
export type AdmitSetup = (named: NamedSetup) => Promise<RepositorySetup | "denied">

/** Prepares worktrees, and cleans them up before their removal. */
export interface Preparation {
  prepare(
    worktree: Worktree,
    about: Pick<Unprepared, "worktree" | "setup"> & { admit: AdmitSetup } & Pick<ArchiveRun, "runId" | "incarnation">,
    terminal: SetupTerminal,
    options: { signal: AbortSignal },
  ): Promise<Prepared | undefined>
  /**
   * Returns the tools that a worktree was prepared with. Installs them if they are missing, for example because another
   * container prepared the worktree. Returns undefined if the machine's own have to do. Throws `setup_failed` if the
   * installation fails. `runId` is a run of the session in the repository, if there is one.
   */
  findTools(
    about: { worktree: string; isOwn: boolean; tools: PreparedTools; runId: string | undefined; incarnation: number },
    options: { signal: AbortSignal },
  ): Promise<ProjectTools | undefined>
  /**
   * Runs a worktree's clean-up command before the worktree is deleted, and releases its ports. Failures are only
   * reported.
   */
  retire(
    worktree: Worktree,
    about: { name: string; append: (events: NewEvent[]) => Promise<unknown> },
    options: { signal: AbortSignal },
  ): Promise<void>
  /** Returns a person's program, confined to run in a worktree. */
  place(worktree: Worktree, name: string, command: { file: string; args: string[] }): ReturnType<typeof placeProgram>
  /** Returns the user that runs programs in a worktree. */
  userOf(worktree: Pick<Worktree, "isOwn">, name: string): ReturnType<Sandbox["userOf"]> | undefined
}

const withoutMise = (tools: SetupTools) =>
  `The repository names the tools ${toolNames(tools).join(", ")}, but this machine has no mise to install them. The machine's own tools are used instead. Install mise (https://mise.jdx.dev), then start a new session.`

const shell = (command: string) => ({ file: "/bin/sh", args: ["-c", command] })

export function createPreparation(deps: PreparationDeps): Preparation {
  const leases = createPortLeases({
    folder: join(deps.dataFolder, "ports"),
    clock: deps.clock,
    isHeld: (notes) => ownFiles.exists(`${notes}.setup.json`),
  })
  const cacheOf = (archives: Archives | undefined) => (key: string) => {
    const path = deps.host.PATH ?? "/usr/bin:/bin"
    return createDependencyCache(join(deps.dataFolder, "dependencies", key), { path, archives })
  }
  const userOf: Preparation["userOf"] = ({ isOwn }, name) => deps.sandbox?.userOf(name, isOwn ? "own" : "machine")

  async function placeOf(
    worktree: Worktree,
    name: string,
    prepared: Prepared | undefined,
    command: ReturnType<typeof shell>,
  ) {
    const git = deps.confinement.means && (await agentGitMounts(worktree))
    const place = { cwd: worktree.tree, user: userOf(worktree, name), git, prepared }
    return placeProgram(deps, place, command)
  }

  const findMise = () => locate("mise", deps.host.PATH ?? "")

  /** Returns the set-up that the repository names, without anything that the owner hasn't consented to. */
  async function admitted(
    worktree: Worktree,
    admit: AdmitSetup,
    options: { signal: AbortSignal },
  ): ReturnType<PrepareDeps["repositorySetup"]> {
    const file = await readSetupFile(worktree, options)
    const setup = file && (await admit(file))
    if (setup === "denied") return { isDenied: true }
    // Without mise, the machine's own versions are used, so a question about them would be pointless.
    if (setup?.tools || !(await findMise())) return { setup, isDenied: false }
    const versions = await readVersionFiles(worktree, options)
    const added = versions && (await admit(versions))
    if (added === "denied") return { setup, isDenied: true }
    return { setup: setup ? { ...setup, tools: added?.tools } : added, isDenied: false }
  }

  /** Installs the tools if they are missing. Returns undefined if this machine has no mise. */
  async function install(
    { versions, cache_key: key }: PreparedTools,
    about: Pick<ToolsDeps, "user" | "archives">,
    run: (script: Omit<Script, "worktree" | "folder">) => Promise<void>,
    options: { signal: AbortSignal },
  ): Promise<ProjectTools | undefined> {
    const mise = await findMise()
    const inUse = () => toolsInUse(deps.records)
    return mise && installTools({ ...deps, ...about, inUse }, { key, mise: mise.file, tools: versions }, run, options)
  }

  return {
    userOf,
    place: async (worktree, name, command) => placeOf(worktree, name, await findPrepared(worktree.notes), command),
    async prepare(worktree, { worktree: name, setup, admit, ...about }, terminal, { signal }) {
      const { git, tree, notes, isOwn } = worktree
      // Don't prepare a person's own worktree, because they have already set it up.
      if (worktree.isTheirs?.tree) return undefined
      const user = userOf(worktree, name)
      const checkout = isOwn ? null : worktree.repository.checkout
      const archives = deps.archives?.({ ...about, report: deps.report })
      const run = (script: Omit<Script, "worktree" | "folder">) =>
        runSetup(terminal, { ...script, worktree: name, folder: deps.folder }, { ...terminal, signal })
      return prepareWorktree(
        {
          ...{ leases, cacheOf: cacheOf(archives) },
          append: terminal.append,
          async repositorySetup() {
            // Only sessions with a repository have settings.
            return setup ? admitted(worktree, admit, { signal }) : { isDenied: false }
          },
          installTools: async (versions) => {
            const tools = { versions, cache_key: setup?.cache_key ?? "" }
            const installed = await install(tools, { user, archives }, run, { signal })
            if (!installed) await terminal.append([{ type: "agent_notice", text: withoutMise(versions) }])
            return installed
          },
          async runSetup(command, prepared, env) {
            const place = await placeOf(worktree, name, prepared, shell(command))
            await run({ ...place, env: { ...place.env, ...env }, command, cwd: tree, user })
          },
        },
        { git, user, tree, notes, checkout, setup, worktree: name },
        { signal },
      )
    },
    async findTools({ worktree, isOwn, tools, runId, incarnation }, { signal }) {
      const user = userOf({ isOwn }, worktree)
      const run = runId === undefined ? undefined : { runId, incarnation, report: deps.report }
      const archives = run && deps.archives?.(run)
      const { folder } = deps
      return install(tools, { user, archives }, (script) => runSetupUnseen(deps, { ...script, folder }, { signal }), {
        signal,
      })
    },
    async retire(worktree, { name, append }, { signal }) {
      const { tree, notes, git } = worktree
      const prepared = await findPrepared(notes)
      if (!prepared) return
      const command = prepared.setup.cleanup
      if (command !== "" && (await git.files.exists(tree))) {
        const place = await placeOf(worktree, name, prepared, shell(command))
        const script = {
          ...place,
          worktree: name,
          command,
          cwd: tree,
          user: userOf(worktree, name),
          folder: deps.folder,
        }
        const written = async (events: NewEvent[]) => void (await append(events))
        await runCleanup({ ...deps, append: written }, script, { signal }).catch((error) => {
          signal.throwIfAborted()
          deps.report(error)
        })
      }
      await leases.release(notes, { signal })
      await forgetPrepared(notes)
    },
  }
}
