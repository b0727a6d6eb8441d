import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { isLoopbackUrl } from "../server/find-server.ts"

const run = promisify(execFile)

/**
 * Returns the repository that belongs to an editor's folder. If the server runs on this machine, returns the folder
 * itself. Otherwise, returns the URL from which the folder's repository was cloned, or undefined if there is none.
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

/**
 * Removes credentials from a URL. The server uses its own credentials, and those in the URL must not leave this
 * machine.
 */
function withoutCredentials(address: string): string {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return address
  const url = new URL(address)
  url.username = ""
  url.password = ""
  return url.href
}
