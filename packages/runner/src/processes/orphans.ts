import { readdir, readFile, readlink } from "node:fs/promises"
import type { Process } from "./process-table.ts"
import { isMark } from "./supervisor.ts"

/** Folders and start time that identify a program's unmarked orphans. */
export interface OrphanSearch {
  /** Absolute paths of the folders where the program works. */
  folders: string[]
  /** The program's `HOME`, if known. */
  home?: string
  /** Start time in ticks since boot. Processes that started earlier don't belong to the program. */
  since: number
}

/**
 * Finds processes whose parent is dead, that have no terminal or the program's terminal, and whose working directory or
 * an open file is inside the program's folders. Excludes processes of people and of other programs, which are
 * recognised by their environment and control group: a process can't leave its group, and each login and each desktop
 * application has its own group.
 */
export async function orphansIn(
  living: Process[],
  { folders, home, since }: OrphanSearch,
  { terminal, mark }: { terminal: number; mark: string },
): Promise<number[]> {
  const adopters = new Set([1, ...ancestorsOf(process.ppid, living)])
  const suspects = living.filter(
    (found) =>
      adopters.has(found.parent) &&
      found.uid === process.getuid?.() &&
      (found.terminal === 0 || found.terminal === terminal) &&
      found.started >= since &&
      !isSomebodyElses(found, home, mark),
  )
  const own = await controlGroupOf("self")
  const found = await Promise.all(
    suspects.map(async ({ pid }) => (await isIn(folders, pid)) && (await controlGroupOf(pid)) === own),
  )
  return suspects.filter((_suspect, index) => found[index]).map(({ pid }) => pid)
}

/** Returns all ancestors of this process. The kernel may make any of them the parent of an orphan. */
function ancestorsOf(pid: number, living: Process[]): number[] {
  const parent = living.find((each) => each.pid === pid)?.parent ?? 0
  return parent === 0 ? [] : [parent, ...ancestorsOf(parent, living)]
}

/** True if the process has a mark, a user name or a different home. A program's unmarked orphans have none of these. */
function isSomebodyElses(
  { environment, realtimeLimit = 0n }: Process,
  home: string | undefined,
  mark: string,
): boolean {
  if (isMark(realtimeLimit)) return true
  return environment.split("\0").some((entry) => {
    const [name, value] = [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]
    return name === mark || name === "USER" || name === "LOGNAME" || (name === "HOME" && value !== home)
  })
}

async function isIn(folders: string[], pid: number): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = ["cwd", ...descriptors.map((name) => `fd/${name}`)]
  const paths = await Promise.all(links.map((link) => readlink(`/proc/${pid}/${link}`).catch(() => "")))
  return paths.some((path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`)))
}

async function controlGroupOf(pid: number | "self"): Promise<string | undefined> {
  return readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => undefined)
}
