import type { ChangedFile } from "@switchyard/core/work/verification/changed-file"
import type { Comparison } from "@switchyard/core/work/verification/tampering"
import { mayWeakenChecks, namedTests } from "@switchyard/core/work/verification/test-files"
import { readBlobs } from "../git/plumbing/blobs.ts"
import { toText } from "../git/plumbing/git-path.ts"
import { type TreeChange, type TreeEntry, treeChanges } from "../git/plumbing/tree-changes.ts"
import { type Commit, filesOfCommit, projectOfFiles } from "./commit-files.ts"

/** Maximum size of a test file whose content is compared. */
const TEST_BYTES = 1024 * 1024

/**
 * Compares two commits of a repository. Returns the paths that differ, and the text of changed tests before and after.
 */
export async function compareCommits(
  from: Commit,
  to: Commit,
  { signal }: { signal: AbortSignal },
): Promise<Comparison & { changedPaths: string[] }> {
  const { git, repository } = to
  const [base, head] = await Promise.all([from, to].map((commit) => projectOf(commit, signal)))
  if (!base || !head) throw new Error("Both commits must contain a project.")
  const changes = await treeChanges(git, repository, from.commit, to.commit, { signal })
  const named = new Set([...namedTests(base), ...namedTests(head)])
  const tests = changes.filter(({ path }) => mayWeakenChecks(toText(path), named))
  const blobs = tests.flatMap(({ from, to }) => [from, to].flatMap((entry) => (isFile(entry) ? entry.blob : [])))
  const contents = await readBlobs(git, repository, [...new Set(blobs)], { maxBytes: TEST_BYTES, signal })
  const textOf = (entry: TreeEntry | null) => (entry && (contents.get(entry.blob)?.toString("utf8") ?? "")) ?? null
  const changed = tests.map(
    ({ path, from, to }: TreeChange): ChangedFile => ({ path: toText(path), before: textOf(from), after: textOf(to) }),
  )
  return { base, head, changed, changedPaths: changes.map(({ path }) => toText(path)) }
}

async function projectOf(commit: Commit, signal: AbortSignal) {
  return projectOfFiles(commit, await filesOfCommit(commit, { signal }), { signal })
}

function isFile(entry: TreeEntry | null): entry is TreeEntry {
  return entry?.mode.startsWith("100") ?? false
}
