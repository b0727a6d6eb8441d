import type { RepositoryChecks, Verdict } from "@switchyard/core/work/gate/schema"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { readBlobs } from "../git/plumbing/blobs.ts"
import { toText } from "../git/plumbing/git-path.ts"
import { checkFiles } from "./check-files.ts"
import { type Commit, type CommitFile, filesOfCommit, projectOfFiles } from "./commit-files.ts"
import { diskOf, prepareOwnHome, type Workdir, type WorkdirDeps } from "./workdir.ts"

const FILE_BYTES = 100 * 1024 * 1024
/** Maximum number of files that are in memory at the same time. */
const AT_ONCE = 200

export interface CheckedCommit extends Commit {
  /** Commands defined by the user, with their time limits. */
  commands: RepositoryChecks | undefined
  /** Test files to take from another commit. Tests that don't exist in that commit are removed. */
  tests?: { commit: string; paths: ReadonlySet<string> }
}

/** Checks a clean copy of a commit in a new temporary home, and returns the verdict. */
export async function checkCommit(
  deps: WorkdirDeps,
  context: Pick<RunContext<unknown>, "sid" | "runId" | "signal" | "state" | "write" | "awaitExternal">,
  { commands, tests, ...about }: CheckedCommit,
): Promise<Verdict> {
  const { signal, runId } = context
  const own = await filesOfCommit(about, { signal })
  const files = tests ? await withTestsOf(about, own, tests, { signal }) : own
  const project = await projectOfFiles(about, files, { signal })
  const fill = (workdir: Workdir) => fillWithFiles(about, files, workdir, { signal })
  const checked = { commit: about.commit, ...(tests && { tests_of: tests.commit }) }
  return checkFiles(deps, context, { purpose: "commits", once: runId, project, commands, fill, checked })
}

async function withTestsOf(
  about: Commit,
  own: CommitFile[],
  { commit, paths }: NonNullable<CheckedCommit["tests"]>,
  options: { signal: AbortSignal },
): Promise<CommitFile[]> {
  const theirs = await filesOfCommit({ ...about, commit }, options)
  const isTest = ({ path }: CommitFile) => paths.has(toText(path))
  return [...own.filter((file) => !isTest(file)), ...theirs.filter(isTest)]
}

/** Creates a temporary home that contains a clean copy of a commit. */
export async function fillWithCommit(about: Commit, workdir: Workdir, options: { signal: AbortSignal }): Promise<void> {
  await fillWithFiles(about, await filesOfCommit(about, options), workdir, options)
}

async function fillWithFiles(
  about: Commit,
  files: CommitFile[],
  workdir: Workdir,
  options: { signal: AbortSignal },
): Promise<void> {
  await prepareOwnHome(workdir)
  await diskOf(workdir).makeFolder(workdir.cwd)
  await writeFiles(about, files, workdir, options)
}

/** Writes a commit's files into a workdir. */
export async function writeFiles(
  { git, repository }: Pick<Commit, "git" | "repository">,
  files: CommitFile[],
  workdir: Pick<Workdir, "cwd" | "user">,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { cwd } = workdir
  const disk = diskOf(workdir)
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE)
    const blobs = [...new Set(some.map(({ blob }) => blob))]
    const contents = await readBlobs(git, repository, blobs, { maxBytes: FILE_BYTES, signal })
    for (const { path, blob, mode } of some) {
      const bytes = contents.get(blob)
      if (bytes) await disk.replace(cwd, toText(path), mode === "100755" ? 0o755 : 0o644, bytes)
    }
  }
}
