import { isAppError } from "@switchyard/core/errors"
import type { Git, GitAnswer, GitCall } from "./git.ts"
import { asInput, inFolder } from "./git-path.ts"
import { isGitlink, treeChanges } from "./tree-changes.ts"

/** Program that git runs for some files and that failed. */
export interface FailedProgram {
  kind: "filter" | "merge driver"
  name: string
  command: string
  /** True if the program isn't installed. */
  isMissing: boolean
}

/**
 * Wraps git. If a filter fails, reports the filter and leaves its files unfiltered. If a merge driver is missing,
 * reports the driver and merges its files as text. A program can fail because it isn't installed, or because it needs
 * something that isn't available in a sandbox. Without this function, git would fail if the filter is required or
 * processes many files, and would report a conflict in each file of a missing driver.
 */
export function withoutFailingPrograms(git: Git, onFailed: (failed: FailedProgram) => void): Git {
  async function call(args: string[], options: GitCall): Promise<GitAnswer> {
    const off = new Map<string, FailedProgram>()
    for (;;) {
      const settings = [...off.values()].flatMap(replacementOf).flatMap((setting) => ["-c", setting])
      const attempt = await Promise.allSettled([git([...settings, ...args], options)])
      const stopping = await stoppingIn(git, args, attempt[0], options)
      const found = stopping.filter(({ name }) => !off.has(name))
      if (found.length > 0) {
        for (const each of found) off.set(each.name, each)
        if (isMerge(args)) await undoMerge(git, args, [...off.values()], options)
        continue
      }
      if (attempt[0].status === "rejected") throw attempt[0].reason
      const answer = attempt[0].value
      const failed = ONE_FAILED.test(answer.stderr) ? await failedIn(git, answer.stderr, options) : []
      for (const each of [...off.values(), ...failed]) onFailed(each)
      return answer
    }
  }
  return Object.assign(call, { files: git.files, isShared: git.isShared })
}

const isMerge = (args: string[]) => args.includes("merge")

/** Returns the programs that made this attempt fail. Git must run without them in the next attempt. */
async function stoppingIn(
  git: Git,
  args: string[],
  attempt: PromiseSettledResult<GitAnswer>,
  options: GitCall,
): Promise<FailedProgram[]> {
  if (attempt.status === "rejected") {
    const said = isAppError(attempt.reason, "git_error") ? String(attempt.reason.details.said) : ""
    return ALL_FAILED.test(said) ? failedIn(git, said, options) : []
  }
  const { code, stderr } = attempt.value
  if (code === FATAL && ALL_FAILED.test(stderr)) return failedIn(git, stderr, options)
  return code !== 0 && MERGES.test(args.join(" ")) && MISSING.test(stderr) ? missingDrivers(git, stderr, options) : []
}

/**
 * Undoes the changes of a merge that was interrupted by a failed program. Git has already checked that nothing else
 * changed these files.
 */
async function undoMerge(git: Git, args: string[], off: FailedProgram[], options: GitCall): Promise<void> {
  const call = { ...options, accept: [1, FATAL] }
  const aborted = await git(["merge", "--abort"], call)
  if (aborted.code === 0) return
  const theirs = args.at(-1) ?? ""
  const base = (await git(["merge-base", "HEAD", theirs], call)).stdout.toString().trim()
  if (base === "") return
  const changes = await treeChanges(git, options.cwd, base, theirs, options)
  for (const { path, from } of changes) if (!from) await git.files.remove(inFolder(options.cwd, path))
  const changed = changes.filter(({ from }) => from && !isGitlink(from)).map(({ path }) => path)
  const settings = off.flatMap(replacementOf).flatMap((setting) => ["-c", setting])
  const checkout = ["checkout", "--quiet", "HEAD", "--pathspec-from-file=-", "--pathspec-file-nul"]
  if (changed.length > 0) await git([...settings, ...checkout], { ...call, input: asInput(changed) })
}

/** Describes a failed program to people and agents. */
export function describeFailed({ kind, name, command, isMissing }: FailedProgram): string {
  const why = isMissing ? `${programOf(command)} isn't installed here` : `\`${command}\` failed`
  const what =
    kind === "filter" ? "Its files are as git stores them, for example pointers." : "Its files are merged as text."
  return `The git ${kind} "${name}" doesn't work, because ${why}. ${what}`
}

const programOf = (command: string) => /^\S+/.exec(command)?.[0] ?? command

/** Returns the settings that make git run without a program. */
function replacementOf({ kind, name }: FailedProgram): string[] {
  if (kind === "merge driver")
    return [`merge.${name}.driver=git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B`]
  return ["required=false", "clean=", "smudge=", "process="].map((setting) => `filter.${name}.${setting}`)
}

/** Exit code for git calls that did nothing because of an error. Some callers accept this code. */
const FATAL = 128
/** Error message about a failing filter that isn't required. Git continues after this error. */
const ONE_FAILED = /external filter '/
const ALL_FAILED = /(?:clean|smudge|external) filter |remote end hung up|unexpected EOF|filter-process/
/** Commands that run merge drivers. */
const MERGES = /\bmerge(?:-tree)?\b/
/** Error message from a shell or from git about a missing program. */
const MISSING = /: not found|command not found|No such file or directory|cannot (?:run|exec)/

/** Finds the merge drivers whose programs couldn't be started during a merge. */
async function missingDrivers(git: Git, said: string, options: GitCall): Promise<FailedProgram[]> {
  const drivers = await programsIn(git, "^merge\\..*\\.driver$", options)
  return drivers.flatMap(({ name, command }) =>
    isMissingIn(said, command) ? [{ kind: "merge driver" as const, name, command, isMissing: true }] : [],
  )
}

/**
 * Finds the filters whose name or program is mentioned in a message. If none is mentioned, returns all long-running
 * filters.
 */
async function failedIn(git: Git, said: string, options: GitCall): Promise<FailedProgram[]> {
  const filters = await programsIn(git, "^filter\\..*\\.(clean|smudge|process)$", options)
  const choices = [
    filters.filter(({ command }) => command !== "" && said.includes(`'${command}'`)),
    filters.filter(({ name }) => said.includes(`filter '${name}' failed`) || said.includes(`filter ${name} failed`)),
    filters.filter(({ setting }) => setting === "process"),
  ]
  const failed = choices.find(({ length }) => length > 0) ?? []
  return failed.map(({ name, command }) => {
    return { kind: "filter", name, command, isMissing: isMissingIn(said, command) }
  })
}

function isMissingIn(said: string, command: string): boolean {
  return said.split("\n").some((line) => line.includes(programOf(command)) && MISSING.test(line))
}

/** Reads the settings named `section.NAME.setting`, which contain command lines. */
async function programsIn(
  git: Git,
  pattern: string,
  { cwd, env, isUntouched, signal }: GitCall,
): Promise<{ name: string; setting: string; command: string }[]> {
  const call = { cwd, isUntouched, signal, accept: [1], ...(env && { env }) }
  const asked = ["config", "-z", "--get-regexp", pattern]
  const settings = (await git(asked, call)).stdout.toString().split("\0").filter(Boolean)
  return settings.map((setting) => {
    const end = setting.indexOf("\n")
    const [key, command] = end < 0 ? [setting, ""] : [setting.slice(0, end), setting.slice(end + 1)]
    const last = key.lastIndexOf(".")
    return { name: key.slice(key.indexOf(".") + 1, last), setting: key.slice(last + 1), command }
  })
}
