import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { AgentUser } from "../processes/agent-user.ts"

/**
 * Gives the group all that this user may do with its own files of a repository. Git does so by itself with what it makes, so
 * normally there is nothing to change; an agent can have closed them all the same.
 */
export async function shareRepository(folder: string, user: AgentUser): Promise<void> {
  const folders = ["-type", "d", "!", "-perm", "-770", "-exec", "chmod", "u+rwx,g=u", "{}", ";"]
  const isClosed = ["(", "!", "-perm", "-040", "-o", "-perm", "-200", "!", "-perm", "-020", ")"]
  const files = ["-type", "f", ...isClosed, "-exec", "chmod", "u+r,g=u", "{}", "+"]
  const args = [folder, "-user", `${user.uid}`, "(", ...folders, "-o", ...files, ")"]
  // It fails at what another user has closed, who opens that when its own agent ends.
  await promisify(execFile)("find", args, { ...user, cwd: "/" }).catch(() => undefined)
}
