import { execFile } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { totalmem } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** A control group of the machine, in which agents' programs together get no more than a share of its memory. */
export interface ControlGroup {
  /** The list of its processes: whoever writes 0 to it joins. */
  processes: string
  memoryBytes: number
}

const NAME = "switchyard-agents"
const MEMORY_SHARE = 0.75

/**
 * Makes the group, or finds it. Undefined where this user may not: it takes root, or a user whom systemd has given a part of
 * the tree; most containers have none that can be written to.
 */
export async function openControlGroup({
  name = NAME,
  memoryBytes = Math.floor(MEMORY_SHARE * totalmem()),
  root = "/sys/fs/cgroup",
  own,
}: {
  name?: string
  memoryBytes?: number
  root?: string
  /** The groups of this process, in the form of /proc/self/cgroup. */
  own?: string
} = {}): Promise<ControlGroup | undefined> {
  const groups = own ?? (await readFile("/proc/self/cgroup", "utf8").catch(none))
  for (const { parent, limit } of await candidates(root, groups)) {
    const folder = join(parent, name)
    const processes = join(folder, "cgroup.procs")
    const isMade = await mkdir(folder, { recursive: true })
      .then(() => writeFile(join(folder, limit), `${memoryBytes}`))
      .then(() => promisify(execFile)("/bin/sh", ["-c", `echo 0 >"$0"`, processes]))
      .then(
        () => true,
        () => false,
      )
    if (isMade) return { processes, memoryBytes }
  }
  return undefined
}

interface Candidate {
  parent: string
  /** The file that has the limit. */
  limit: string
}

/** The places for it: beside the groups around this process, of which one may be this user's; below its own in the older form. */
async function candidates(root: string, own: string): Promise<Candidate[]> {
  const older = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(own)?.[1]
  if (older !== undefined) {
    return [{ parent: join(root, "memory", older), limit: "memory.limit_in_bytes" }]
  }
  const path = /^0::(\/.*)$/m.exec(own)?.[1]
  if (path === undefined) return []
  const found: Candidate[] = []
  // A group that has processes itself gives its children no limits, so this process's own is none.
  for (let at = path; at !== "/"; ) {
    at = dirname(at)
    const shared = await readFile(join(root, at, "cgroup.subtree_control"), "utf8").catch(none)
    if (shared.split(/\s/).includes("memory")) found.push({ parent: join(root, at), limit: "memory.max" })
  }
  return found
}

const none = () => ""
