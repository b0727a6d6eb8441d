import { createHash } from "node:crypto"
import { readBlobs } from "../plumbing/blobs.ts"
import { fieldsOf, type GitPath } from "../plumbing/git-path.ts"
import { recall } from "../plumbing/known-git.ts"
import { withoutReplacements } from "../plumbing/without-replacements.ts"
import type { Worktree } from "./worktree-record.ts"

type InRepository = Pick<Worktree, "git" | "known" | "repository">

/** A path in a commit. */
export interface CommittedFile {
  mode: string
  id: string
  path: string
  /** False for a link or a submodule. */
  isFile: boolean
  /** Undefined if it isn't a file, or is larger than the limit. */
  content: Buffer | undefined
}

/**
 * Reads a repository's files for Switchyard from a commit. An agent can't change that commit, whatever it does to the
 * files. Skips paths that the commit doesn't contain.
 */
export async function readCommittedFiles(
  worktree: InRepository,
  { commit, paths, maxBytes }: { commit: string; paths: readonly string[]; maxBytes: number },
  { signal }: { signal: AbortSignal },
): Promise<CommittedFile[]> {
  const git = withoutReplacements(worktree.git)
  const { folder } = worktree.repository
  const listed = await listCommit(worktree, commit, { flags: [], paths, signal })
  const entries = listed.map((entry) => {
    const [mode = "", , id = "", path = ""] = entry.split(/[ \t]/, 4)
    return { mode, id, path, isFile: mode.startsWith("100") }
  })
  const files = entries.flatMap(({ id, isFile }) => (isFile ? [id] : []))
  const contents = files.length > 0 ? await readBlobs(git, folder, files, { maxBytes, signal }) : undefined
  return entries.map((entry) => ({ ...entry, content: contents?.get(entry.id) }))
}

/** Lists the given paths of a commit. Git is asked only once about a commit, because commits never change. */
export async function listCommit(
  { git, known, repository }: InRepository,
  commit: string,
  { flags, paths, signal }: { flags: string[]; paths: readonly string[]; signal: AbortSignal },
): Promise<GitPath[]> {
  const asked = ["ls-tree", "-z", "--full-tree", ...flags, commit, "--", ...paths]
  const ask = async () => (await withoutReplacements(git)(asked, { cwd: repository.folder, signal })).stdout
  return fieldsOf(await recall(known.lists, asked, ask))
}

/** Identifies what an owner consents to. */
export function digestOf(parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex")
}
