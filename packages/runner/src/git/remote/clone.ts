import { randomUUID } from "node:crypto"
import { dirname } from "node:path"
import type { Git } from "../plumbing/git.ts"
import { openRepository, type Repository } from "../plumbing/repository.ts"
import { commitTree, writeEmptyTree } from "../plumbing/snapshot.ts"
import type { Reach } from "./remotes.ts"

interface Options {
  onProgress?: (text: string) => void
  signal: AbortSignal
}

/**
 * Clones a repository without checking it out. Moves the clone to `folder` once it is complete. Reuses an existing
 * clone.
 */
export async function clone(
  git: Git,
  { url, reach }: { url: string; reach: Reach },
  folder: string,
  options: Options,
): Promise<Repository> {
  const { files } = git
  if (!(await files.exists(folder))) {
    await files.makeFolder(dirname(folder))
    const fresh = `${folder}-${randomUUID()}`
    // By default, a bare clone doesn't track remote branches.
    const fetch = "remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*"
    const checked = CHECKED.flatMap((setting) => ["-c", setting])
    const shared = git.isShared ? ["-c", "core.sharedRepository=group"] : []
    const asked = ["clone", "--bare", "--no-local", "--progress", "-c", fetch, ...checked, ...shared, "--", url, fresh]
    try {
      await reach((env) => git(asked, { cwd: dirname(folder), env, ...options }), options)
      await files.rename(fresh, folder)
    } finally {
      await files.remove(fresh)
    }
  }
  return openRepository(git, folder, options)
}

/**
 * Harmless faults in objects that old programs wrote. Repositories can't get rid of such objects, because history can't
 * be changed.
 */
const HARMLESS = [
  ...["zeroPaddedFilemode", "zeroPaddedDate", "badTimezone", "badDateOverflow", "badName", "badEmail", "missingEmail"],
  ...["missingNameBeforeEmail", "missingSpaceBeforeEmail", "missingSpaceBeforeDate", "missingTaggerEntry"],
  ...["badTagName", "multipleAuthors", "largePathname"],
]

/**
 * Makes git check every object of a pack before storing it. A malicious server could send trees that contain `.git` and
 * `..`, or submodules whose URL is a command-line option. These settings are saved in the clone's config, so that they
 * also apply to fetches.
 */
const CHECKED = ["fetch.fsckObjects=true", ...HARMLESS.map((fault) => `fetch.fsck.${fault}=ignore`)]

/** Initialises a repository. Its first commit is empty and checked out. */
export async function initRepository(git: Git, folder: string, { signal }: Options): Promise<void> {
  const call = { cwd: folder, signal }
  await git(["init", "--quiet", "--initial-branch=main", ...(git.isShared ? ["--shared=group"] : [])], call)
  const tree = await writeEmptyTree(git, folder, { signal })
  const commit = await commitTree(git, folder, { tree, parents: [], message: "The workspace\n" }, { signal })
  await git(["update-ref", "refs/heads/main", commit], call)
  // Create an index. Without an index, git treats all files as not checked out.
  await git(["reset", "--quiet"], call)
}
