import { chmod, lchown, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { InstallError } from "./npm-errors.ts"

/**
 * Makes root the owner of a tree that another user has unpacked, and lets only root write to it. The caller must ensure
 * that no process of that user can still access the tree. Throws for anything except files and folders, because a link
 * could lead out of the tree.
 */
export async function takeOver(path: string): Promise<void> {
  const found = await lstat(path)
  const isFolder = found.isDirectory()
  // If a file has several hard links, another user may still have access to it under a different name.
  if (!isFolder && (!found.isFile() || found.nlink > 1))
    throw new InstallError("a package contains something other than files and folders")
  await lchown(path, 0, 0)
  await chmod(path, isFolder || (found.mode & 0o111) !== 0 ? 0o755 : 0o644)
  if (isFolder) for (const name of await readdir(path)) await takeOver(join(path, name))
}
