import { dirname, join } from "node:path"
import type { Files } from "../../files/files.ts"

/** Maximum number of entries to copy. It is above the usual number of ignored files in a repository. */
const MAX_ENTRIES = 10_000

/**
 * Copies a file or folder from the checkout to the worktree without overwriting. Returns true if any file was copied.
 */
export async function copyFromCheckout(
  files: Files,
  { checkout, tree, path }: { checkout: string; tree: string; path: string },
): Promise<boolean> {
  let entries = 0

  async function copy(inner: string): Promise<boolean> {
    const [from, to] = [join(checkout, inner), join(tree, inner)]
    const found = await files.lstat(from)
    if (!found || ++entries > MAX_ENTRIES) return false
    if (found.kind === "folder") {
      let isAny = false
      for (const { name } of await files.list(from)) isAny = (await copy(join(inner, name.toString()))) || isAny
      return isAny
    }
    if (found.kind === "other" || (await files.lstat(to))) return false
    await files.makeFolder(dirname(to))
    // A link in the worktree may point outside it, so resolve the target folder first.
    const folder = await files.realpath(dirname(to))
    if (folder !== join(await files.realpath(tree), dirname(inner))) return false
    await files.copy(from, to)
    return true
  }

  return copy(path)
}
