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

/** Runs agents of a root runner as other users, which can access their own files only. */
export interface Sandbox {
  /** Returns the user of a worktree: its own in the session's repository, the owner in a repository of this machine. */
  userOf(worktree: string, repository: "own" | "machine"): WorktreeUser
}

/** User of the agents in one worktree. */
export interface WorktreeUser extends ProgramUser {
  /** Git and files for repositories that agents can change: root must not run their programs or follow their paths. */
  git: Git
  files: Files
  /**
   * Returns the folder of an account's home for this user. Users can't share one, because programs make their files
   * readable for their owner only. An agent's memory is saved, and restored in another home.
   */
  homeOf(account: string): string
  /** Makes the home, and gives the user a name. */
  prepareHome(home: string): Promise<void>
  /** Opens this user's files in a repository to the users of the session's other worktrees. */
  share(repository: string): Promise<void>
}

export interface SandboxOptions {
  data: string
  sid: string
  env: Record<string, string>
  /** True if the machine is this runner's own container, whose list of users it may change. */
  isContainer: boolean
  /** Path of setpriv, if any. It keeps git and unsupervised programs from new rights as an agent's user. */
  setpriv: string | undefined
  /** Limit of a git command. */
  withinMs?: number
}

/** Undefined if agents run as the runner's own user. */
export async function openSandbox(
  name: string | undefined,
  { data, sid, env, isContainer, setpriv, withinMs }: SandboxOptions,
): Promise<Sandbox | undefined> {
  const named = await findAgentUser(name)
  if (!named) return undefined
  await prepareDataFolder(worktreeUser({ data, sid, worktree: MAIN_WORKTREE }), { data, sid })
  // The runner's own home, with its git configuration, is not for the agents' user.
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
