import { appendFile, readFile, writeFile } from "node:fs/promises"
import type { AgentUser } from "../processes/agent-user.ts"

const PASSWD = "/etc/passwd"

/**
 * Writes a copy of the machine's list of users, with this user added, for programs that look up the name of their user.
 */
export async function writePasswd(file: string, user: AgentUser): Promise<void> {
  await writeFile(file, withEntry(await readFile(PASSWD, "utf8"), user), { mode: 0o644 })
}

/**
 * Adds the user to this machine's list of users. Must only be used in containers that belong to the runner and end with
 * its session.
 */
export async function addToPasswd(user: AgentUser): Promise<void> {
  const list = await readFile(PASSWD, "utf8")
  await appendFile(PASSWD, withEntry(list, user).slice(list.length))
}

/** Returns the list of users with an entry for this user. Adds the entry if it is missing. */
function withEntry(list: string, { uid, gid }: AgentUser): string {
  const entry = `agent-${uid}:x:${uid}:${gid}::/nonexistent:/bin/sh\n`
  if (list.includes(entry)) return list
  return `${list}${list.endsWith("\n") ? "" : "\n"}${entry}`
}
