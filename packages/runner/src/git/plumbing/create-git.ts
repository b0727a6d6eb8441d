import { AppError } from "@switchyard/core/errors"
import { ownFiles } from "../../files/files.ts"
import { type Git, type GitAnswer, type GitCall, type GitOptions, NEVER, NO_PERSON } from "./git.ts"
import { gitFailure } from "./git-errors.ts"
import { runGit } from "./git-process.ts"

const MOVES_BRANCHES = new Set(["update-ref", "symbolic-ref", "branch"])

/**
 * Time limit of a git call, well above the usual duration of our calls. Without a limit, git could wait forever on a
 * pipe created by an agent.
 */
const WITHIN_MS = 10 * 60_000
const UNLIMITED = new Set(["clone", "fetch", "push", "ls-remote", "hook"])

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
export function createGit(options: GitOptions): Git {
  const { env, userConfig = false, user, files = ownFiles, isShared = false, withinMs = WITHIN_MS } = options
  const { startedBy = [] } = options
  const closed: Record<string, string> = userConfig ? {} : NO_PERSON
  const environment = { ...env, ...closed, ...ENVIRONMENT }
  const wanted = [...SETTINGS, ...(userConfig ? [] : CLOSED_SETTINGS), ...(isShared ? SHARED_SETTINGS : [])]
  const settings = wanted.flatMap((setting) => ["-c", setting])

  async function call(args: string[], asked: GitCall): Promise<GitAnswer> {
    const { cwd, input, accept = [], maxBytes = MAX_OUTPUT_BYTES, onProgress, endsAtExit, signal } = asked
    signal.throwIfAborted()
    const command = commandOf(args)
    const movesBranches = MOVES_BRANCHES.has(command)
    const ended = await runGit([...startedBy, ...(asked.startedBy ?? []), "git", ...settings, ...args], {
      cwd,
      env: { ...environment, ...asked.env },
      user,
      input,
      maxBytes,
      onProgress,
      endsAtExit,
      withinMs: UNLIMITED.has(command) ? undefined : withinMs,
      signal: movesBranches ? NEVER : signal,
    })
    if (!movesBranches) signal.throwIfAborted()
    if (ended.tooLate) throw new AppError("git_error", `Git took longer than ${withinMs / 1000} s.`, { command })
    if (ended.tooMuch) throw new AppError("git_error", `Git printed more than ${maxBytes} bytes.`, { command })
    const { code } = ended
    if (code === null || (code !== 0 && !accept.includes(code))) throw gitFailure(command, ended)
    return { code, stdout: ended.stdout, stderr: ended.stderr }
  }
  return Object.assign(call, { files, isShared })
}

/** Returns the git subcommand, skipping `-c` settings. */
function commandOf([first = "", _value, ...rest]: string[]): string {
  return first === "-c" ? commandOf(rest) : first
}

const ENVIRONMENT = {
  LC_ALL: "C",
  LANGUAGE: "C",
  // Never prompt, because no user is there to answer.
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  GIT_EDITOR: ":",
  GIT_PAGER: "cat",
  GIT_MERGE_AUTOEDIT: "no",
  // Reading must not change anything. Without this variable, git would refresh the index.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
  GIT_PROTOCOL_FROM_USER: "0",
  // Disable replace refs and grafts. Agents could use them to make git show content that it doesn't merge.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null/none",
}

/** Overrides of settings that affect the output, start programs, or write in the background. */
const SETTINGS = [
  "core.quotePath=off",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.safecrlf=false",
  "core.checkStat=default",
  "core.trustctime=true",
  "color.ui=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "i18n.commitEncoding=UTF-8",
  "submodule.recurse=false",
  "diff.renames=true",
  "diff.renameLimit=2000",
  "diff.suppressBlankEmpty=false",
  "diff.orderFile=/dev/null",
  "merge.renames=true",
  "merge.renameLimit=2000",
  "merge.directoryRenames=conflict",
  "merge.conflictStyle=merge",
  "merge.renormalize=false",
  "rerere.enabled=false",
  "credential.interactive=false",
  "advice.detachedHead=false",
]

const CLOSED_SETTINGS = ["core.excludesFile=/dev/null", "core.attributesFile=/dev/null"]
/**
 * Settings for a shared repository. Without them, git would reject the repository for every user except the owner of
 * its first worktree.
 */
const SHARED_SETTINGS = ["safe.directory=*"]
