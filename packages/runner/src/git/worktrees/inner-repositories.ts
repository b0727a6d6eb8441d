import { join, relative, resolve } from "node:path"
import type { Files } from "../../files/files.ts"
import type { Git } from "../plumbing/git.ts"
import { type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { isLinkedWorktree } from "../plumbing/list-new.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"

interface Options {
  signal: AbortSignal
}

/** A repository inside a checkout: a submodule, or a repository that an agent created there. */
export interface InnerRepository {
  /** Path of the repository's folder in the checkout, for display. */
  path: string
  /** Folder where the repository's git commands run. */
  cwd: string
  gitDir: string
  /** Git folder of the main repository if this repository is a linked worktree; otherwise null. */
  commonDir: string | null
  /** Name of the submodule in the outer repository. Null if this isn't a submodule. */
  module: string | null
  /** True if the repository has no working files, because it is a submodule that isn't checked out. */
  isBare: boolean
}

interface Checkout {
  cwd: string
  gitDir: string
}

/**
 * Finds the repositories inside a checkout, given the checkout's gitlinks and other folders that may be repositories.
 * `hollow` lists folders that git skips because they look like nested repositories, although they aren't.
 */
export async function innerRepositories(
  files: Files,
  checkout: Checkout,
  { gitlinks, others }: { gitlinks: GitPath[]; others: GitPath[] },
): Promise<{ repositories: InnerRepository[]; hollow: GitPath[] }> {
  const repositories: InnerRepository[] = []
  const hollow: GitPath[] = []
  for (const path of gitlinks) {
    const inner = await innerAt(files, checkout, toText(path))
    if (inner) repositories.push(inner)
    else if ((await files.list(inFolder(checkout.cwd, path)).catch(() => [])).length > 0) hollow.push(path)
  }
  for (const path of await topmostRepositories(files, checkout.cwd, others)) {
    const inner = await innerAt(files, checkout, toText(path), false)
    if (inner) repositories.push(inner)
    else if (await isLinkedWorktree(files, checkout.cwd, path)) hollow.push(path)
  }
  const modules = join(checkout.gitDir, "modules")
  const known = new Set(repositories.map((each) => each.gitDir))
  for (const module of await modulesIn(files, modules, "")) {
    const gitDir = join(modules, module)
    if (known.has(gitDir)) continue
    repositories.push({ path: module, cwd: gitDir, gitDir, commonDir: null, module, isBare: true })
  }
  return { repositories, hollow }
}

/** Returns the repository in a folder of a checkout. Returns undefined for a submodule that isn't checked out. */
export async function innerAt(
  files: Files,
  { cwd, gitDir }: Checkout,
  path: string,
  isGitlink = true,
): Promise<InnerRepository | undefined> {
  const folder = join(cwd, path)
  const own = await gitDirOf(files, folder).catch(() => undefined)
  if (own === undefined || !(await isGitFolder(files, own))) return undefined
  const within = relative(join(gitDir, "modules"), own)
  const isModule = !within.startsWith("..") && within !== ""
  const common = (await files.readText(join(own, "commondir")).catch(() => undefined))?.trimEnd()
  const commonDir = common === undefined ? null : resolve(own, common)
  // If an agent cloned into a submodule's folder, the git folder is in that folder, and not in the outer repository's
  // modules.
  return {
    path,
    cwd: folder,
    gitDir: own,
    commonDir,
    module: isModule ? within : isGitlink ? path : null,
    isBare: false,
  }
}

/**
 * True if git considers the folder a repository. If it doesn't, git commands in this folder would use the surrounding
 * repository.
 */
async function isGitFolder(files: Files, folder: string): Promise<boolean> {
  const head = await files.readText(join(folder, "HEAD")).catch(() => undefined)
  if (!/^(ref: refs\/|[0-9a-f]{40})/.test(head ?? "")) return false
  if (await files.exists(join(folder, "commondir"))) return true
  return (await files.exists(join(folder, "objects"))) && (await files.exists(join(folder, "refs")))
}

/** Returns the folders that are repositories, except those inside another repository. */
async function topmostRepositories(files: Files, cwd: string, folders: GitPath[]): Promise<GitPath[]> {
  const found = await Promise.all(
    folders.map(async (path) =>
      (await files.lstat(inFolder(cwd, `${path}/.git`)).catch(() => undefined)) ? [path] : [],
    ),
  )
  const repositories = found.flat()
  const isTop = (path: GitPath) => !repositories.some((other) => path.startsWith(`${other}/`))
  return repositories.filter(isTop)
}

/** Lists the names of the modules in a folder. A name may contain slashes. */
async function modulesIn(files: Files, folder: string, prefix: string): Promise<string[]> {
  const names: string[] = []
  for (const { name, kind } of await files.list(folder).catch(() => [])) {
    if (kind !== "folder") continue
    const path = `${prefix}${name}`
    const isModule = await files.exists(join(folder, `${name}`, "HEAD"))
    names.push(...(isModule ? [path] : await modulesIn(files, join(folder, `${name}`), `${path}/`)))
  }
  return names
}

/** Lists the git folders of all submodules under a modules folder, including nested ones. */
export async function allModules(files: Files, folder: string): Promise<string[]> {
  const own = (await modulesIn(files, folder, "")).map((name) => join(folder, name))
  const deeper = await Promise.all(own.map((module) => allModules(files, join(module, "modules"))))
  return [...own, ...deeper.flat()]
}

/**
 * Environment for git commands in a repository's git folder, for use if the configured checkout may no longer exist.
 */
export const onlyIn = (gitDir: string) => ({ GIT_DIR: gitDir, GIT_WORK_TREE: gitDir })

/**
 * Copies a commit and its history from a nested repository to another repository, and creates a ref to the commit. If
 * the target is the git folder of a submodule that isn't checked out and this folder is missing, creates it as git
 * would.
 */
export async function copyCommit(
  git: Git,
  { from, to, commit, ref, isModule }: { from: string; to: string; commit: string; ref: string; isModule: boolean },
  { signal }: Options,
): Promise<void> {
  const source = { cwd: from, env: onlyIn(from), signal }
  if (isModule && !(await git.files.exists(join(to, "HEAD")))) await makeModule(git, from, to, { signal })
  await git(["update-ref", ref, commit], source)
  const fetch = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--update-shallow",
    "--",
    from,
    `+${ref}:${ref}`,
  ]
  // An agent controls the nested repository. Prevent git from fetching missing objects, because a fetch could run
  // programs from the repository's config.
  const env = { ...(isModule && onlyIn(to)), GIT_NO_LAZY_FETCH: "1" }
  await git(fetch, { cwd: to, env, signal })
}

async function makeModule(git: Git, from: string, to: string, { signal }: Options): Promise<void> {
  await git.files.makeFolder(to)
  await git(["init", "--quiet", "--bare", "--template=", "--", to], { cwd: to, signal })
  const configure = (name: string, value: string) => git(["config", name, value], { cwd: to, env: onlyIn(to), signal })
  await configure("core.bare", "false")
  await copyRemote(git, from, configure, { signal })
}

/** Copies the URL of a repository's `origin`, and configures fetching for all its branches. */
export async function copyRemote(
  git: Git,
  from: string,
  configure: (name: string, value: string) => Promise<unknown>,
  options: Options,
): Promise<void> {
  const asked = ["config", "remote.origin.url"]
  const { stdout } = await git(asked, { cwd: from, env: onlyIn(from), accept: [1], ...options })
  const url = stdout.toString().replace(/\n$/, "")
  if (url === "") return
  await configure("remote.origin.url", url)
  await configure("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
}

/** True if the commit is known to be on one of the repository's remotes. */
export async function isPublished(git: Git, gitDir: string, commit: string, { signal }: Options): Promise<boolean> {
  const asked = ["for-each-ref", "--count=1", `--contains=${commit}`, "refs/remotes"]
  const { code, stdout } = await git(asked, { cwd: gitDir, env: onlyIn(gitDir), signal, accept: [1, 128, 129] })
  return code === 0 && stdout.length > 0
}

export async function hasObject(git: Git, gitDir: string, commit: string, { signal }: Options): Promise<boolean> {
  if (!(await git.files.exists(join(gitDir, "HEAD")))) return false
  const asked = ["cat-file", "-e", `${commit}^{commit}`]
  return (await git(asked, { cwd: gitDir, env: onlyIn(gitDir), signal, accept: [1, 128] })).code === 0
}
