import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { promisify } from "node:util"
import { AppError } from "@switchyard/core/errors"

const run = promisify(execFile)

/**
 * Throws `task_invalid` for a folder on this machine that doesn't exist or isn't in a git repository. If agents run as
 * other users, accepts repositories with other owners, which git would refuse: the runner checks the owner later.
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
    throw new AppError(
      "task_invalid",
      "This folder is not in a git repository.",
      { project_path: folder },
      { cause: error },
    )
  }
}

export async function hasFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
