import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { tokenFile } from "@switchyard/core/people/access/token-file"

/** The token that a server of this user's on this machine has left for the command line, if there is one. */
export function sharedToken(server: URL, env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readFileSync(tokenFile(server, { env, home: userInfo().homedir }), "utf8").trim()
  } catch (error) {
    if (NOT_FOUND.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined
    throw error
  }
}

/** The last is that of a user whom the system doesn't know, as in a container, and who has no home. */
const NOT_FOUND = ["ENOENT", "ENOTDIR", "EACCES", "ERR_SYSTEM_ERROR"]
