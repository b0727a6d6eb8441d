import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { isLoopbackUrl } from "../find-server.ts"

const run = promisify(execFile)

/**
 * The repository in which agents work, for a folder that is open in an editor: the folder itself, where the server is on
 * this machine, else what its repository was cloned from. Undefined where there is neither.
 */
export async function repositoryFor(
  folder: string,
  server: URL,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  if (isLoopbackUrl(server)) return folder
  const args = ["-C", folder, "remote", "get-url", "origin"]
  const found = await run("git", args, { encoding: "utf8", ...options }).catch((error) => {
    options.signal.throwIfAborted()
    if (error.code === "ENOENT" || typeof error.code === "number") return { stdout: "" }
    throw error
  })
  return withoutCredentials(found.stdout.trim()) || undefined
}

/** The server has credentials of its own; those of this machine stay here. */
function withoutCredentials(address: string): string {
  const url = /^https?:/.test(address) ? URL.parse(address) : null
  if (!url) return address
  url.username = ""
  url.password = ""
  return url.href
}
