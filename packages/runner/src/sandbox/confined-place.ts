import { realpath } from "node:fs/promises"
import { basename, delimiter, dirname, isAbsolute, join } from "node:path"

/** Ways out of a sandbox's network: sockets in a folder, named after the loopback ports that lead to them. */
export interface EgressRoutes {
  folder: string
  ports: number[]
}

/** File or folder of the machine in a sandbox, maybe at another path. */
export interface Mount {
  from: string
  to: string
  isReadOnly?: boolean
}

/** Files and network of a confined program, besides the system's files. */
export interface ConfinedPlace {
  /** Working folder of the program. */
  cwd: string
  /** Folders that the program may change: the worktree and the home. */
  writable: string[]
  /** Mounts of the repository's git folder, in order, after the writable folders. */
  mounts?: Mount[] | undefined
  /** Folders and files that the program may read: its own, and those of the path. */
  readable: string[]
  /** True for the machine's network; otherwise the program has its own network, with the given ways out. */
  network?: boolean | EgressRoutes
  /** List of users that replaces /etc/passwd. */
  passwd?: string | undefined
  /** True if the program is the foreground of a terminal. */
  hasTerminal?: boolean
}

/** Finds paths that a program needs: its files, their links' targets, packages beside a package, and path folders. */
export async function programFolders(files: string[], path: string): Promise<string[]> {
  const named = files.filter(isAbsolute)
  const real = await Promise.all(named.map((file) => realpath(file).catch(() => file)))
  const onPath = path.split(delimiter).filter(isAbsolute)
  return [...new Set([...named, ...real.flatMap(around), ...onPath])]
}

/** Finds the folders that a file needs to run. */
function around(file: string): string[] {
  const at = file.indexOf("/node_modules/")
  const packages = at === -1 ? [] : [join(file.slice(0, at), "node_modules")]
  const product = file.indexOf("/packages/runner/src/")
  const own = product === -1 ? [] : ["packages", "node_modules"].map((name) => join(file.slice(0, product), name))
  const folder = dirname(file)
  // A version manager's shim for a program, which it looks up beside its shims.
  if (basename(folder) === "shims") return [dirname(folder)]
  // An installation of its own, such as a Node or a Python environment.
  const installed =
    basename(folder) === "bin" && !/^\/(?:home\/[^/]+|root|Users\/[^/]+)?(?:\/\.local)?$/.test(dirname(folder))
  return [...packages, ...own, ...(installed ? [dirname(folder)] : [file])]
}
