import type { Git } from "./git.ts"
import { fieldsOf, type GitPath } from "./git-path.ts"

export interface TreeEntry {
  mode: string
  blob: string
}

/** A path that differs between two trees. The entry for a tree is null if that tree doesn't contain the path. */
export interface TreeChange {
  path: GitPath
  from: TreeEntry | null
  to: TreeEntry | null
}

export const isGitlink = (entry: TreeEntry | null) => entry?.mode === "160000"

/** Lists the changes between two trees by path. A rename counts as two changes. */
export async function treeChanges(
  git: Git,
  cwd: string,
  from: string,
  to: string,
  { signal }: { signal: AbortSignal },
): Promise<TreeChange[]> {
  const { stdout } = await git(["diff-tree", "-r", "--raw", "--no-renames", "-z", "--full-index", from, to], {
    cwd,
    signal,
  })
  const fields = fieldsOf(stdout)
  return Array.from({ length: fields.length / 2 }, (_, index) => {
    const [fromMode, toMode, fromBlob, toBlob] = (fields[2 * index] ?? "").slice(1).split(" ")
    return { path: fields[2 * index + 1] ?? "", from: entryOf(fromMode, fromBlob), to: entryOf(toMode, toBlob) }
  })
}

/** Lists all entries of a tree, including links and submodules. */
export async function treeEntries(
  git: Git,
  cwd: string,
  tree: string,
  { signal }: { signal: AbortSignal },
): Promise<(TreeEntry & { path: GitPath })[]> {
  const { stdout } = await git(["ls-tree", "-r", "-z", "--full-tree", tree], { cwd, signal })
  return fieldsOf(stdout).map((field) => {
    const [mode = "", , blob = ""] = field.split(/[ \t]/, 3)
    return { mode, blob, path: field.slice(field.indexOf("\t") + 1) }
  })
}

/** Lists the paths of all entries of a tree. */
export async function treePaths(
  git: Git,
  cwd: string,
  tree: string,
  { signal }: { signal: AbortSignal },
): Promise<GitPath[]> {
  const { stdout } = await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree], { cwd, signal })
  return fieldsOf(stdout)
}

function entryOf(mode = "", blob = ""): TreeEntry | null {
  return mode === "000000" ? null : { mode, blob }
}

/**
 * Builds the input lines for `update-index --index-info -z`. Removals come first, because a folder may replace a file.
 */
export function indexInfo(changes: { path: GitPath; to: TreeEntry | null }[]): GitPath[] {
  const zeros = "0".repeat(40)
  const gone = changes.map(({ path }) => `0 ${zeros}\t${path}`)
  return [...gone, ...changes.flatMap(({ path, to }) => (to ? [`${to.mode} ${to.blob}\t${path}`] : []))]
}
