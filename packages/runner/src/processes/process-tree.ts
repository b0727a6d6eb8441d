import type { Clock } from "@switchyard/core/time"
import { isAgentGroup } from "./agent-user.ts"
import { type OrphanSearch, orphansIn } from "./orphans.ts"
import { livingProcesses } from "./process-table.ts"
import { limitsOf, SUPERVISOR } from "./supervisor.ts"

/** Environment variable that marks a program and all its descendants. */
export const MARK = "SWITCHYARD_PROCESS"

export interface Root {
  pid: number
  mark: string
  /** User that runs the program. Undefined if it is the runner's user. */
  uid?: number | undefined
  /** Search for the program's orphans. Required if there is no supervisor, which would adopt them. */
  orphans?: OrphanSearch | undefined
}

const POLITE_MS = 2000
const POLL_MS = 25
const GIVE_UP_MS = 20_000

/**
 * Ends a program and its descendants, including orphans and processes that have left its process group and session.
 * Returns the PIDs of processes that survived. Normally, there are none.
 */
export async function killTree(
  root: Root,
  { clock, politeMs = POLITE_MS }: { clock: Clock; politeMs?: number },
): Promise<number[]> {
  const begunAt = clock.monotonic()
  // The next pass finds processes that are forked during this pass. If two passes in a row find nothing, no process is
  // left.
  for (let nobody = 0; ; ) {
    const { members, supervisors } = await familyOf(root)
    nobody = members.length === 0 ? nobody + 1 : 0
    const spent = clock.monotonic() - begunAt
    if (nobody === 2 || spent > GIVE_UP_MS) return members
    const polite = spent < politeMs
    for (const pid of members) {
      // Kill a supervisor only as a last resort, because its adopted processes could then no longer be found. A
      // supervisor exits by itself after its last process.
      const hard = supervisors.has(pid) ? spent > GIVE_UP_MS / 2 : !polite
      signal(pid, hard ? "SIGKILL" : "SIGTERM")
      // A stopped process handles SIGTERM only after it has been continued.
      if (!hard) signal(pid, "SIGCONT")
    }
    await clock.sleep(POLL_MS, {})
  }
}

/** Ends all programs of a family that a dead runner has left behind. */
export function killFamily(
  family: string,
  { orphans, ...options }: { clock: Clock; politeMs?: number; orphans?: OrphanSearch | undefined },
): Promise<number[]> {
  return killTree({ pid: NOBODY, mark: family, orphans }, options)
}

const NOBODY = -1

/** Returns the program's running processes. */
export async function membersOf(root: Root): Promise<number[]> {
  return (await familyOf(root)).members
}

/**
 * Identifies members by session, process group, mark prefix, resource limit or descent. If the program runs as an agent
 * user, identifies its processes by user and group IDs instead. Only root can change these IDs, whereas a process can
 * remove the mark from its environment, and in a container even root can't always read the mark.
 */
async function familyOf({
  pid: root,
  mark,
  uid: user,
  orphans,
}: Root): Promise<{ members: number[]; supervisors: Set<number> }> {
  const living = await livingProcesses()
  const members = new Set<number>()
  const marked = `${MARK}=${mark}`
  const limits = limitsOf(mark)
  const others = otherBranches(living, { root, marked })
  const sandbox = process.getgroups?.().find(isAgentGroup)
  for (const { pid, group, session, environment, uid, groups, realtimeLimit = 0n } of living) {
    if (others.has(pid)) continue
    const isUsers = user === undefined ? uid !== 0 : uid === user
    const lodges = sandbox !== undefined && isUsers && groups.includes(sandbox)
    const limited = realtimeLimit >= limits.from && realtimeLimit <= limits.to
    if (pid === root || group === root || session === root) members.add(pid)
    if (lodges || limited || environment.includes(marked)) members.add(pid)
  }
  const { terminal = 0 } = living.find(({ pid }) => pid === root) ?? {}
  if (orphans) for (const pid of await orphansIn(living, orphans, { terminal, mark: MARK })) members.add(pid)
  addDescendants(living, members)
  members.delete(process.pid)
  const supervisors = living.filter(({ pid, name }) => name === SUPERVISOR && members.has(pid)).map(({ pid }) => pid)
  return { members: [...members], supervisors: new Set(supervisors) }
}

/** Returns the runner's other children with their descendants: git, the file process, and other agents. */
function otherBranches(living: Living[], { root, marked }: { root: number; marked: string }): Set<number> {
  const isOther = ({ pid, parent, environment }: Living) =>
    parent === process.pid && pid !== root && !environment.includes(marked)
  const others = new Set(living.filter(isOther).map(({ pid }) => pid))
  addDescendants(living, others)
  return others
}

function addDescendants(living: Living[], found: Set<number>): void {
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const { pid, parent } of living) if (found.has(parent)) found.add(pid)
  }
}

type Living = Awaited<ReturnType<typeof livingProcesses>>[number]

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // A process that has changed its user is reported as a survivor.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
