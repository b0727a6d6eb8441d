import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

/** A user that agents run as, and git in repositories that they can change. */
export interface AgentUser {
  uid: number
  gid: number
}

/** The user of a program. */
export interface ProgramUser extends AgentUser {
  /** A list of the machine's users that has this one, too, in the form of /etc/passwd; undefined if that has it. */
  passwd?: string | undefined
  /** The command that starts its programs so that no program below gets more rights than this user has. */
  startedBy?: string[] | undefined
}

/**
 * Finds the agents' user; undefined if none is configured, or if the runner isn't root and can't switch users. Throws if the
 * configured user can't be used, rather than let agents run as root.
 */
export async function findAgentUser(name: string | undefined): Promise<AgentUser | undefined> {
  if (!name || process.getuid?.() !== 0) return undefined
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((each) => each.startsWith(`${name}:`))
  const [, , uid = 0, gid = 0] = (line ?? "").split(":").map(Number)
  if (uid === 0) throw new Error(`SWITCHYARD_AGENT_USER names ${name}: there is no such user, or it is root.`)
  return { uid, gid }
}

/**
 * The user of one worktree, in which one agent works at a time: so no two agents that are alive have the same, and neither can
 * look into the other's processes or end them. Its files are this user's for good, so nothing is ever handed over. It needs
 * no entry in /etc/passwd.
 */
export function worktreeUser({ data, sid, worktree }: { data: string; sid: string; worktree: string }): AgentUser {
  return { uid: FIRST_USER + (hash32("worktree", data, sid, worktree) >>> 6), gid: sessionGroup({ data, sid }) }
}

/** The group of one session in one data folder, whose agents share a repository. */
export function sessionGroup({ data, sid }: { data: string; sid: string }): number {
  return groupOf("session", data, sid)
}

/** A group id for this alone. It needs no entry in /etc/group, and collisions among 2^28 ids are unlikely. */
export function groupOf(kind: "session" | "install", ...names: string[]): number {
  return FIRST_GROUP + (hash32(kind, ...names) >>> 4)
}

export function isAgentGroup(group: number): boolean {
  return group >= FIRST_GROUP && group < 2 * FIRST_GROUP
}

const FIRST_GROUP = 2 ** 28
/**
 * The first of 2^26 ids above those that distributions, containers and directories give to users: systemd's list of ranges
 * has them as unused, and SSSD ends below. Ids must be less than 2^31.
 */
const FIRST_USER = 0x7800_0000

function hash32(...names: string[]): number {
  return createHash("sha256").update(names.join("\0")).digest().readUInt32BE(0)
}
