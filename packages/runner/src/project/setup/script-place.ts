import { tmpdir } from "node:os"
import { join } from "node:path"
import { agentEnvironment } from "../../agents/agent-environment.ts"
import { prepareHome } from "../../agents/task-program.ts"
import { confineProgram } from "../../sandbox/confine-program.ts"
import type { Mount } from "../../sandbox/confined-place.ts"
import type { Command, Confinement } from "../../sandbox/confinement.ts"
import type { WorktreeUser } from "../../sandbox/sandbox.ts"
import { neededBy, type Prepared, variablesOf } from "./prepare-worktree.ts"

export interface ScriptPlaceDeps {
  /** The runner's own environment. */
  host: Record<string, string | undefined>
  programs: string[]
  confinement: Confinement
  /** Folder that contains the homes of accounts, and the home for commands and shells. */
  homes: string
  /** True if the worktrees are on a person's own machine. */
  local: boolean
}

export interface ScriptPlace {
  cwd: string
  user: WorktreeUser | undefined
  /** Git folder of the repository, as mounted in the sandbox. */
  git: Mount[] | undefined
  prepared: Prepared | undefined
}

/**
 * Prepares a person's command so that it runs in a worktree with the same user and sandbox as the worktree's agents.
 * Without either of them, the command uses the person's own home and tool settings.
 */
export async function placeProgram(
  { host, programs, confinement, homes, local }: ScriptPlaceDeps,
  { cwd, user, git, prepared }: ScriptPlace,
  command: Command,
): Promise<{ program: Command; env: Record<string, string> }> {
  const isOwnMachine = local && !user && confinement.means === undefined && host.HOME !== undefined
  const home = isOwnMachine ? (host.HOME ?? "/") : (user?.homeOf("people") ?? join(homes, "people"))
  const temporary = isOwnMachine ? tmpdir() : join(home, ".tmp")
  if (!isOwnMachine) await prepareHome(user, home, [{ path: ".tmp/.keep", content: "" }])
  const env = {
    ...agentEnvironment(host, { home, temporary, programs: [...programs, ...(prepared?.installed?.path ?? [])] }),
    ...(prepared && variablesOf(prepared)),
  }
  const place = {
    cwd,
    writable: [cwd, home],
    mounts: git,
    path: env.PATH ?? "",
    needs: prepared ? neededBy(prepared) : [],
  }
  return { program: await confineProgram({ confinement, user }, command, place), env }
}
