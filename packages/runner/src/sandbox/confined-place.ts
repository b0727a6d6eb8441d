import { realpath } from "node:fs/promises"
import { basename, delimiter, dirname, isAbsolute, join } from "node:path"

/**
 * Routes out of a sandbox's network: a folder of sockets. Each socket is named after the loopback port that leads to
 * it.
 */
export interface EgressRoutes {
  folder: string
  ports: number[]
}

/** A file or folder that is mounted in a sandbox, possibly under a different path. */
export interface Mount {
  from: string
  to: string
  isReadOnly?: boolean
}

/** Files and network that a confined program can use, in addition to the system's files. */
export interface ConfinedPlace {
  cwd: string
  /** Folders that the program may change: the worktree and the home. */
  writable: string[]
  /** Mounts of the repository's git folder. They are applied in order, after the writable folders. */
  mounts?: Mount[] | undefined
  /** Folders and files that the program may read: its own, and those on its search path. */
  readable: string[]
  /**
   * The machine's network if true (the default), no network if false. Otherwise, a separate network with only these
   * routes out.
   */
  network?: boolean | EgressRoutes
  /** List of users that replaces /etc/passwd. */
  passwd?: string | undefined
  /** True, the default, if the program runs in the foreground of a terminal. */
  hasTerminal?: boolean
}

/**
 * Returns the paths that a program needs: its files, the targets of links, neighbouring npm packages, and its search
 * path.
 */
export async function programFolders(files: string[], path: string): Promise<string[]> {
  const named = files.filter(isAbsolute)
  const real = await Promise.all(named.map((file) => realpath(file).catch(() => file)))
  const onPath = path.split(delimiter).filter(isAbsolute)
  return [...new Set([...named, ...real.flatMap(around), ...onPath])]
}

/** Returns the folders that must be readable for a file to run. */
function around(file: string): string[] {
  const at = file.indexOf("/node_modules/")
  const packages = at === -1 ? [] : [join(file.slice(0, at), "node_modules")]
  const product = file.indexOf("/packages/runner/src/")
  const own = product === -1 ? [] : ["packages", "node_modules"].map((name) => join(file.slice(0, product), name))
  const folder = dirname(file)
  // The file is a version manager's shim, which looks up the program next to the folder of shims.
  if (basename(folder) === "shims") return [dirname(folder)]
  // The file belongs to a self-contained installation, such as Node's or a Python environment.
  const installed =
    basename(folder) === "bin" && !/^\/(?:home\/[^/]+|root|Users\/[^/]+)?(?:\/\.local)?$/.test(dirname(folder))
  return [...packages, ...own, ...(installed ? [dirname(folder)] : [file])]
}
