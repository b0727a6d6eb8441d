import type { Git } from "../plumbing/git.ts"
import type { GitPath } from "../plumbing/git-path.ts"
import { fromText } from "../plumbing/git-path.ts"
import { isGitlink, treeChanges } from "../plumbing/tree-changes.ts"

/**
 * Lists gitlinks of a tree that the base doesn't have, and that `.gitmodules` has no address for: `git add` makes them of
 * repositories that an agent made or cloned. No clone could get their files.
 */
export async function strayGitlinks(
  git: Git,
  cwd: string,
  { base, tree }: { base: string; tree: string },
  { signal }: { signal: AbortSignal },
): Promise<GitPath[]> {
  const changes = await treeChanges(git, cwd, base, tree, { signal })
  const fresh = changes.filter(({ from, to }) => isGitlink(to) && !isGitlink(from)).map(({ path }) => path)
  if (fresh.length === 0) return []
  const known = await submodulePaths(git, cwd, tree, { signal })
  return fresh.filter((path) => !known.has(path))
}

/** The paths of a tree's submodules that have an address. */
async function submodulePaths(
  git: Git,
  cwd: string,
  tree: string,
  { signal }: { signal: AbortSignal },
): Promise<Set<GitPath>> {
  const asked = ["config", "-z", "--blob", `${tree}:.gitmodules`, "--get-regexp", "^submodule\\..*\\.(path|url)$"]
  const { stdout } = await git(asked, { cwd, signal, accept: [1, 128] })
  const values = new Map<string, string>()
  for (const setting of stdout.toString().split("\0")) {
    const end = setting.indexOf("\n")
    if (end >= 0) values.set(setting.slice(0, end), setting.slice(end + 1))
  }
  const paths = [...values].flatMap(([key, path]) => {
    const hasAddress = key.endsWith(".path") && values.get(`${key.slice(0, -"path".length)}url`)
    return hasAddress ? [fromText(path)] : []
  })
  return new Set(paths)
}
