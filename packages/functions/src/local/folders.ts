import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { AppError } from "@switchyard/core/errors"

const run = promisify(execFile)

/** Throws `task_invalid` for a folder of this machine that isn't there, or in no git repository. */
export async function checkFolder(folder: string, { signal }: { signal: AbortSignal }): Promise<void> {
  try {
    await run("git", ["-C", folder, "rev-parse", "--git-dir"], { signal, timeout: 10_000 })
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
