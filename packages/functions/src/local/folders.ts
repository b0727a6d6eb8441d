import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { promisify } from "node:util"
import { AppError } from "@switchyard/core/errors"

const run = promisify(execFile)

/**
 * Throws `task_invalid` if a folder on this machine doesn't exist or isn't in a git repository. If agents run as other
 * users, accepts repositories that git would refuse because of their owner: the runner checks the owner later.
 */
export async function checkFolder(
  folder: string,
  { agentUser, signal }: { agentUser: string | undefined; signal: AbortSignal },
): Promise<void> {
  const settings = agentUser === undefined ? [] : ["-c", "safe.directory=*"]
  try {
    await run("git", [...settings, "-C", folder, "rev-parse", "--git-dir"], { signal, timeout: 10_000 })
  } catch (error) {
    signal.throwIfAborted()
    throw new AppError("task_invalid", await whyUnusable(folder, error), { project_path: folder }, { cause: error })
  }
}

/** Explains why git can't use a folder. */
async function whyUnusable(folder: string, error: unknown): Promise<string> {
  const found = await stat(folder).catch((reason: NodeJS.ErrnoException) => reason.code)
  if (found === "ENOENT" || found === "ENOTDIR") return "This folder doesn't exist on the server's machine."
  if (typeof found === "string") return "The server can't read this folder. Check its permissions."
  if (found && !found.isDirectory()) return "This is not a folder. Enter the repository's folder."
  const { code, stderr = "" } = error as { code?: unknown; stderr?: string }
  if (code === "ENOENT") return "git isn't installed on the server's machine."
  if (stderr.includes("dubious ownership"))
    return "This folder's repository belongs to another user, so git refuses it."
  if (stderr.includes("Permission denied")) return "The server can't read this folder. Check its permissions."
  return "This folder is not in a git repository."
}

export async function hasFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
