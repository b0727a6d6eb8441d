import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * Makes a folder and what is missing above it. Node's own way never comes back where a file system knows no new folders
 * and says that there is nothing above them, as `/proc` does: this one throws the file system's error.
 */
export async function makeFolder(folder: string, options: { mode?: number } = {}): Promise<void> {
  try {
    await mkdir(folder, options)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" && dirname(folder) !== folder && !(await isDirectory(dirname(folder)))) {
      await makeFolder(dirname(folder), options)
      await makeFolder(folder, options)
    } else if (code !== "EEXIST" || !(await isDirectory(folder))) throw error
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
    throw error
  }
}
