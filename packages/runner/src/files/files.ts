import { randomUUID } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { constants } from "node:fs"
import {
  access,
  chmod,
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

/** A path. It is a Buffer if the name may not be valid UTF-8. */
export type FilePath = string | Buffer

export type FileKind = "file" | "folder" | "link" | "other"

export interface FileStat {
  kind: FileKind
  /** Permission bits. */
  mode: number
  uid: number
  /** Size in bytes. */
  size: number
  dev: bigint
  ino: bigint
  atimeNs: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  birthtimeNs: bigint
}

/**
 * Access to files that agents can change, with the rights of one user of the machine. An agent may replace any file or
 * folder with a link, a pipe or another object at any time, so a process with more rights must not access these files
 * by path. If agents run as another user, a process of that user accesses the files.
 *
 * Errors have a `code`, like those of `node:fs`. Opening a pipe never blocks.
 */
export interface Files {
  /** Describes the object at the path without following links. Returns undefined if the path doesn't exist. */
  lstat(path: FilePath): Promise<FileStat | undefined>
  /** Like `lstat`, but follows links. */
  stat(path: FilePath): Promise<FileStat | undefined>
  /** True if the path is accessible. Follows links. */
  exists(path: FilePath): Promise<boolean>
  realpath(path: string): Promise<string>
  list(folder: FilePath): Promise<{ name: Buffer; kind: FileKind }[]>
  /**
   * Returns a file's text. Returns undefined if the file doesn't exist. Throws `EFBIG` if the file is larger than 1
   * MiB.
   */
  readText(file: string): Promise<string | undefined>
  /** Reads a file. Returns undefined if it isn't a regular file, isn't readable, or if its path contains a link. */
  readRegular(path: Buffer): Promise<Buffer | undefined>
  /**
   * Reads up to `bytes` bytes from a regular file, starting at an offset. Returns no bytes at the end of the file.
   * Doesn't follow links.
   */
  readPart(file: string, from: number, bytes: number): Promise<Buffer>
  /** Creates a file. Throws `EEXIST` if the file already exists. */
  create(file: string, mode: number, bytes: Uint8Array): Promise<void>
  /**
   * Atomically writes a file at a path relative to `root`, and creates its parent folders. Doesn't follow links: a link
   * or other object that is in the way is renamed first.
   */
  replace(root: string, path: string, mode: number, bytes: Uint8Array): Promise<void>
  /** Copies a file. A link is copied as a link. */
  copy(from: FilePath, to: FilePath): Promise<void>
  setTimes(file: string, atimeNs: bigint, mtimeNs: bigint): Promise<void>
  link(from: FilePath, to: FilePath): Promise<void>
  /** Creates a symbolic link to `target`. */
  symlink(target: FilePath, path: FilePath): Promise<void>
  rename(from: FilePath, to: FilePath): Promise<void>
  /** Creates a folder and its parents. */
  makeFolder(path: FilePath, mode?: number): Promise<void>
  removeFolder(path: FilePath): Promise<void>
  /** Removes anything except a folder. */
  unlink(path: FilePath): Promise<void>
  /** Removes the object at the path. Folders are removed with their content. */
  remove(path: FilePath): Promise<void>
}

const MAX_TEXT_BYTES = 1024 * 1024

/** Accesses files as this process's user. */
export const ownFiles: Files = {
  lstat: async (path) => describe(await lstat(path, { bigint: true }).catch(none)),
  stat: async (path) => describe(await stat(path, { bigint: true }).catch(none)),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  realpath: (path) => realpath(path),
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
  async readRegular(path) {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const opened = await open(path, flags).catch(unreadable)
    if (!opened) return undefined
    await using _ = opened
    const [found, there, real] = await Promise.all([
      opened.stat({ bigint: true }),
      lstat(path, { bigint: true }).catch(unreadable),
      realpath(path, { encoding: "buffer" }).catch(unreadable),
    ])
    const isThere = found.isFile() && found.ino === there?.ino && real?.equals(path)
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
    // Git doesn't create such names, but a maliciously crafted tree may contain them.
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
  symlink: (target, path) => symlink(target, path),
  rename: (from, to) => rename(from, to),
  async makeFolder(path, mode = 0o777) {
    await mkdir(path, { recursive: true, mode })
  },
  removeFolder: (path) => rmdir(path),
  unlink: (path) => unlink(path),
  async remove(path) {
    try {
      await rm(path, { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error
      await makeWritable(path)
      await rm(path, { recursive: true, force: true })
    }
  },
}

/**
 * Makes folders writable so that they can be removed. Agents and package managers may leave read-only folders behind.
 */
async function makeWritable(folder: FilePath): Promise<void> {
  if (!(await lstat(folder).catch(none))?.isDirectory()) return
  // Other folders may vanish, because `rm` goes on with them after it has failed.
  await chmod(folder, 0o700).catch(none)
  for (const { name } of (await ownFiles.list(folder).catch(none)) ?? []) {
    await makeWritable(Buffer.concat([Buffer.from(folder), Buffer.from("/"), name]))
  }
}

async function writeNew(file: string, mode: number, bytes: Uint8Array): Promise<void> {
  await using opened = await open(file, "wx", mode)
  await opened.writeFile(bytes)
  // Unlike `open`, `chmod` ignores the umask.
  await opened.chmod(mode)
}

/** Renames an object that is in the way because it is of the wrong kind. */
async function clear(path: string, wanted: "file" | "folder"): Promise<void> {
  const found = await lstat(path).catch(none)
  if (!found || kindOf(found) === wanted) return
  await rename(path, `${path}.${randomUUID().slice(0, 8)}`)
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

/**
 * Throws if the file is a pipe or a device. An agent may have replaced the file with such an object, and reading from
 * it might never end.
 */
async function regular(opened: Awaited<ReturnType<typeof open>>, file: FilePath) {
  const found = await opened.stat()
  if (!found.isFile()) throw fault("EINVAL", file)
  return found
}

function fault(code: string, path: FilePath): Error {
  return Object.assign(new Error(`${code}: not a regular file, '${path}'`), { code, path: `${path}` })
}

const seconds = (ns: bigint) => Number(ns / 1_000_000n) / 1000

function none(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error
}

function unreadable(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENXIO"].includes(error.code ?? "")) throw error
}
