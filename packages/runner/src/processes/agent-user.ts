import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

/** User that runs agents. It also runs git in repositories that agents can change. */
export interface AgentUser {
  uid: number
  gid: number
}

/** User that runs a program. */
export interface ProgramUser extends AgentUser {
  /**
   * This machine's list of users, with this user added, in the format of /etc/passwd. Undefined if /etc/passwd
   * suffices.
   */
  passwd?: string | undefined
  /** Command prefix that prevents this user's programs from gaining privileges. */
  startedBy?: string[] | undefined
}

/**
 * Finds the user that runs agents. Returns undefined if none is configured, or if the runner isn't root and can't
 * switch users. Throws if the configured user can't be used, because agents must never run as root.
 */
export async function findAgentUser(name: string | undefined): Promise<AgentUser | undefined> {
  if (!name || process.getuid?.() !== 0) return undefined
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((each) => each.startsWith(`${name}:`))
  const [, , uid = 0, gid = 0] = (line ?? "").split(":").map(Number)
  if (uid === 0) throw new Error(`SWITCHYARD_AGENT_USER is set to ${name}, which doesn't exist or is root.`)
  return { uid, gid }
}

/**
 * Returns the user of one worktree. Only one agent at a time works in a worktree. Agents that work at the same time
 * therefore have different users, and can't inspect or kill each other's processes. The worktree's files always belong
 * to this user. The user needs no entry in /etc/passwd.
 */
export function worktreeUser({ data, sid, worktree }: { data: string; sid: string; worktree: string }): AgentUser {
  return { uid: FIRST_USER + (hash32("worktree", data, sid, worktree) >>> 6), gid: sessionGroup({ data, sid }) }
}

/**
 * Returns the group of a session in a data folder. The session's agents need a common group, because they share a
 * repository.
 */
export function sessionGroup({ data, sid }: { data: string; sid: string }): number {
  return groupOf("session", data, sid)
}

/**
 * Returns a group ID that is derived from these names. It needs no entry in /etc/group. With 2^28 possible IDs,
 * collisions are unlikely.
 */
export function groupOf(kind: "session" | "install", ...names: string[]): number {
  return FIRST_GROUP + (hash32(kind, ...names) >>> 4)
}

export function isAgentGroup(group: number): boolean {
  return group >= FIRST_GROUP && group < 2 * FIRST_GROUP
}

const FIRST_GROUP = 2 ** 28
/**
 * First of 2^26 IDs above those that distributions, containers and directory services assign. According to systemd's
 * documentation, nothing uses this range, and SSSD's IDs end below it. IDs must be less than 2^31.
 */
const FIRST_USER = 0x7800_0000

function hash32(...names: string[]): number {
  return createHash("sha256").update(names.join("\0")).digest().readUInt32BE(0)
}
