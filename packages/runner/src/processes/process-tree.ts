import { readdir, readFile } from "node:fs/promises"
import type { Clock } from "@switchyard/core/stream"
import { isOurs } from "../agent-user.ts"

/** In the environment of everything that a started program starts: so its descendants are known wherever they went. */
export const MARK = "SWITCHYARD_PROCESS"

const POLITE_MS = 2000
const POLL_MS = 25
const GIVE_UP_MS = 10_000

/**
 * Ends a program and all that it started: those in its process group and session, those that left both, and those whose
 * parents died. Resolves to the process ids that are still there after everything was tried, which is none.
 */
export async function killTree(
  root: { pid: number; mark: string },
  { clock, politeMs = POLITE_MS }: { clock: Clock; politeMs?: number },
): Promise<number[]> {
  const begunAt = clock.monotonic()
  // Who forks while we look is found at the next look; nobody is left when two in a row find nobody.
  for (let nobody = 0; ; ) {
    const alive = await membersOf(root)
    nobody = alive.length === 0 ? nobody + 1 : 0
    const spent = clock.monotonic() - begunAt
    if (nobody === 2 || spent > GIVE_UP_MS) return alive
    for (const pid of alive) signal(pid, spent < politeMs ? "SIGTERM" : "SIGKILL")
    // A stopped process takes no notice of SIGTERM.
    if (spent < politeMs) for (const pid of alive) signal(pid, "SIGCONT")
    await clock.sleep(POLL_MS, {})
  }
}

/** Ends every program of a family: what is left of a runner that could not end them itself. */
export function killFamily(family: string, options: { clock: Clock; politeMs?: number }): Promise<number[]> {
  return killTree({ pid: NOBODY, mark: family }, options)
}

const NOBODY = -1

/**
 * Every living process that belongs to the program: by session, group, the beginning of its mark, or descent. What another
 * user started as whom we run programs belongs to it by that: it may have dropped its mark, and in a container root may not
 * look for it, but nobody but root leaves a group of ours.
 */
export async function membersOf({ pid: root, mark }: { pid: number; mark: string }): Promise<number[]> {
  const processes = await Promise.all((await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(read))
  const living = processes.filter((found) => found !== undefined)
  const members = new Set<number>()
  const marked = `${MARK}=${mark}`
  const lodging = process.getgroups?.().find(isOurs)
  for (const { pid, group, session, environment, uid, groups } of living) {
    const lodges = lodging !== undefined && uid !== 0 && groups.includes(lodging)
    if (pid === root || group === root || session === root || lodges || environment.includes(marked)) members.add(pid)
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const { pid, parent } of living) if (members.has(parent)) members.add(pid)
  }
  members.delete(process.pid)
  return [...members]
}

interface Found {
  pid: number
  parent: number
  group: number
  session: number
  environment: string
  uid: number
  groups: number[]
}

/** Undefined for what is gone, or dead and only waits to be asked about. */
async function read(name: string): Promise<Found | undefined> {
  try {
    const stat = await readFile(`/proc/${name}/stat`, "latin1")
    // The program's name stands in parentheses and may hold any of them.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === "Z" || state === "X") return undefined
    const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "")
    const status = await readFile(`/proc/${name}/status`, "latin1")
    const numbers = (field: string) =>
      (new RegExp(`^${field}:(.*)$`, "m").exec(status)?.[1] ?? "").trim().split(/\s+/).map(Number)
    return {
      ...{ pid: Number(name), parent: Number(parent), group: Number(group), session: Number(session), environment },
      ...{ uid: numbers("Uid")[0] ?? 0, groups: numbers("Groups") },
    }
  } catch {
    return undefined
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
