import { chown, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { Files } from "../files/files.ts"
import { createGit } from "../git/plumbing/create-git.ts"
import type { Git } from "../git/plumbing/git.ts"
import { findAgentUser, type ProgramUser, sessionGroup, worktreeUser } from "../processes/agent-user.ts"
import { MARK } from "../processes/process-tree.ts"
import { makeTraversable, prepareDataFolder } from "./data-permissions.ts"
import { openFilesProcess } from "./files-process.ts"
import { addToPasswd, writePasswd } from "./passwd.ts"
import { shareRepository } from "./share-repository.ts"

/** Lets a runner that is root run agents as other users. These users can access only their own files. */
export interface Sandbox {
  /**
   * Returns the operating system user for a worktree. In the session's own repository, each worktree has its own user.
   * In a repository on this machine, all worktrees use the owner of the repository.
   */
  userOf(worktree: string, repository: "own" | "machine"): WorktreeUser
}

/** User that runs the agents in one worktree. */
export interface WorktreeUser extends ProgramUser {
  /** Git and file access for repositories that agents can change. Root must not run programs or access paths there. */
  git: Git
  files: Files
  /**
   * Returns the folder of an account's home for this user. Users can't share a home, because programs make their files
   * readable only by their owner. Therefore, an agent's memory is saved and then restored in the other user's home.
   */
  homeOf(account: string): string
  /** Creates the home, and gives the user a name. */
  prepareHome(home: string): Promise<void>
  /** Gives the users of the session's other worktrees access to this user's files in a repository. */
  share(repository: string): Promise<void>
}

export interface SandboxOptions {
  data: string
  sid: string
  env: Record<string, string>
  /** True if this machine is a container that belongs to the runner, so that its list of users may be changed. */
  isContainer: boolean
  /**
   * Path of setpriv. It prevents git and unsupervised programs from gaining privileges when they run as an agents'
   * user. Undefined if it isn't installed.
   */
  setpriv: string | undefined
  /** Time limit of a git command. */
  withinMs?: number
}

/** Opens the sandbox. Returns undefined if agents run as the runner's own user. */
export async function openSandbox(
  name: string | undefined,
  { data, sid, env, isContainer, setpriv, withinMs }: SandboxOptions,
): Promise<Sandbox | undefined> {
  const named = await findAgentUser(name)
  if (!named) return undefined
  await prepareDataFolder(worktreeUser({ data, sid, worktree: MAIN_WORKTREE }), { data, sid })
  // The agents' user must not use the runner's home, which contains the runner's git config.
  const { HOME: _, ...environment } = env
  const marked = { env: { [MARK]: env[MARK] ?? "" } }
  const gid = sessionGroup({ data, sid })
  const startedBy = setpriv === undefined ? [] : [setpriv, "--no-new-privs"]
  const owner = { uid: named.uid, gid }

  function open(worktree: string, repository: "own" | "machine"): WorktreeUser {
    const user = repository === "own" ? worktreeUser({ data, sid, worktree }) : owner
    const files = openFilesProcess(user, marked)
    const passwd = repository === "own" && !isContainer ? join(data, "runner", sid, `passwd-${user.uid}`) : undefined
    return {
      ...user,
      ...{ passwd, startedBy },
      files,
      git: createGit({ env: environment, user, startedBy, files, withinMs, isShared: repository === "own" }),
      homeOf: (account) => join(data, "homes", account, sid, `${user.uid}`),
      async prepareHome(home) {
        await mkdir(dirname(dirname(home)), { recursive: true, mode: 0o711 })
        await makeTraversable(dirname(home), gid)
        await mkdir(home, { recursive: true, mode: 0o700 })
        await chown(home, user.uid, gid)
        if (passwd) await writePasswd(passwd, user)
        else if (repository === "own") await addToPasswd(user)
      },
      share: (folder) => shareRepository(folder, user),
    }
  }

  const users = new Map<string, WorktreeUser>()
  return {
    userOf(worktree, repository) {
      const key = `${repository} ${worktree}`
      const user = users.get(key) ?? open(worktree, repository)
      users.set(key, user)
      return user
    },
  }
}
