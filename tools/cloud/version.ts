import { spawnSync } from "node:child_process"

/**
 * The version of the code in a folder, as logs and answers name it: `0.1.0+COMMIT`, with `.changed` behind it where files
 * differ from the commit, so that what runs can be found again. Without a repository it is the plain version.
 */
export function codeVersion(folder: string, version: string): string {
  const commit = git(folder, ["rev-parse", "--short=12", "HEAD"])
  if (!commit) return version
  return `${version}+${commit}${git(folder, ["status", "--porcelain"]) === "" ? "" : ".changed"}`
}

/** Undefined where there is no git, or it refuses. */
function git(folder: string, args: string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}
