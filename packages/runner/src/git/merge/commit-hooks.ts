import { join, resolve, sep } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Skipped } from "@switchyard/core/files/worktrees/merge-schema"
import { withoutSequences } from "@switchyard/core/text/terminal-sequences"
import type { Files } from "../../files/files.ts"
import { line } from "../plumbing/repository.ts"
import { commitTree, gitDirOf } from "../plumbing/snapshot.ts"
import type { Pending, Worktree } from "../worktrees/worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Hooks and signing that the user's repository configures for commits. */
interface Rules {
  /** Folder that contains the hooks. Undefined if none may run. */
  folder: string | undefined
  /** Names of the existing hooks, in git's order. */
  hooks: string[]
  signing: boolean
}

const HOOK_WITHIN_MS = 10 * 60_000
const MAX_OUTPUT_BYTES = 4096
/** Exit codes of a hook that refuses a commit: all except 0. */
const ANY_CODE = Array.from({ length: 255 }, (_, index) => index + 1)
/** Environment of hooks. Unlike in our own git calls, git commands in hooks expand patterns in paths and use UTF-8. */
const HOOK_ENVIRONMENT = { GIT_LITERAL_PATHSPECS: "0", GIT_OPTIONAL_LOCKS: "1", LC_ALL: "C.UTF-8" }

/**
 * Commits a merge. On request, runs the hooks of the user's repository and signs the commit. `skipped` lists the hooks
 * and signing that were skipped: all of them if they weren't requested, and otherwise the post-commit hooks. Throws
 * `commit_refused` with the hook's output if a hook refuses the commit.
 */
export async function commitMerge(
  worktree: Worktree,
  pending: Pending,
  { tree, parents }: { tree: string; parents: string[] },
  { signal }: Options,
): Promise<{ commit: string; skipped: Skipped | undefined }> {
  // Commit in the repository and not in the worktree, because agents could change the worktree's committer or signing
  // config.
  const { git, repository } = worktree
  const rules = await rulesOf(worktree, pending, { signal })
  if (!pending.run_hooks) {
    const commit = await commitTree(git, repository.folder, { tree, parents, message: pending.message }, { signal })
    return { commit, skipped: skippedOf(rules) }
  }
  const checked = await runHooks(worktree, pending, rules, { signal })
  const commit = await withinLimit("The commit wasn't signed within 10 minutes.", {}, signal, (limited) =>
    commitTree(git, repository.folder, { ...checked, parents, sign: rules.signing }, { signal: limited }).catch(
      (error) => {
        throw rules.signing && error instanceof AppError && error.code !== "storage_unavailable"
          ? new AppError("commit_refused", "The commit couldn't be signed.", { output: clipped(error.details.said) })
          : error
      },
    ),
  )
  // Skip post-commit hooks: they would run in the user's checkout and can't refuse anything.
  return { commit, skipped: skippedOf({ hooks: rules.hooks.filter(isLate), signing: false }) }
}

const isLate = (hook: string) => hook.startsWith("post-")

function skippedOf({ hooks, signing }: Skipped): Skipped | undefined {
  return hooks.length > 0 || signing ? { hooks, signing } : undefined
}

/** Describes skipped hooks and signing. */
export function tellSkipped({ hooks, signing }: Skipped): string {
  const said: string[] = []
  if (hooks.length === 1) said.push(`The repository's ${hooks[0]} hook wasn't run.`)
  if (hooks.length > 1) said.push(`The repository's hooks weren't run: ${hooks.join(", ")}.`)
  if (signing) said.push("The commit isn't signed, but the repository's settings require a signature.")
  return said.join(" ")
}

async function rulesOf(worktree: Worktree, pending: Pending, { signal }: Options): Promise<Rules> {
  // In the session's own repository, only an agent can have created hooks. They are never run.
  if (worktree.isOwn || pending.direction === "update") return { folder: undefined, hooks: [], signing: false }
  const [folder, signing] = await Promise.all([
    hooksFolder(worktree, { signal }),
    configured(worktree, "commit.gpgSign", "bool", { signal }),
  ])
  const [first, last] =
    pending.strategy === "squash" || pending.resolved.length > 0
      ? ["pre-commit", "post-commit"]
      : ["pre-merge-commit", "post-merge"]
  const hooks: string[] = []
  for (const name of [first, "prepare-commit-msg", "commit-msg", last]) {
    if (folder && (await isExecutable(worktree.git.files, join(folder, name)))) hooks.push(name)
  }
  return { folder, hooks, signing: signing === "true" }
}

/**
 * Returns the folder of the user's hooks. A path inside the checkout, such as `.husky`, is resolved in the user's own
 * checkout. If it were resolved in the agent's worktree, a file written by the agent could run as a hook. Returns
 * undefined if the folder is missing, or is in the session's own folder.
 */
async function hooksFolder(worktree: Worktree, { signal }: Options): Promise<string | undefined> {
  const { git, repository, folder } = worktree
  const named = await configured(worktree, "core.hooksPath", "path", { signal })
  if (named === undefined) return join(repository.commonDir, "hooks")
  const asked = ["rev-parse", "--path-format=absolute", "--show-toplevel"]
  const base = (await line(git, asked, { cwd: repository.folder, signal })) ?? repository.commonDir
  const [found, own] = await Promise.all([
    git.files.realpath(resolve(base, named)).catch(() => undefined),
    git.files.realpath(folder),
  ])
  return found === own || found?.startsWith(own + sep) ? undefined : found
}

/** Returns the value that the user configured, ignoring our own overrides. */
async function configured(
  { git, repository }: Worktree,
  name: string,
  type: "bool" | "path",
  { signal }: Options,
): Promise<string | undefined> {
  const asked = ["config", "-z", "--show-scope", `--type=${type}`, "--get-all", name]
  const { stdout } = await git(asked, { cwd: repository.folder, signal, accept: [1, 128] })
  const fields = stdout.toString().split("\0")
  return fields.findLast((_, index) => index % 2 === 1 && fields[index - 1] !== "command")
}

async function isExecutable(files: Files, file: string): Promise<boolean> {
  const found = await files.stat(file).catch(() => undefined)
  return found?.kind === "file" && (found.mode & 0o111) !== 0
}

/**
 * Runs the hooks that git runs before a commit, in the merge's checkout. They may change the files and the commit
 * message.
 */
async function runHooks(worktree: Worktree, pending: Pending, rules: Rules, { signal }: Options) {
  const { git, scratch } = worktree
  const { files } = git
  const gitDir = await gitDirOf(files, scratch)
  if (pending.strategy === "squash") {
    // Hide the merge from hooks, because they would check different files during a merge. A manual squash doesn't leave
    // a merge in progress either.
    for (const name of ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"]) await files.remove(join(gitDir, name))
  }
  const file = join(gitDir, "COMMIT_EDITMSG")
  await files.remove(file)
  await files.create(file, 0o644, Buffer.from(pending.message))
  const argsOf: Record<string, string[]> = {
    "prepare-commit-msg": [file, pending.strategy === "squash" ? "message" : "merge"],
    "commit-msg": [file],
  }
  for (const hook of rules.hooks.filter((name) => !isLate(name))) {
    await runHook(worktree, { hook, folder: rules.folder ?? "", args: argsOf[hook] ?? [] }, { signal })
  }
  const tree = (await git(["write-tree"], { cwd: scratch, signal })).stdout.toString().trim()
  const message = await readMessage(worktree, file, pending.message, { signal })
  if (message === "") throw new AppError("commit_refused", "The repository's hooks left the commit message empty.")
  return { tree, message }
}

async function runHook(
  { git, scratch }: Worktree,
  { hook, folder, args }: { hook: string; folder: string; args: string[] },
  { signal }: Options,
): Promise<void> {
  const asked = ["-c", `core.hooksPath=${folder}`, "hook", "run", "--ignore-missing", hook, "--", ...args]
  const late = `The repository's ${hook} hook took longer than 10 minutes.`
  const { code, stdout, stderr } = await withinLimit(late, { hook }, signal, (limited) =>
    git(asked, {
      cwd: scratch,
      env: HOOK_ENVIRONMENT,
      reads: [folder],
      accept: ANY_CODE,
      endsAtExit: true,
      signal: limited,
    }),
  )
  if (code === 0) return
  const output = clipped(`${stdout}${stderr}`)
  throw new AppError("commit_refused", `The repository's ${hook} hook refused the commit.`, { hook, output })
}

async function withinLimit<T>(
  late: string,
  details: Record<string, unknown>,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(HOOK_WITHIN_MS)
  try {
    return await task(AbortSignal.any([signal, limit]))
  } catch (error) {
    throw limit.aborted && !signal.aborted ? new AppError("commit_refused", late, details, { cause: error }) : error
  }
}

/** Returns the end of a hook's output, because hooks print the reason last. */
function clipped(text: unknown): string {
  const plain = withoutSequences(String(text ?? "")).trim()
  return Buffer.from(plain)
    .subarray(-MAX_OUTPUT_BYTES)
    .toString()
    .replace(/^\uFFFD+/, "")
}

/**
 * Reads the commit message after the hooks have run. Reads it as the hooks' user. If a hook changed the message, git
 * cleans it up.
 */
async function readMessage({ git, scratch }: Worktree, file: string, before: string, { signal }: Options) {
  const call = { cwd: scratch, signal }
  const blob = (await git(["hash-object", "-w", "--no-filters", "--", file], call)).stdout.toString().trim()
  const after = (await git(["cat-file", "blob", blob], call)).stdout
  if (after.toString() === before) return before
  return (await git(["stripspace"], { ...call, input: after })).stdout.toString()
}
