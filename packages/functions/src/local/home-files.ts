import { constants } from "node:fs"
import { lstat, open, opendir, realpath } from "node:fs/promises"
import { join } from "node:path"

/**
 * Reads files of this user's home folder by paths relative to it. Links, pipes and devices count as missing, because
 * agents may have put them there. So do files below a folder that is a link.
 */
export interface HomeFiles {
  /** Lists a folder, up to a limit for all folders together. Hidden entries are included. */
  list(folder: string): Promise<{ name: string; isFolder: boolean }[]>
  /** Returns the time of a file's last change in milliseconds. */
  changedAt(path: string): Promise<number | undefined>
  /** Reads up to `bytes` bytes from the beginning of a file. */
  head(path: string, bytes: number): Promise<Uint8Array | undefined>
}

export function createHomeFiles(home: string, { maxEntries }: { maxEntries: number }): HomeFiles {
  let entriesLeft = maxEntries
  /** Returns the absolute path. Undefined if it contains a link or doesn't exist. */
  async function absolute(path: string): Promise<string | undefined> {
    const wanted = join(await realpath(home), path)
    return (await realpath(wanted)) === wanted ? wanted : undefined
  }

  return {
    list: (folder) =>
      ifThere(async () => {
        const found = []
        const path = await absolute(folder)
        if (path === undefined) return []
        for await (const entry of await opendir(path)) {
          if (entriesLeft-- <= 0) break
          if (entry.isFile() || entry.isDirectory()) found.push({ name: entry.name, isFolder: entry.isDirectory() })
        }
        return found
      }).then((found) => found ?? []),
    changedAt: (path) =>
      ifThere(async () => {
        const file = await lstat(join(home, path))
        return file.isFile() ? file.mtimeMs : undefined
      }),
    head: (path, bytes) =>
      ifThere(async () => {
        const wanted = await absolute(path)
        if (wanted === undefined) return undefined
        await using file = await open(wanted, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
        if (!(await file.stat()).isFile()) return undefined
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
        return buffer.subarray(0, bytesRead)
      }),
  }
}

const MISSING = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENXIO", "ENAMETOOLONG"]

/** Returns undefined if the object doesn't exist or can't be read. */
async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (MISSING.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined
    throw error
  }
}
