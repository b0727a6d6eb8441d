import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

/** A user that agents run as, and git in repositories that they can change. */
export interface AgentUser {
  uid: number
  gid: number
}

/** The user of a program. */
export interface ProgramUser extends AgentUser {
  /** The machine's users including this one, in the format of /etc/passwd. Undefined if /etc/passwd suffices. */
  passwd?: string | undefined
  /** Command that starts the user's programs so that none can gain more rights than the user has. */
  startedBy?: string[] | undefined
}

/**
 * Finds the agents' user. Returns undefined if none is configured, or if the runner isn't root and can't switch users.
 * Throws if the configured user can't be used, so that agents never run as root.
 */
export async function findAgentUser(name: string | undefined): Promise<AgentUser | undefined> {
  if (!name || process.getuid?.() !== 0) return undefined
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((each) => each.startsWith(`${name}:`))
  const [, , uid = 0, gid = 0] = (line ?? "").split(":").map(Number)
  if (uid === 0) throw new Error(`SWITCHYARD_AGENT_USER names ${name}: there is no such user, or it is root.`)
  return { uid, gid }
}

/**
 * Returns the user of one worktree. One agent works there at a time, so living agents have different users and can't
 * inspect or end each other's processes. The worktree's files always belong to this user. It needs no entry in
 * /etc/passwd.
 */
export function worktreeUser({ data, sid, worktree }: { data: string; sid: string; worktree: string }): AgentUser {
  return { uid: FIRST_USER + (hash32("worktree", data, sid, worktree) >>> 6), gid: sessionGroup({ data, sid }) }
}

/** Returns the group of one session in one data folder. Its agents share a repository. */
export function sessionGroup({ data, sid }: { data: string; sid: string }): number {
  return groupOf("session", data, sid)
}

/** Returns a group id for these names. It needs no entry in /etc/group; collisions among 2^28 ids are unlikely. */
export function groupOf(kind: "session" | "install", ...names: string[]): number {
  return FIRST_GROUP + (hash32(kind, ...names) >>> 4)
}

export function isAgentGroup(group: number): boolean {
  return group >= FIRST_GROUP && group < 2 * FIRST_GROUP
}

const FIRST_GROUP = 2 ** 28
/**
 * First of 2^26 ids above those that distributions, containers and directories assign: systemd's list of ranges calls
 * them unused, and SSSD ends below. Ids must be less than 2^31.
 */
const FIRST_USER = 0x7800_0000

function hash32(...names: string[]): number {
  return createHash("sha256").update(names.join("\0")).digest().readUInt32BE(0)
}
