import { createHash } from "node:crypto"
import {
  MAX_SETUP_FILE_BYTES,
  parseRepositorySetup,
  wrongSetupFile,
} from "@switchyard/core/files/worktrees/repository-setup"
import { type RepositorySetup, SETUP_FILE } from "@switchyard/core/files/worktrees/repository-setup-schema"
import { withoutReplacements } from "../../gate/commit-files.ts"
import { readBlobs } from "../../git/plumbing/blobs.ts"
import { fieldsOf } from "../../git/plumbing/git-path.ts"
import { readWork, type Worktree } from "../../git/worktrees/worktree-record.ts"

/** A repository's set-up file. */
export interface SetupFile {
  /** Digest of its path and content. */
  digest: string
  /** Parses the content. Throws `setup_failed` if it can't be used. */
  parse(): Promise<RepositorySetup>
}

/**
 * Reads the set-up file from the commit that the work started from. An agent can't change that commit, whatever it does
 * to the file. Returns undefined if the commit doesn't contain the file.
 */
export async function readSetupFile(
  worktree: Worktree,
  { signal }: { signal: AbortSignal },
): Promise<SetupFile | undefined> {
  const { base_commit: commit } = await readWork(worktree)
  const git = withoutReplacements(worktree.git)
  const { folder } = worktree.repository
  const asked = ["ls-tree", "-z", "--full-tree", commit, "--", SETUP_FILE]
  const [entry] = fieldsOf((await git(asked, { cwd: folder, signal })).stdout)
  if (entry === undefined) return undefined
  const [mode = "", , id = ""] = entry.split(/[ \t]/, 3)
  const isFile = mode.startsWith("100")
  const contents = isFile ? await readBlobs(git, folder, [id], { maxBytes: MAX_SETUP_FILE_BYTES, signal }) : undefined
  const content = contents?.get(id)
  return {
    digest: createHash("sha256")
      .update(JSON.stringify([SETUP_FILE, mode, content?.toString("base64") ?? id]))
      .digest("hex"),
    async parse() {
      if (!isFile) throw wrongSetupFile("It must be a file.")
      if (!content) throw wrongSetupFile(`It must not be larger than ${MAX_SETUP_FILE_BYTES / 1024} KB.`)
      return parseRepositorySetup(content.toString())
    },
  }
}
