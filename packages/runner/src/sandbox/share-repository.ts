import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { AgentUser } from "../processes/agent-user.ts"

/**
 * Gives the group the access that this user has to its own files in a repository. Git sets the same permissions, but
 * agents can remove them.
 */
export async function shareRepository(folder: string, user: AgentUser): Promise<void> {
  const folders = ["-type", "d", "!", "-perm", "-770", "-exec", "chmod", "u+rwx,g=u", "{}", ";"]
  const isClosed = ["(", "!", "-perm", "-040", "-o", "-perm", "-200", "!", "-perm", "-020", ")"]
  const files = ["-type", "f", ...isClosed, "-exec", "chmod", "u+r,g=u", "{}", "+"]
  const args = [folder, "-user", `${user.uid}`, "(", ...folders, "-o", ...files, ")"]
  // `find` fails for files that another user has made inaccessible. These files are shared when that user's agent ends.
  await promisify(execFile)("find", args, { ...user, cwd: "/" }).catch(() => undefined)
}
