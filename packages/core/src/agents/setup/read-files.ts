import { constants, type Dirent } from "node:fs"
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"

/** Largest file that is read. */
const MAX_FILE_BYTES = 256 * 1024
/** Maximum number of files, and depth, in a folder. */
const MAX_FILES = 300
const MAX_DEPTH = 6

/** Returns the file's content. Undefined if the path isn't a regular file, or if the file is too large. */
export async function readRegular(path: string, maxBytes = MAX_FILE_BYTES): Promise<Buffer | undefined> {
  let file: FileHandle | undefined
  try {
    // Without these flags, opening a link would follow it, and opening a pipe would wait for a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile() || found.size > maxBytes) return undefined
    // The file may grow while it is read.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size + 1), 0, found.size + 1, 0)
    return bytesRead > found.size ? undefined : buffer.subarray(0, bytesRead)
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

/** Lists the entries of a folder by name. Returns none if the folder can't be read. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * Lists the regular files below a folder, as paths relative to it, and the entries that are something else. Skips
 * hidden entries, which are settings of programs, and everything beyond the limits. Doesn't follow links.
 */
export async function filesBelow(folder: string): Promise<{ files: string[]; skipped: string[] }> {
  const files: string[] = []
  const skipped: string[] = []
  async function walk(inner: string, depth: number): Promise<void> {
    for (const entry of await entriesOf(join(folder, inner))) {
      const path = join(inner, entry.name)
      if (entry.name.startsWith(".") || files.length >= MAX_FILES) skipped.push(path)
      else if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && depth < MAX_DEPTH) await walk(path, depth + 1)
      else skipped.push(path)
    }
  }
  await walk("", 0)
  return { files, skipped }
}

/**
 * Returns the real path of a file or folder in the home. `leadsTo` is set if the path is a link. Returns undefined if
 * there is nothing at this path, and `outside` if a link leads out of the home.
 */
export async function locateInHome(
  home: string,
  path: string,
): Promise<{ real: string; leadsTo: string | undefined } | "outside" | undefined> {
  const [real, realHome] = await Promise.all([realpath(join(home, path)), realpath(home)]).catch(() => [])
  if (real === undefined || realHome === undefined) return undefined
  const inside = relative(realHome, real)
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return "outside"
  const isLink = (await lstat(join(home, path)).catch(() => undefined))?.isSymbolicLink() || inside !== path
  return { real, leadsTo: isLink ? inside : undefined }
}
