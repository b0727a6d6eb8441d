import { dirname, join, sep } from "node:path"
import { type Git, type GitCall, NEVER } from "../git/plumbing/git.ts"
import { AGENT_GIT } from "../git/worktrees/lost-commits.ts"
import { confineProgram } from "./confine-program.ts"
import type { Mount } from "./confined-place.ts"
import type { Confinement } from "./confinement.ts"
import { openGitView, ownGitFolder } from "./git-view.ts"
import { type PersonSettings, sharePersonSettings } from "./person-settings.ts"
import type { WorktreeUser } from "./sandbox.ts"

/** Parts of an agent's worktree that its sandbox needs. */
export interface AgentWorktree {
  git: Git
  repository: { folder: string; commonDir: string }
  /** Prefix of the runner's records of the worktree. */
  notes: string
  folder: string
  tree: string
  scratch: string
  branch: string
  /** True if the repository belongs to the session. */
  isOwn: boolean
}

/** Returns the private git folder that the programs of a worktree use. */
export const agentGitFolder = ({ folder }: Pick<AgentWorktree, "folder">) => join(folder, AGENT_GIT)

/**
 * Returns the git folder as the agent sees it. In a user's repository, the agent may change the refs in the folder of
 * its branch. In the session's own repository, it may change any ref.
 */
function agentView(worktree: AgentWorktree) {
  const ownRefs = worktree.isOwn ? null : dirname(`refs/heads/${worktree.branch}`)
  return { view: agentGitFolder(worktree), isFixed: false, ownRefs }
}

/** Returns the mounts that give the programs of a worktree's agent access to its repository. */
export async function agentGitMounts(worktree: AgentWorktree): Promise<Mount[]> {
  const { git, tree, repository } = worktree
  const { commonDir } = repository
  return openGitView(git.files, { ...agentView(worktree), commonDir, checkouts: [tree] })
}

/** Returns the folder for files that git writes for the runner. */
export const outFolder = ({ folder }: Pick<AgentWorktree, "folder">) => join(folder, "out")

export interface GitSandboxDeps {
  confinement: Confinement
  /** Returns the user that runs a worktree's programs. Undefined if they run as the runner's user. */
  userOf: (worktree: string, repository: "own" | "machine") => WorktreeUser | undefined
  /** Search path for programs. */
  path: string
  /** Home of the person whose git settings apply. Undefined if git uses no person's settings. */
  home: string | undefined
}

/** Creates a confined git for one worktree. `locate` uses the git that it receives to find the worktree. */
export type ConfineGit = (
  git: Git,
  locate: (options: { signal: AbortSignal }) => Promise<AgentWorktree>,
  about: { worktree: string; repository: "own" | "machine" },
) => Git

const GIT = { file: "git", args: [] }
/** The runner's variables that agents and their filters must not receive. */
const HIDDEN = { HTTPS_PROXY: "", https_proxy: "", SSH_AUTH_SOCK: "", HOME: "/tmp" }

/**
 * Runs git in the agent's sandbox if the call processes files that an agent can change: the worktree, its index and git
 * folder, or a merge's checkout. An agent has many ways to make git run programs, but in the sandbox, these programs do
 * no harm. Calls that write an agent's content to the user's checkout run in the sandbox too: the user's settings can
 * name a program in the repository, such as `./tools/format`, which the agent may have changed. Other calls in the
 * repository run outside, because agents can't change the repository's settings (see `git-view.ts`).
 *
 * Each call has its own sandbox, so no program survives from one call to the next. Starting a sandbox takes 4 ms. A
 * process that waits inside a sandbox for calls would take 80 ms to start, longer than all git calls of a save.
 */
export function createConfineGit({ confinement, userOf, path, home }: GitSandboxDeps): ConfineGit {
  const settings = new Map<string, Promise<PersonSettings>>()

  /** Reads the user's settings on the first call, before any agent works in the repository. */
  function settingsFor(
    git: Git,
    { repository: { folder }, notes }: AgentWorktree,
  ): Promise<PersonSettings> | undefined {
    if (home === undefined) return undefined
    const about = { repository: folder, file: `${notes}.git-settings`, home }
    const found = settings.get(notes) ?? sharePersonSettings(git, about, { signal: NEVER })
    settings.set(notes, found)
    found.catch(() => settings.delete(notes))
    return found
  }

  return (git, locate, { worktree: name, repository }) => {
    async function call(args: string[], options: GitCall) {
      if (options.isUntouched) return git(args, options)
      const worktree = await locate(options)
      const place = options.writes
        ? { writable: [], mounts: await personsMounts(worktree, options) }
        : await placeOf(worktree, [options.cwd, options.env?.GIT_WORK_TREE ?? options.cwd])
      if (!place) return git(args, options)
      const { files = [], env = {} } = (await settingsFor(git, worktree)) ?? {}
      const reads = toRead([...files, ...(options.writes ? [] : (options.reads ?? []))])
      // Omit the list of users, which may not exist yet. Git doesn't need the name of its user.
      const owner = userOf(name, repository)
      const user = owner && { ...owner, passwd: undefined }
      const { file, args: before } = await confineProgram({ confinement, user }, GIT, {
        ...{ cwd: options.cwd, network: false, hasTerminal: false, path },
        ...{ writable: place.writable, mounts: [...place.mounts, ...reads] },
      })
      const startedBy = [file, ...before.slice(0, -1)]
      return git(args, { ...options, env: { ...HIDDEN, ...env, ...options.env }, startedBy })
    }
    return Object.assign(call, { files: git.files, isShared: git.isShared })
  }
}

const toRead = (paths: string[]): Mount[] => paths.map((path) => ({ from: path, to: path, isReadOnly: true }))

/** Lists the mounts for a call that processes an agent's content for the user's repository. */
async function personsMounts(
  { git, repository }: AgentWorktree,
  { reads = [], writes = [] }: Pick<GitCall, "reads" | "writes">,
): Promise<Mount[]> {
  const gitFolder = await ownGitFolder(git.files, repository.commonDir)
  return [...toRead(reads), ...gitFolder, ...writes.map((path) => ({ from: path, to: path }))]
}

/**
 * Returns the files that a call in these folders may change. Returns undefined if the call doesn't access an agent's
 * files.
 */
async function placeOf(
  worktree: AgentWorktree,
  folders: string[],
): Promise<{ writable: string[]; mounts: Mount[] } | undefined> {
  const { git, folder, tree, scratch, repository } = worktree
  const { files } = git
  const { commonDir } = repository
  const isIn = (place: string) => folders.some((each) => each === place || each.startsWith(place + sep))
  const isMerge = isIn(scratch)
  const checkout = isMerge ? scratch : tree
  const isInGitFolder = isIn(join(commonDir, "worktrees"))
  if (!isIn(tree) && !isIn(folder) && !isInGitFolder) return undefined
  const about = isMerge ? { view: join(folder, "merge-git"), isFixed: true, ownRefs: null } : agentView(worktree)
  const mounts = await openGitView(files, { commonDir, checkouts: [checkout], ...about })
  // The git folder belongs to another worktree, so it isn't this agent's.
  if (isInGitFolder && !mounts.some(({ to }) => to !== commonDir && isIn(to))) return undefined
  const others = [checkout, outFolder(worktree), ...folders.filter((each) => each.startsWith(folder + sep))]
  const isThere = await Promise.all(others.map((each) => files.exists(each)))
  return { writable: [...new Set(others.filter((_, index) => isThere[index]))], mounts }
}
