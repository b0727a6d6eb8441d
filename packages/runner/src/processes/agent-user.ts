import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

/** Whom agents, and git in what they can change, run as. */
export interface AgentUser {
  uid: number
  gid: number
}

/**
 * Undefined where agents run as the runner does: nobody was named, or the runner isn't root and can't be two users. Throws
 * rather than let agents run as root where somebody was named who can't be.
 */
export async function findAgentUser(name: string | undefined): Promise<AgentUser | undefined> {
  if (!name || process.getuid?.() !== 0) return undefined
  const line = (await readFile("/etc/passwd", "utf8")).split("\n").find((each) => each.startsWith(`${name}:`))
  const [, , uid = 0, gid = 0] = (line ?? "").split(":").map(Number)
  if (uid === 0) throw new Error(`SWITCHYARD_AGENT_USER names ${name}: there is no such user, or it is root.`)
  return { uid, gid }
}

/**
 * A group for one account, or one session. Agents are all the same user, so it is by groups that they are kept from each
 * other's homes and projects. It needs no entry anywhere; among 2^28 no two meet.
 */
export function groupOf(kind: "account" | "session", name: string): number {
  const digest = createHash("sha256").update(`${kind}\0${name}`).digest()
  return FIRST_GROUP + (digest.readUInt32BE(0) >>> 4)
}

export function isAgentGroup(group: number): boolean {
  return group >= FIRST_GROUP && group < 2 * FIRST_GROUP
}

const FIRST_GROUP = 2 ** 28
