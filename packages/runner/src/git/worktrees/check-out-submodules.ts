import { dirname, join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import type { Git } from "../plumbing/git.ts"
import { inFolder, toText } from "../plumbing/git-path.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { copyRemote, hasObject } from "./inner-repositories.ts"
import { emptyFolder, gitlinksOf } from "./reset-submodules.ts"
import { submoduleNames } from "./stray-gitlinks.ts"

interface Options {
  signal: AbortSignal
}

/** Checks out submodules whose commits are in the repository's `modules`. Doesn't fetch from remotes. */
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
  // Without this setting, git serves only the heads of branches.
  const serve = "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack"
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--update-shallow", serve]
  await git(["fetch", ...flags, "--", from, "+refs/remotes/*:refs/remotes/*", commit], { ...call, reads: [from] })
  await copyRemote(git, from, (name, value) => git(["config", name, value], call), options)
  await git(["checkout", "--quiet", "--detach", commit, "--"], call)
}
