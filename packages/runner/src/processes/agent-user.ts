import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

/** User that runs agents, and also git in repositories that agents can change. */
export interface AgentUser {
  uid: number
  gid: number
}

/** User that runs a program. */
export interface ProgramUser extends AgentUser {
  /** The machine's list of users including this one, in /etc/passwd format. Undefined if /etc/passwd suffices. */
  passwd?: string | undefined
  /** Command prefix that prevents the user's programs from gaining privileges. */
  startedBy?: string[] | undefined
}

/**
 * Finds the agents' user. Returns undefined if none is configured, or if the runner isn't root and can't switch users.
 * Throws if the configured user can't be used, because agents must never run as root.
 */
export async function findAgentUser(name: string | undefined): Promise<AgentUser | undefined> {
  if (!name || process.getuid?.() !== 0) return undefined
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((each) => each.startsWith(`${name}:`))
  const [, , uid = 0, gid = 0] = (line ?? "").split(":").map(Number)
  if (uid === 0) throw new Error(`SWITCHYARD_AGENT_USER is set to ${name}, which doesn't exist or is root.`)
  return { uid, gid }
}

/**
 * Returns the user of one worktree. Only one agent at a time works in a worktree, so concurrent agents have different
 * users and can't inspect or kill each other's processes. The worktree's files always belong to this user. The user
 * doesn't need an entry in /etc/passwd.
 */
export function worktreeUser({ data, sid, worktree }: { data: string; sid: string; worktree: string }): AgentUser {
  return { uid: FIRST_USER + (hash32("worktree", data, sid, worktree) >>> 6), gid: sessionGroup({ data, sid }) }
}

/** Returns the group of one session in one data folder. The session's agents share a repository. */
export function sessionGroup({ data, sid }: { data: string; sid: string }): number {
  return groupOf("session", data, sid)
}

/** Returns a group id for these names. Needs no entry in /etc/group. Collisions among 2^28 ids are unlikely. */
export function groupOf(kind: "session" | "install", ...names: string[]): number {
  return FIRST_GROUP + (hash32(kind, ...names) >>> 4)
}

export function isAgentGroup(group: number): boolean {
  return group >= FIRST_GROUP && group < 2 * FIRST_GROUP
}

const FIRST_GROUP = 2 ** 28
/**
 * First of 2^26 ids above those assigned by distributions, containers and directory services: according to systemd's
 * documentation, nothing uses the range, and SSSD's ids end below it. Ids must be less than 2^31.
 */
const FIRST_USER = 0x7800_0000

function hash32(...names: string[]): number {
  return createHash("sha256").update(names.join("\0")).digest().readUInt32BE(0)
}
