import type { Stats } from "node:fs"
import { chmod, lchown, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"

/**
 * Makes root the owner of a tree that another user has created, and lets only root write to it. The caller must ensure
 * that no process of that user can still access the tree. Throws before it changes anything if the tree contains a
 * device, a pipe, or a hard link to a file outside it.
 */
export async function freezeTree(folder: string): Promise<void> {
  const all = await entriesIn(folder)
  const names = Map.groupBy(all, ({ found }) => `${found.dev} ${found.ino}`)
  for (const { path, found } of all) {
    const isPlain = found.isFile() || found.isDirectory() || found.isSymbolicLink()
    // A file with a name elsewhere may belong to someone else, and would become readable to everyone.
    const isOutside = !found.isDirectory() && found.nlink !== names.get(`${found.dev} ${found.ino}`)?.length
    if (!isPlain || isOutside) throw new AppError("setup_failed", `The tools contain an unusual file: ${path}.`)
  }
  for (const { path, found } of all) {
    await lchown(path, 0, 0)
    // A link's mode has no effect, and changing it would change its target's.
    if (found.isSymbolicLink()) continue
    await chmod(path, found.isDirectory() || (found.mode & 0o111) !== 0 ? 0o755 : 0o644)
  }
}

async function entriesIn(path: string): Promise<{ path: string; found: Stats }[]> {
  const found = await lstat(path)
  if (!found.isDirectory()) return [{ path, found }]
  const all = [{ path, found }]
  for (const name of await readdir(path)) all.push(...(await entriesIn(join(path, name))))
  return all
}
