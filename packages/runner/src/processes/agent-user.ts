import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

/** The user that agents run as, and git in repositories that they can change. */
export interface AgentUser {
  uid: number
  gid: number
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
 * A group id for one account, one session, or one installation. All agents are the same user, so groups keep them from each
 * other's homes and projects. It needs no entry in /etc/group, and collisions among 2^28 ids are unlikely.
 */
export function groupOf(kind: "account" | "session" | "install", name: string): number {
  const digest = createHash("sha256").update(`${kind}\0${name}`).digest()
  return FIRST_GROUP + (digest.readUInt32BE(0) >>> 4)
}

export function isAgentGroup(group: number): boolean {
  return group >= FIRST_GROUP && group < 2 * FIRST_GROUP
}

const FIRST_GROUP = 2 ** 28
