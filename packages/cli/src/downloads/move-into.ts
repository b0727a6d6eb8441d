import { lstat, rename } from "node:fs/promises"
import { dirname, join } from "node:path"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import { UsageError } from "../errors/errors.ts"

/**
 * Moves files into a directory, and replaces files with the same name. Paths that end in `/` are folders. Checks all
 * paths before moving anything. If any path is rejected, nothing changes. Never follows symbolic links out of the
 * directory.
 */
export async function moveInto(content: string, target: string, paths: string[]): Promise<void> {
  for (const path of paths) await checkPlace(target, path)
  for (const path of paths) {
    const place = join(target, path)
    await makeFolder(path.endsWith("/") ? place : dirname(place))
    if (!path.endsWith("/")) await rename(join(content, path), place)
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}

async function checkPlace(target: string, path: string) {
  const isFolder = path.endsWith("/")
  const parts = path.replace(/\/$/, "").split("/")
  for (let depth = 1; depth <= parts.length; depth++) {
    const place = join(target, ...parts.slice(0, depth))
    const stats = await statIfThere(place)
    if (!stats) return
    const folderWanted = isFolder || depth < parts.length
    if (folderWanted && !stats.isDirectory())
      throw new UsageError(`${place} is in the way because it isn't a directory.`)
    if (!folderWanted && stats.isDirectory()) throw new UsageError(`${place} is in the way because it is a directory.`)
  }
}

export async function statIfThere(place: string) {
  try {
    return await lstat(place)
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined
    throw error
  }
}
