import type { ProjectFiles } from "@switchyard/core/work/gate/check"
import { readBlobs } from "../git/plumbing/blobs.ts"
import type { Git } from "../git/plumbing/git.ts"
import { type GitPath, toText } from "../git/plumbing/git-path.ts"
import { type TreeEntry, treeEntries } from "../git/plumbing/tree-changes.ts"

export interface Commit {
  git: Git
  repository: string
  commit: string
}

export type CommitFile = TreeEntry & { path: GitPath }

/** Maximum size of a manifest file. */
const MANIFEST_BYTES = 1024 * 1024

/** Lists a commit's files. Skips links and submodules, so that nothing in a copy can point outside it. */
export async function filesOfCommit(
  { git, repository, commit }: Commit,
  options: { signal: AbortSignal },
): Promise<CommitFile[]> {
  const entries = await treeEntries(git, repository, commit, options)
  return entries.filter(({ mode }) => mode.startsWith("100"))
}

/** Returns a commit's files as a project. Includes the text of files that determine the project's checks. */
export async function projectOfFiles(
  { git, repository }: Pick<Commit, "git" | "repository">,
  files: CommitFile[],
  { signal }: { signal: AbortSignal },
): Promise<ProjectFiles> {
  const top = files.filter(({ path }) => !path.includes("/"))
  const blobs = top.map(({ blob }) => blob)
  const contents = await readBlobs(git, repository, blobs, { maxBytes: MANIFEST_BYTES, signal })
  const paths = files.map(({ path }) => toText(path))
  const texts = new Map(top.map(({ path, blob }) => [toText(path), contents.get(blob)?.toString("utf8")]))
  const known = new Set(paths)
  return { has: (path) => known.has(path), text: (path) => texts.get(path), paths: () => paths }
}
