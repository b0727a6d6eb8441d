import { execFile } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { totalmem } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** Control group that limits the total memory of all agents' programs to a share of the machine's memory. */
export interface ControlGroup {
  /** File that lists the group's processes. A process joins the group by writing 0 to it. */
  processes: string
  memoryBytes: number
}

const NAME = "switchyard-agents"
const MEMORY_SHARE = 0.75

/**
 * Creates or finds the group. Returns undefined if creating a group isn't permitted: the runner must be root, or
 * systemd must have delegated a subtree to the runner. In most containers, the cgroup tree is read-only.
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
  /** Control groups of this process, in the format of /proc/self/cgroup. */
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
  /** Name of the file that sets the limit. */
  limit: string
}

/**
 * Returns groups that may become the parent: the groups above this process's group or, in cgroup v1, the process's own
 * memory group.
 */
async function candidates(root: string, own: string): Promise<Candidate[]> {
  const older = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(own)?.[1]
  if (older !== undefined) {
    return [{ parent: join(root, "memory", older), limit: "memory.limit_in_bytes" }]
  }
  const path = /^0::(\/.*)$/m.exec(own)?.[1]
  if (path === undefined) return []
  const found: Candidate[] = []
  // Skip this process's own group, because a group that contains processes can't limit its children.
  for (let at = path; at !== "/"; ) {
    at = dirname(at)
    const shared = await readFile(join(root, at, "cgroup.subtree_control"), "utf8").catch(none)
    if (shared.split(/\s/).includes("memory")) found.push({ parent: join(root, at), limit: "memory.max" })
  }
  return found
}

const none = () => ""
