import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { parseSharedToken, tokenFile } from "@switchyard/core/people/access/token-file"

/** The token that a running server of this user's on this machine has left for the command line, if there is one. */
export function sharedToken(server: URL, env: NodeJS.ProcessEnv): string | undefined {
  try {
    const shared = parseSharedToken(readFileSync(tokenFile(server, { env, home: userInfo().homedir }), "utf8"))
    return shared && isRunning(shared.pid) ? shared.token : undefined
  } catch (error) {
    if (NOT_FOUND.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined
    throw error
  }
}

/** Whether a process of this user's has the id. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The last is that of a user whom the system doesn't know, as in a container, and who has no home. */
const NOT_FOUND = ["ENOENT", "ENOTDIR", "EACCES", "ERR_SYSTEM_ERROR"]
