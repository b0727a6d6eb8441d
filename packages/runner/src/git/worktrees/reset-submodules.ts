import { join } from "node:path"
import type { Git } from "../plumbing/git.ts"
import { fieldsOf, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { clearFlags, listOverlooked } from "../plumbing/overlooked.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { forgetHalves } from "./commit-work.ts"
import { hasObject, innerAt } from "./inner-repositories.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Resets a checkout's submodules, including nested ones, to the commits in the index. If a submodule's commit is
 * missing, or another folder has replaced the submodule, empties the submodule's folder. Git treats an empty folder as
 * a submodule that isn't checked out.
 */
export async function resetSubmodules(git: Git, cwd: string, options: Options): Promise<void> {
  const { files } = git
  const gitDir = await gitDirOf(files, cwd)
  for (const { path, commit } of await gitlinksOf(git, cwd, options)) {
    // Don't follow a link that replaced a submodule, because it points outside the checkout.
    if ((await files.lstat(inFolder(cwd, path)))?.kind !== "folder") continue
    const inner = await innerAt(files, { cwd, gitDir }, toText(path))
    if (!inner || !(await hasObject(git, inner.gitDir, commit, options))) {
      await emptyFolder(git, inFolder(cwd, path))
      continue
    }
    const call = { cwd: inner.cwd, ...options }
    await files.remove(join(inner.gitDir, "index.lock"))
    // Git refuses to switch commits during an unfinished operation.
    await forgetHalves(files, inner.gitDir)
    await clearFlags(git, await listOverlooked(git, call), call)
    await git(["checkout", "--quiet", "--force", "--detach", commit, "--"], call)
    await git(["clean", "-ffdq"], call)
    await resetSubmodules(git, inner.cwd, options)
  }
}

/** Lists the gitlinks in a checkout's index. */
export async function gitlinksOf(
  git: Git,
  cwd: string,
  options: Options,
): Promise<{ path: GitPath; commit: string }[]> {
  const entries = fieldsOf((await git(["ls-files", "--stage", "-z"], { cwd, ...options })).stdout)
  return entries.flatMap((entry) => {
    const [mode, commit = ""] = entry.split(" ", 2)
    return mode === "160000" ? [{ path: entry.slice(entry.indexOf("\t") + 1), commit }] : []
  })
}

export async function emptyFolder({ files }: Git, folder: Buffer): Promise<void> {
  for (const { name } of await files.list(folder).catch(() => [])) {
    await files.remove(Buffer.concat([folder, Buffer.from("/"), name]))
  }
}
