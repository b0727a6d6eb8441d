import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * Creates a folder and its missing parents. Throws the file system's error. Node's recursive `mkdir` hangs instead on
 * file systems that reject new folders with ENOENT, such as `/proc`.
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
