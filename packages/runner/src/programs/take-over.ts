import { chmod, lchown, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { InstallError } from "./npm-errors.ts"

/**
 * Makes root the owner of a tree that another user unpacked, and leaves nobody else a right to write to it. The caller sees to it
 * that no process of that user gets there any more. Packages hold nothing but files and folders: anything else could lead
 * out of the tree, and is refused.
 */
export async function takeOver(path: string): Promise<void> {
  const found = await lstat(path)
  const isFolder = found.isDirectory()
  // A second name of a file would be another user's.
  if (!isFolder && (!found.isFile() || found.nlink > 1))
    throw new InstallError("a package holds more than files and folders")
  await lchown(path, 0, 0)
  await chmod(path, isFolder || (found.mode & 0o111) !== 0 ? 0o755 : 0o644)
  if (isFolder) for (const name of await readdir(path)) await takeOver(join(path, name))
}
