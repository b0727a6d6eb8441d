import { dirname, join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import type { Git } from "../plumbing/git.ts"
import { inFolder, toText } from "../plumbing/git-path.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { hasObject } from "./inner-repositories.ts"
import { emptyFolder, gitlinksOf } from "./reset-submodules.ts"
import { submoduleNames } from "./stray-gitlinks.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Checks out the submodules of a new worktree whose commits are among these modules, those of the repository itself. Uses no
 * network: other submodules stay empty, as git leaves them.
 */
export async function checkOutSubmodules(
  git: Git,
  { cwd, modules }: { cwd: string; modules: string },
  options: Options,
): Promise<void> {
  if (!(await git.files.exists(modules))) return
  const gitlinks = await gitlinksOf(git, cwd, options)
  if (gitlinks.length === 0) return
  const names = await submoduleNames(git, cwd, "HEAD", options)
  const gitDir = await gitDirOf(git.files, cwd)
  for (const { path, commit } of gitlinks) {
    const name = names.get(path)
    if (name === undefined || name.split("/").some((each) => each === "" || each.startsWith("."))) continue
    const from = join(modules, name)
    if (!(await hasObject(git, from, commit, options))) continue
    const place = { folder: join(cwd, toText(path)), from, to: join(gitDir, "modules", name), commit }
    try {
      await checkOutOne(git, place, options)
    } catch (error) {
      if (!isAppError(error, "git_error") && !isAppError(error, "repository_error")) throw error
      await emptyFolder(git, inFolder(cwd, path))
      await git.files.remove(place.to)
      continue
    }
    await checkOutSubmodules(git, { cwd: place.folder, modules: join(from, "modules") }, options)
  }
}

async function checkOutOne(
  git: Git,
  { folder, from, to, commit }: { folder: string; from: string; to: string; commit: string },
  options: Options,
): Promise<void> {
  const call = { cwd: folder, ...options }
  await git.files.makeFolder(dirname(to))
  await git.files.makeFolder(folder)
  await git(["init", "--quiet", "--template=", `--separate-git-dir=${to}`], call)
  // Git serves the heads of branches alone, if it isn't told otherwise.
  const serve = "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack"
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--update-shallow", serve]
  await git(["fetch", ...flags, "--", from, "+refs/remotes/*:refs/remotes/*", commit], { ...call, reads: [from] })
  const env = { GIT_DIR: from, GIT_WORK_TREE: from }
  const asked = await git(["config", "remote.origin.url"], { cwd: from, env, accept: [1], ...options })
  const url = asked.stdout.toString().replace(/\n$/, "")
  if (url !== "") {
    await git(["config", "remote.origin.url", url], call)
    await git(["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"], call)
  }
  await git(["checkout", "--quiet", "--detach", commit, "--"], call)
}
