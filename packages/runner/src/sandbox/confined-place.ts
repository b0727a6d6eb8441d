import { realpath } from "node:fs/promises"
import { basename, delimiter, dirname, isAbsolute, join } from "node:path"

/** Ways out of a network of its own: sockets in a folder, named after the ports on loopback that lead there. */
export interface WaysOut {
  folder: string
  ports: number[]
}

/** A file or folder of the machine that a program has, be it at another path. */
export interface Mount {
  from: string
  to: string
  isReadOnly?: boolean
}

/** All that a confined program has of the machine's files, besides those of the system. */
export interface ConfinedPlace {
  /** The folder that it starts in. */
  cwd: string
  /** Folders that it may change: the worktree and the home. */
  writable: string[]
  /** Mounted in this order behind the writable folders: the repository's git folder. */
  mounts?: Mount[] | undefined
  /** Folders and files that it may read: its own program, and the path's. */
  readable: string[]
  /** Whether it has the machine's network; without, it has only one of its own, and the ways out of it that are given. */
  network?: boolean | WaysOut
  /** A list of users to have in the place of /etc/passwd. */
  passwd?: string | undefined
  /** Whether the program has a terminal, and is the terminal's foreground. */
  hasTerminal?: boolean
}

/**
 * The paths on the machine that a program needs to run: where its files are and lead to, with the packages beside a package,
 * and the folders of the path.
 */
export async function programFolders(files: string[], path: string): Promise<string[]> {
  const named = files.filter(isAbsolute)
  const real = await Promise.all(named.map((file) => realpath(file).catch(() => file)))
  const onPath = path.split(delimiter).filter(isAbsolute)
  return [...new Set([...named, ...real.flatMap(around), ...onPath])]
}

/** The folders around a file without which it doesn't run. */
function around(file: string): string[] {
  const at = file.indexOf("/node_modules/")
  const packages = at === -1 ? [] : [join(file.slice(0, at), "node_modules")]
  const product = file.indexOf("/packages/runner/src/")
  const own = product === -1 ? [] : ["packages", "node_modules"].map((name) => join(file.slice(0, product), name))
  const folder = dirname(file)
  // A version manager's stand-in for a program, which it looks up beside these.
  if (basename(folder) === "shims") return [dirname(folder)]
  // An installation of its own, such as a Node or a Python environment.
  const installed =
    basename(folder) === "bin" && !/^\/(?:home\/[^/]+|root|Users\/[^/]+)?(?:\/\.local)?$/.test(dirname(folder))
  return [...packages, ...own, ...(installed ? [dirname(folder)] : [file])]
}
