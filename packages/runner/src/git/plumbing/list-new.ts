import type { Files } from "../../files/files.ts"
import type { Git, GitCall } from "./git.ts"
import { asInput, fieldsOf, type GitPath, toText } from "./git-path.ts"
import { overlookedAmong } from "./overlooked.ts"

/** An index, compared with the files of its checkout. */
export interface IndexListing {
  /** Same paths as from `listNew`, except that nested repositories aren't opened. */
  paths: GitPath[]
  /** All paths in the index and all new ones. */
  all: GitPath[]
  /** Entries with `assume-unchanged` or `skip-worktree`. */
  overlooked: GitPath[]
  /** True if there are no submodules, no unmerged entries and no warnings. */
  isOrdinary: boolean
}

/** Lists what `listNew` and `listOverlooked` list, with a single command. */
export async function listIndex(git: Git, call: GitCall, { modified }: { modified: boolean }): Promise<IndexListing> {
  const kinds = ["--cached", "--others", ...(modified ? ["--modified"] : [])]
  const { stdout, stderr } = await git(["ls-files", "-v", "--stage", ...kinds, "--exclude-standard", "-z"], call)
  const lines = fieldsOf(stdout)
  const changed = lines.filter((line) => /^[?Cc] /.test(line))
  const pathOf = (line: string) => line.slice(line.startsWith("? ") ? 2 : line.indexOf("\t") + 1)
  return {
    paths: [...new Set(changed.map(pathOf))],
    all: [...new Set(lines.map(pathOf))],
    overlooked: [...new Set(overlookedAmong(lines).map(pathOf))],
    isOrdinary: stderr === "" && !lines.some((line) => /^(?:. 160000|[Mm]) /.test(line)),
  }
}

/**
 * Lists a checkout's untracked files that git doesn't ignore. With `modified`, also lists files that differ from the
 * index. Includes files in nested repositories. An entry with a trailing slash is another worktree, or a folder whose
 * name git can't store. The index must be a copy, because `openFolders` changes it.
 */
export async function listNew(git: Git, call: GitCall, { modified = false } = {}): Promise<GitPath[]> {
  const kinds = modified ? ["--others", "--modified"] : ["--others"]
  const opened = new Set<GitPath>()
  for (;;) {
    const { stdout } = await git(["ls-files", ...kinds, "--exclude-standard", "-z"], call)
    const paths = [...new Set(fieldsOf(stdout))]
    // For a nested repository, git lists only the folder. The folder may contain further nested repositories.
    const nested = paths.filter((path) => path.endsWith("/") && !opened.has(path))
    if (nested.length === 0) return paths
    const folders: GitPath[] = []
    for (const path of nested) {
      opened.add(path)
      const folder = path.slice(0, -1)
      if (!(await isLinkedWorktree(git.files, call.cwd, folder))) folders.push(folder)
    }
    if (folders.length > 0) await openFolders(git, folders, call)
  }
}

/** True if `git worktree add` created the folder. The worktree's branch is in the repository where that command ran. */
export async function isLinkedWorktree(files: Files, cwd: string, path: GitPath): Promise<boolean> {
  const link = await files.readText(`${cwd}/${toText(path)}/.git`).catch(() => undefined)
  return link !== undefined && /^gitdir: .*\/worktrees\/[^/]+\n*$/s.test(link)
}

/** Name of an index entry that exists only until the folder's files are staged. */
const PLACEHOLDER = ".switchyard-folder"

/**
 * Makes git treat nested repositories and gitlinks as ordinary folders by adding an index entry in each of them.
 * Otherwise, git would add them as submodules without a remote, or fail if they have no commit. The objects of these
 * entries don't exist, and the entries disappear once everything is staged. Git ignores folders whose names it can't
 * store.
 */
export async function openFolders(git: Git, folders: GitPath[], call: GitCall): Promise<void> {
  const id = (await git(["hash-object", "--stdin"], { ...call, input: "" })).stdout.toString().trim()
  await dropEntries(git, folders, call)
  const lines = folders.map((path) => `100644 ${id}\t${path}/${PLACEHOLDER}`)
  await git(["update-index", "-z", "--index-info"], { ...call, input: asInput(lines) })
}

/** Removes entries from an index. Doesn't delete their files. */
export async function dropEntries(git: Git, paths: GitPath[], call: GitCall): Promise<void> {
  await git(["update-index", "--force-remove", "-z", "--stdin"], { ...call, input: asInput(paths) })
}
