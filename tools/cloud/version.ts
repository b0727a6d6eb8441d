import { spawnSync } from "node:child_process"

/**
 * Returns a version that identifies a folder's code in logs and responses: `0.1.0+COMMIT`, with `.changed` appended if
 * files differ from the commit. Without a repository, returns the plain version.
 */
export function codeVersion(folder: string, version: string): string {
  const commit = git(folder, ["rev-parse", "--short=12", "HEAD"])
  if (!commit) return version
  return `${version}+${commit}${git(folder, ["status", "--porcelain"]) === "" ? "" : ".changed"}`
}

/** Returns git's output, or undefined if git is missing or fails. */
function git(folder: string, args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}
