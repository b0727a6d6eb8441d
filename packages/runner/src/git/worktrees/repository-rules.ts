import { isReadOnly, parseRepositoryRules, wrongRulesFile } from "@switchyard/core/agents/permissions/repository-rules"
import { type RepositoryRules, RULES_FILE } from "@switchyard/core/agents/permissions/repository-rules-schema"
import { repositoryRulesOf } from "@switchyard/core/agents/questions/state"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { foldName } from "@switchyard/core/files/start-files"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { MAX_REPOSITORY_FILE_BYTES } from "@switchyard/core/files/worktrees/repository-file"
import { listFiles } from "@switchyard/core/files/worktrees/unresolved"
import type { SessionState } from "@switchyard/core/state"
import type { Git } from "../plumbing/git.ts"
import { toText } from "../plumbing/git-path.ts"
import { isGitlink, type TreeChange, treeChanges } from "../plumbing/tree-changes.ts"
import { withoutReplacements } from "../plumbing/without-replacements.ts"
import { digestOf, listCommit, readCommittedFiles } from "./committed-files.ts"
import { readWork, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** A repository's rules for agents. */
export interface CommittedRules {
  /** Commit that contains them. */
  commit: string
  /** Digest of the file's path and content. */
  digest: string
  rules: RepositoryRules
}

/** Returns the commit whose rules apply to a worktree. Unlike the base, it doesn't move with the work. */
export async function rulesCommit(worktree: Worktree): Promise<string> {
  const { rules_commit, base_commit } = await readWork(worktree)
  return rules_commit ?? base_commit
}

/**
 * Reads the rules for agents from a commit. Returns undefined if it contains none. Throws `setup_failed` if they can't
 * be used, so that nothing works without them.
 */
export async function readRules(
  worktree: Pick<Worktree, "git" | "known" | "repository">,
  commit: string,
  options: Options,
): Promise<CommittedRules | undefined> {
  const about = { commit, paths: [RULES_FILE], maxBytes: MAX_REPOSITORY_FILE_BYTES }
  const [file] = await readCommittedFiles(worktree, about, options)
  if (!file) {
    await refuseMisnamed(worktree, commit, options)
    return undefined
  }
  const { mode, isFile, content } = file
  if (!isFile) throw wrongRulesFile("It must be a file.")
  if (!content) throw wrongRulesFile(`It must not be larger than ${MAX_REPOSITORY_FILE_BYTES / 1024} KB.`)
  const digest = digestOf([RULES_FILE, mode, content.toString("base64")])
  return { commit, digest, rules: await parseRepositoryRules(content.toString()) }
}

const [FOLDER = "", NAME = ""] = RULES_FILE.split("/")
const NEAR_NAMES = new Set([NAME, NAME.replace("yaml", "yml")])

/** Throws if the rules have another spelling, or if their folder isn't one. Otherwise, they would silently not apply. */
async function refuseMisnamed(
  worktree: Pick<Worktree, "git" | "known" | "repository">,
  commit: string,
  { signal }: Options,
): Promise<void> {
  const about = { flags: ["--name-only"], paths: [FOLDER, `${FOLDER}/`], signal }
  for (const path of (await listCommit(worktree, commit, about)).map(toText)) {
    if (path === FOLDER) throw wrongRulesFile(`${FOLDER} must be a folder.`)
    const name = path.slice(FOLDER.length + 1)
    if (NEAR_NAMES.has(foldName(name))) throw wrongRulesFile(`It must be named ${RULES_FILE}, not ${path}.`)
  }
}

/** Describes the rules of a worktree for the log. Returns undefined if the log already describes them. */
export async function rulesEvent(
  worktree: Worktree,
  { name, state }: { name: string; state: SessionState },
  options: Options,
): Promise<NewEvent | undefined> {
  const commit = await rulesCommit(worktree)
  const known = repositoryRulesOf(state, name)
  if (known?.commit === commit) return undefined
  const about = { type: "repository_rules_read" as const, ...namedWorktree(name), commit }
  try {
    const rules = (await readRules(worktree, commit, options))?.rules ?? null
    return rules === null && !known ? undefined : { ...about, rules }
  } catch (error) {
    if (!isAppError(error, "setup_failed")) throw error
    return { ...about, rules: null, fault: error.message }
  }
}

/** Returns the changes that would change a read-only file. */
function readOnlyChanges(rules: RepositoryRules, changes: TreeChange[]): TreeChange[] {
  return changes.filter(({ path, from, to }) =>
    isReadOnly(rules, toText(path), { isModule: isGitlink(from) || isGitlink(to) }),
  )
}

/** Throws `worktree_conflict` if a read-only file differs between two commits or trees. The rules are those of `commit`. */
export async function requireReadOnly(
  worktree: Pick<Worktree, "git" | "known" | "repository" | "isOwn" | "isClone">,
  { commit, from, to, cwd }: { commit: string; from: string; to: string; cwd: string },
  options: Options,
): Promise<void> {
  // A session's own files have no rules.
  const found = worktree.isOwn && !worktree.isClone ? undefined : await readRules(worktree, commit, options)
  if (!found) return
  const git: Git = withoutReplacements(worktree.git)
  const changed = readOnlyChanges(found.rules, await treeChanges(git, cwd, from, to, options))
  if (changed.length === 0) return
  const files = changed.map(({ path }) => toText(path))
  const message = `The work changes files that are read-only in this repository: ${listFiles(files)}. Restore them with "git restore --source=${from} -- FILES" in the worktree, or merge the branch yourself with git.`
  throw new AppError("worktree_conflict", message, { files: files.slice(0, 100), reason: "read_only" })
}
