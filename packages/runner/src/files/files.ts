import { randomUUID } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { constants } from "node:fs"
import {
  access,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  utimes,
} from "node:fs/promises"
import { join } from "node:path"

/** A path; as bytes where its names may not be valid UTF-8. */
export type Place = string | Buffer

export type FileKind = "file" | "folder" | "link" | "other"

export interface FileStat {
  kind: FileKind
  /** The permission bits. */
  mode: number
  uid: number
  /** In bytes. */
  size: number
  dev: bigint
  ino: bigint
  atimeNs: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  birthtimeNs: bigint
}

/**
 * The files that an agent can change, as one user of the machine sees them. An agent may replace any file or folder by a link,
 * a pipe or something else at any moment, so nothing with more rights than the agent may touch them by their paths: where
 * agents are another user, this is a process of that user.
 *
 * Failures throw as `node:fs` does, with a `code`. No call waits for a pipe to be opened by someone else.
 */
export interface Files {
  /** Undefined if there is nothing at that place. */
  lstat(place: Place): Promise<FileStat | undefined>
  /** The same of what a link leads to. */
  stat(place: Place): Promise<FileStat | undefined>
  /** Whether it can be reached; links are followed. */
  exists(place: Place): Promise<boolean>
  realpath(place: string): Promise<string>
  list(folder: Place): Promise<{ name: Buffer; kind: FileKind }[]>
  /** The text of a file of at most 1 MiB; undefined if there is none. */
  readText(file: string): Promise<string | undefined>
  /** Reads a file; undefined if it isn't a regular one, can't be read, or a part of its path is a link. */
  readRegular(place: Buffer): Promise<Buffer | undefined>
  /** Reads up to this many bytes of a regular file, from a position; none at its end. Follows no link in the file's place. */
  readPart(file: string, from: number, bytes: number): Promise<Buffer>
  /** Writes a new file; fails with `EEXIST` if there is one. */
  create(file: string, mode: number, bytes: Uint8Array): Promise<void>
  /**
   * Writes a file at a relative path of a folder in one step, with the folders above it. No link is followed: one in its place
   * or above it is kept beside it, under a name of its own, as is anything else that is in the way.
   */
  replace(root: string, path: string, mode: number, bytes: Uint8Array): Promise<void>
  /** Copies a file, or a link as a link. */
  copy(from: Place, to: Place): Promise<void>
  setTimes(file: string, atimeNs: bigint, mtimeNs: bigint): Promise<void>
  link(from: Place, to: Place): Promise<void>
  /** Makes a symbolic link with this text. */
  symlink(target: Place, place: Place): Promise<void>
  rename(from: Place, to: Place): Promise<void>
  /** Makes a folder, and those above it. */
  makeFolder(place: Place, mode?: number): Promise<void>
  /** Removes an empty folder. */
  removeFolder(place: Place): Promise<void>
  /** Removes what isn't a folder. */
  unlink(place: Place): Promise<void>
  /** Removes whatever is there, if anything. */
  remove(place: Place): Promise<void>
}

const MAX_TEXT_BYTES = 1024 * 1024

/** As the user of this process. */
export const ownFiles: Files = {
  lstat: async (place) => describe(await lstat(place, { bigint: true }).catch(none)),
  stat: async (place) => describe(await stat(place, { bigint: true }).catch(none)),
  exists: (place) =>
    access(place).then(
      () => true,
      () => false,
    ),
  realpath: (place) => realpath(place),
  async list(folder) {
    const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" })
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  },
  async readText(file) {
    const opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(none)
    if (!opened) return undefined
    await using _ = opened
    const { size } = await regular(opened, file)
    if (size > MAX_TEXT_BYTES) throw fault("EFBIG", file)
    return await opened.readFile("utf8")
  },
  async readRegular(place) {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const opened = await open(place, flags).catch(unreadable)
    if (!opened) return undefined
    await using _ = opened
    const [found, there, real] = await Promise.all([
      opened.stat({ bigint: true }),
      lstat(place, { bigint: true }).catch(unreadable),
      realpath(place, { encoding: "buffer" }).catch(unreadable),
    ])
    const isThere = found.isFile() && found.ino === there?.ino && real?.equals(place)
    return isThere ? await opened.readFile() : undefined
  },
  async readPart(file, from, bytes) {
    await using opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    await regular(opened, file)
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(bytes), 0, bytes, from)
    return buffer.subarray(0, bytesRead)
  },
  async create(file, mode, bytes) {
    await using opened = await open(file, "wx", mode)
    await opened.writeFile(bytes)
  },
  async replace(root, path, mode, bytes) {
    // A tree of git's can have such names, though git makes none.
    if (path.split("/").some((name) => name === "" || name === "." || name === "..")) throw fault("EINVAL", path)
    const target = join(root, path)
    let folder = root
    for (const name of path.split("/").slice(0, -1)) {
      folder = join(folder, name)
      await clear(folder, "folder")
      await mkdir(folder, { recursive: true })
    }
    await clear(target, "file")
    const fresh = `${target}.${randomUUID()}`
    try {
      await writeNew(fresh, mode, bytes)
      await rename(fresh, target)
    } finally {
      await rm(fresh, { force: true })
    }
  },
  async copy(from, to) {
    const found = await lstat(from)
    if (found.isSymbolicLink()) await symlink(await readlink(from, { encoding: "buffer" }), to)
    else if (found.isFile()) await copyFile(from, to)
    else throw fault("EINVAL", from)
  },
  setTimes: (file, atimeNs, mtimeNs) => utimes(file, seconds(atimeNs), seconds(mtimeNs)),
  link: (from, to) => link(from, to),
  symlink: (target, place) => symlink(target, place),
  rename: (from, to) => rename(from, to),
  async makeFolder(place, mode = 0o777) {
    await mkdir(place, { recursive: true, mode })
  },
  removeFolder: (place) => rmdir(place),
  unlink: (place) => unlink(place),
  remove: (place) => rm(place, { recursive: true, force: true }),
}

async function writeNew(file: string, mode: number, bytes: Uint8Array): Promise<void> {
  await using opened = await open(file, "wx", mode)
  await opened.writeFile(bytes)
  // Whatever the process's mask says.
  await opened.chmod(mode)
}

/** Makes room for what is to be there, if that is of another kind. */
async function clear(place: string, wanted: "file" | "folder"): Promise<void> {
  const found = await lstat(place).catch(none)
  if (!found || kindOf(found) === wanted) return
  await rename(place, `${place}.${randomUUID().slice(0, 8)}`)
}

type Kinds = Pick<BigIntStats, "isFile" | "isDirectory" | "isSymbolicLink">

function kindOf(entry: Kinds): FileKind {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "folder"
  return entry.isSymbolicLink() ? "link" : "other"
}

function describe(found: BigIntStats | undefined): FileStat | undefined {
  if (!found) return undefined
  const { dev, ino, atimeNs, mtimeNs, ctimeNs, birthtimeNs } = found
  const [mode, uid, size] = [Number(found.mode & 0o7777n), Number(found.uid), Number(found.size)]
  return { kind: kindOf(found), mode, uid, size, dev, ino, atimeNs, mtimeNs, ctimeNs, birthtimeNs }
}

/** A pipe or a device in the place of a file is a fault of the agent's, and would have no end. */
async function regular(opened: Awaited<ReturnType<typeof open>>, file: Place) {
  const found = await opened.stat()
  if (!found.isFile()) throw fault("EINVAL", file)
  return found
}

function fault(code: string, place: Place): Error {
  return Object.assign(new Error(`${code}: not a regular file, '${place}'`), { code, path: `${place}` })
}

const seconds = (ns: bigint) => Number(ns / 1_000_000n) / 1000

function none(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error
}

function unreadable(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENXIO"].includes(error.code ?? "")) throw error
}
