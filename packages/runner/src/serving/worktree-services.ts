import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import type { Git } from "../git/plumbing/git.ts"
import { type Autosave, type AutosaveDeps, createAutosave } from "../project/autosave.ts"
import { createBackgroundTask } from "../project/background-task.ts"
import { type Commands, createCommands } from "../project/commands/commands.ts"
import { createHiding } from "../project/hiding.ts"
import { createNotices } from "../project/notices.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import type { Shells } from "./shells.ts"

export interface WorktreeServicesDeps extends Omit<AutosaveDeps, "project"> {
  log: Log
  /** Project dependencies shared by all worktrees. */
  project: Omit<ProjectDeps, "worktree" | "git" | "machineGit" | "notices" | "seen" | "background" | "hiding">
  gitOf: (worktree: string, repository: "own" | "machine") => Git
  shells: Shells
}

/** Service of one of the session's worktrees, in this runner. */
export interface WorktreeService {
  project: ProjectDeps
  autosave: Autosave
  commands: Commands
}

/**
 * Services of all worktrees of a session. Commands of the same worktree run in order, and commands of different
 * worktrees run in parallel.
 */
export interface WorktreeServices {
  /** Returns the service of a worktree. The worktree needn't exist yet. */
  of(worktree: string): WorktreeService
  /** True if any worktree has work to do. */
  readonly busy: boolean
  readonly hasShells: boolean
  /** Serves every worktree named in the log until the signal aborts. Throws the first error. */
  serve(options: { signal: AbortSignal }): Promise<void>
  /** Saves all worktrees. */
  save(options: { signal: AbortSignal }): Promise<void>
}

export function createWorktreeServices(
  deps: WorktreeServicesDeps,
  session: SessionLog,
  generation: number,
): WorktreeServices {
  const services = new Map<string, WorktreeService>()
  /** False as long as there may be waiting commands for worktrees that don't have a service yet. */
  let areOpen = false
  let begin: ((service: WorktreeService) => void) | undefined

  function of(worktree: string): WorktreeService {
    const known = services.get(worktree)
    if (known) return known
    const project = {
      ...deps.project,
      ...{ worktree, notices: createNotices(), seen: new Map() },
      ...{ background: createBackgroundTask(), hiding: createHiding() },
      git: deps.gitOf(worktree, "own"),
      machineGit: deps.gitOf(worktree, "machine"),
    }
    const autosave = createAutosave({ ...deps, project }, session, generation)
    const openShell = deps.shells.open
    const commands = createCommands({ ...deps, project, autosave, openShell }, session, generation)
    const service = { project, autosave, commands }
    services.set(worktree, service)
    begin?.(service)
    return service
  }

  async function serve({ signal }: { signal: AbortSignal }): Promise<void> {
    const failed = Promise.withResolvers<never>()
    const serving: Promise<unknown>[] = []
    begin = ({ autosave, commands }) => {
      const served = Promise.all([autosave.serve({ signal }), commands.serve({ signal })])
      served.catch(failed.reject)
      serving.push(served)
    }
    for (const service of services.values()) begin(service)
    try {
      await Promise.race([openNamed(signal), failed.promise])
      await Promise.all(serving)
    } finally {
      await deps.shells.close()
    }
  }

  /** Opens a service for each worktree that the log names, and for those that it names later. */
  async function openNamed(signal: AbortSignal): Promise<void> {
    const state = await session.catchUp({ signal })
    of(MAIN_WORKTREE)
    for (const worktree of Object.keys(state.worktrees.byName)) of(worktree)
    areOpen = true
    for await (const event of deps.log.tail(logName(session.sid), state.head, { signal })) {
      if ("worktree" in event && event.worktree !== undefined) of(event.worktree)
    }
  }

  return {
    of,
    get busy() {
      return !areOpen || deps.shells.isWatched || [...services.values()].some(({ commands }) => commands.busy)
    },
    get hasShells() {
      return deps.shells.areOpen
    },
    serve,
    async save(options) {
      await Promise.all([...services.values()].map(({ autosave }) => autosave.save(options)))
    },
  }
}
