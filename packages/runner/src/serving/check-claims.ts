import { join, relative } from "node:path"
import { unsupportedClaims, type WrittenFiles } from "@switchyard/core/agents/conversations/claims"
import { listFiles } from "@switchyard/core/files/worktrees/unresolved"
import { resolvePaths } from "../files/resolve-paths.ts"
import { asInput, fieldsOf, fromText, toText } from "../git/plumbing/git-path.ts"
import { treeChanges } from "../git/plumbing/tree-changes.ts"
import { findWork, type Worktree } from "../git/worktrees/worktree-record.ts"

export interface FinishedWork {
  worktree: Worktree
  /** Commit of the work when the run began. */
  startCommit: string
  written: WrittenFiles
}

/** Folders for temporary files, which aren't meant to be part of the work. */
const SCRATCH = ["/tmp/", "/var/tmp/", "/dev/"]

/**
 * Compares an agent's claims with its committed work. Returns a warning that lists claimed files that aren't in the
 * work, and files written outside the worktree.
 */
export async function checkClaims(
  { worktree, startCommit, written }: FinishedWork,
  claims: string[],
  { signal }: { signal: AbortSignal },
): Promise<string | undefined> {
  const work = await findWork(worktree)
  const paths = written.paths()
  // After a merge, the worktree and its work may no longer exist.
  if (!work || (claims.length === 0 && paths.length === 0)) return undefined
  const { git, tree: cwd } = worktree
  const root = await git.files.realpath(cwd)
  const resolved = await resolvePaths(git.files, cwd, paths)
  const outside = resolved.filter((path) => path.startsWith("/"))
  const known = resolved.filter((path) => !path.startsWith("/"))
  const relativeClaims = claims.map((claim) => inside(inside(claim, cwd), root))
  // Compare commits only if a claim isn't explained by a written file.
  const isExplained = unsupportedClaims(relativeClaims, known).length === 0
  for (const base of isExplained ? [] : new Set([startCommit, work.base_commit])) {
    const changes = await treeChanges(git, cwd, base, "HEAD", { signal })
    known.push(...changes.map(({ path }) => toText(path)))
  }
  const doubtful = unsupportedClaims(relativeClaims, known)
  const ignored = await ignoredFiles(worktree, doubtful, { signal })
  const isClaimed = (path: string) => unsupportedClaims(doubtful, [path]).length < doubtful.length
  const isScratch = (path: string) => SCRATCH.some((folder) => path.startsWith(folder))
  return inWords(
    unsupportedClaims(doubtful, [...outside, ...ignored]),
    outside.filter((path) => !isScratch(path) || isClaimed(path)),
  )
}

function inside(claim: string, folder: string): string {
  return claim.startsWith(`${folder}/`) ? relative(folder, claim) : claim
}

/** Returns the claimed files that exist but that git ignores, so no commit contains them. */
async function ignoredFiles(
  { git, tree: cwd }: Worktree,
  claims: string[],
  { signal }: { signal: AbortSignal },
): Promise<Set<string>> {
  const present: string[] = []
  for (const claim of claims) {
    const isInside = !claim.startsWith("/") && !claim.split("/").includes("..")
    if (isInside && (await git.files.exists(join(cwd, claim)))) present.push(claim)
  }
  if (present.length === 0) return new Set()
  // `check-ignore` doesn't support literal pathspecs.
  const call = { cwd, env: { GIT_LITERAL_PATHSPECS: "0" }, input: asInput(present.map(fromText)), accept: [1], signal }
  const { stdout } = await git(["check-ignore", "-z", "--stdin"], call)
  return new Set(fieldsOf(stdout).map(toText))
}

function inWords(missing: string[], outside: string[]): string | undefined {
  const warnings = [
    ...(missing.length > 0
      ? [`The agent claims that it changed ${listFiles(missing)}, but its work contains no such change.`]
      : []),
    ...(outside.length > 0
      ? [`The agent wrote outside its worktree, so this is not part of its work: ${listFiles(outside)}.`]
      : []),
  ]
  return warnings.length > 0 ? warnings.join(" ") : undefined
}
