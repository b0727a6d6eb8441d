import { randomUUID } from "node:crypto"
import { AppError } from "@switchyard/core/errors"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { NO_PERSON } from "../plumbing/git.ts"
import { branchesOf } from "../plumbing/refs.ts"
import { headOf, line } from "../plumbing/repository.ts"
import { type ImportedFile, importFiles } from "./import-files.ts"
import { readWork, type Worktree, writeWork } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

const MESSAGE = "The session's files\n"

/** Commits exactly these files to the repository's main branch. New worktrees start from that branch. */
export async function baseOnFiles(worktree: Worktree, files: ImportedFile[], options: Options): Promise<void> {
  const { git, repository } = worktree
  const branch = await mainBranch(worktree, options)
  const from = await headOf(git, repository, branch, options)
  const [made] = await imported(worktree, { files, deleted: [], whole: true, from: [from] }, options)
  if (made && !(await isSameTree(worktree, made, from, options))) await moveMain(worktree, branch, made, options)
}

/**
 * Adds changes that other people made to the session's files to the base commit. These changes must survive a reset and
 * mustn't count as the agent's work. The files themselves are already in the worktree.
 */
export async function moveBase(
  worktree: Worktree,
  { files, deleted }: { files: ImportedFile[]; deleted: WorkspacePath[] },
  options: Options,
): Promise<void> {
  const { git, repository, tree: cwd } = worktree
  if (files.length === 0 && deleted.length === 0) return
  const work = await readWork(worktree)
  const head = await line(git, ["rev-parse", "--verify", "HEAD^{commit}"], { cwd, ...options })
  if (!head) throw new AppError("repository_error", "The worktree has no commit.")
  const [base, merged] = await imported(worktree, { files, deleted, from: [work.base_commit, head] }, options)
  if (!base || !merged) return
  const [isBase, isHead] = await Promise.all([
    isSameTree(worktree, base, work.base_commit, options),
    isSameTree(worktree, merged, head, options),
  ])
  if (isBase && isHead) return
  await git(["update-ref", "-m", "switchyard: the session's files", "HEAD", merged], { cwd, ...options })
  await git(["reset", "--quiet"], { cwd, ...options })
  const branch = await mainBranch(worktree, options)
  if ((await headOf(git, repository, branch, options)) === work.base_commit) {
    await moveMain(worktree, branch, base, options)
  }
  await writeWork(worktree, { ...work, base_commit: base })
}

/**
 * Imports the files on top of each commit in `from`. The first new commit becomes the second parent of the other new
 * commits.
 */
async function imported(
  { git, repository }: Worktree,
  about: { files: ImportedFile[]; deleted: WorkspacePath[]; whole?: boolean; from: string[] },
  options: Options,
): Promise<string[]> {
  const call = { cwd: repository.folder, ...options }
  const prefix = `refs/switchyard/files-${randomUUID()}`
  const commits = about.from.map((from, index) => {
    return { ref: `${prefix}/${index}`, from, merge: index > 0 ? `${prefix}/0` : undefined }
  })
  const refs = commits.map(({ ref }) => ref)
  try {
    const { files, deleted, whole } = about
    await importFiles(git, repository.folder, { message: MESSAGE, files, deleted, whole, commits }, options)
    return (await git(["rev-parse", ...refs], call)).stdout.toString().trim().split("\n")
  } finally {
    await git(["update-ref", "--stdin"], { ...call, input: refs.map((ref) => `delete ${ref}\n`).join("") })
  }
}

async function isSameTree(
  { git, repository }: Worktree,
  one: string,
  other: string,
  options: Options,
): Promise<boolean> {
  const { code } = await git(["diff-tree", "--quiet", one, other], {
    ...{ cwd: repository.folder, accept: [1] },
    ...options,
  })
  return code === 0
}

async function mainBranch({ git, repository }: Worktree, options: Options): Promise<string> {
  const found = (await branchesOf(git, repository, options)).default
  if (!found) throw new AppError("repository_error", "The session's repository has no branch.")
  return found
}

async function moveMain(
  { git, repository }: Worktree,
  branch: string,
  commit: string,
  options: Options,
): Promise<void> {
  const call = { cwd: repository.folder, ...options }
  await git(["update-ref", "-m", "switchyard: the session's files", `refs/heads/${branch}`, commit], call)
  const bare = await line(git, ["rev-parse", "--is-bare-repository"], call)
  // Don't run the user's git filters, because the session's files may contain the programs that these filters run.
  if (bare === "false") await git(["reset", "--quiet", "--hard"], { ...call, env: NO_PERSON })
}
