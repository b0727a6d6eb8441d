import { AppError, type ErrorCode } from "@switchyard/core/errors"
import { describeExit } from "@switchyard/core/system-faults"
import type { EndedGit } from "./git-process.ts"

/**
 * Number of characters at the end of git's output that are searched. There is a limit because some patterns take
 * quadratic time.
 */
const MATCHED_CHARS = 16 * 1024

/** Git's messages, in the C locale, for conditions that callers can act on. The first matching pattern counts. */
const PATTERNS: [pattern: RegExp, code: ErrorCode, message: string][] = [
  [/Unable to create '(?<lock>[^\n]+\.lock)': File exists/, "worktree_busy", "Another process holds a git lock."],
  [/No space left on device|Out of diskspace|[Dd]isk quota exceeded/, "storage_unavailable", "The disk is full."],
  [/Permission denied(?! \(publickey)|Read-only file system/, "git_error", "Git has no permission to write there."],
  // Git doesn't report why it couldn't write a file during a checkout.
  [/([Uu]nable|[Cc]ould not|[Ff]ailed) to? ?(write|flush)/, "storage_unavailable", "The disk is full or not writable."],
  [/not a git repository|does not appear to be a git repository/, "repository_error", "This isn't a git repository."],
  [/refusing to merge unrelated histories/, "repository_error", "The two branches have no common history."],
  [/detected dubious ownership/, "repository_error", "The repository belongs to another user."],
  [
    /'refs\/heads\/[^\n]*' exists; cannot create/,
    "repository_error",
    "An existing branch's name conflicts with the new branch's path. Rename or delete that branch.",
  ],
  [/[Rr]epository '?[^\n]*'? (not found|does not exist)/, "repository_error", "The repository doesn't exist."],
  [
    /Could not resolve host|unable to access|Connection (refused|timed out)/,
    "repository_error",
    "The repository's server can't be reached.",
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|unable to get password from user|Permission denied \(publickey/,
    "repository_error",
    "The repository's server requires valid credentials.",
  ],
  [
    /fsck error in packed object/,
    "repository_error",
    "The repository contains objects that git rejects as dangerous or corrupt.",
  ],
  [/Could not read from remote repository/, "repository_error", "The repository can't be read."],
  [/^(error: )?unknown (switch|option)/m, "git_error", "This version of git is too old: 2.36 or newer is required."],
  [/transport '[^\n]*' not allowed/, "repository_error", "The repository URL's protocol isn't supported."],
]

/** Returns the error for a failed git call. */
export function gitFailure(command: string, { code, killedBy, stderr, stdout }: EndedGit): AppError {
  const said = withoutSecrets(`${stderr.trim()}\n${stdout.subarray(0, 2000).toString()}`.trim()).slice(-2000)
  const details = { command, said, ...(killedBy && { killed_by: killedBy }) }
  for (const [pattern, errorCode, message] of PATTERNS) {
    const found = pattern.exec(stderr.slice(-MATCHED_CHARS))
    if (found) return new AppError(errorCode, message, { ...details, ...found.groups })
  }
  const how = killedBy ? describeExit({ exitCode: code, signal: killedBy }) : `failed with exit code ${code}`
  return new AppError("git_error", `git ${command} ${how}.`, details)
}

/** Removes credentials that a URL in the text may contain. */
function withoutSecrets(text: string): string {
  return text.replaceAll(/:\/\/[^/\s@]+@/g, "://")
}
