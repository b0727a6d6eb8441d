import { createHash } from "node:crypto"
import {
  MAX_SETUP_FILE_BYTES,
  parseRepositorySetup,
  parseVersionFiles,
  toolNames,
  wrongSetupFile,
} from "@switchyard/core/files/worktrees/repository-setup"
import {
  type RepositorySetup,
  SETUP_FILE,
  VERSION_FILES,
} from "@switchyard/core/files/worktrees/repository-setup-schema"
import { withoutReplacements } from "../../gate/commit-files.ts"
import { readBlobs } from "../../git/plumbing/blobs.ts"
import { fieldsOf } from "../../git/plumbing/git-path.ts"
import { readWork, type Worktree } from "../../git/worktrees/worktree-record.ts"

/** A set-up that a repository's files name, and that its owner must consent to. */
export interface NamedSetup {
  /** Identifies everything that the consent covers. */
  digest: string
  /** The files, with the versions that were read from them. */
  files: string[]
  /** Completes "The agent is working without". */
  summary: string
  /** Parses the content. Throws `setup_failed` if it can't be used. */
  parse(): Promise<RepositorySetup>
}

/** Maximum size of a version file. A `go.mod` also lists all dependencies. */
const MAX_VERSION_FILE_BYTES = 256 * 1024

/**
 * Reads the set-up file from the commit that the work started from. An agent can't change that commit, whatever it does
 * to the file. Returns undefined if the commit doesn't contain the file.
 */
export async function readSetupFile(
  worktree: Worktree,
  options: { signal: AbortSignal },
): Promise<NamedSetup | undefined> {
  const [entry] = await readAtBase(worktree, [SETUP_FILE], { ...options, maxBytes: MAX_SETUP_FILE_BYTES })
  if (!entry) return undefined
  const { mode, id, isFile, content } = entry
  return {
    digest: digestOf([SETUP_FILE, mode, content?.toString("base64") ?? id]),
    files: [SETUP_FILE],
    summary: `the tools and the set-up command in ${SETUP_FILE}`,
    async parse() {
      if (!isFile) throw wrongSetupFile("It must be a file.")
      if (!content) throw wrongSetupFile(`It must not be larger than ${MAX_SETUP_FILE_BYTES / 1024} KB.`)
      return parseRepositorySetup(content.toString())
    },
  }
}

/**
 * Reads the tools that version files such as `.nvmrc` name in the commit that the work started from. The consent covers
 * only the versions, so other changes to the files don't need another one. Returns undefined if no version is named.
 */
export async function readVersionFiles(
  worktree: Worktree,
  options: { signal: AbortSignal },
): Promise<NamedSetup | undefined> {
  const entries = await readAtBase(worktree, VERSION_FILES, { ...options, maxBytes: MAX_VERSION_FILE_BYTES })
  const texts = entries.flatMap(({ path, content }) => (content ? [[path, content.toString()] as const] : []))
  const named = texts.length > 0 ? await parseVersionFiles(Object.fromEntries(texts)) : []
  if (named.length === 0) return undefined
  const tools = Object.fromEntries(named.map(({ tool, version }) => [tool, version]))
  const files = named.map(({ tool, version, file }) => `${file} (${tool}@${version})`)
  return {
    digest: digestOf(["version files", ...toolNames(tools).toSorted()]),
    files,
    summary: `the tools in ${files.join(", ")}`,
    parse: async () => ({ tools, setup: "", cache: [] }),
  }
}

/** Reads these paths in the commit that the work started from. Skips paths that it doesn't contain. */
async function readAtBase(
  worktree: Worktree,
  paths: readonly string[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
) {
  const { base_commit: commit } = await readWork(worktree)
  const git = withoutReplacements(worktree.git)
  const { folder } = worktree.repository
  const asked = ["ls-tree", "-z", "--full-tree", commit, "--", ...paths]
  const entries = fieldsOf((await git(asked, { cwd: folder, signal })).stdout).map((entry) => {
    const [mode = "", , id = "", path = ""] = entry.split(/[ \t]/, 4)
    return { mode, id, path, isFile: mode.startsWith("100") }
  })
  const files = entries.flatMap(({ id, isFile }) => (isFile ? [id] : []))
  const contents = files.length > 0 ? await readBlobs(git, folder, files, { maxBytes, signal }) : undefined
  return entries.map((entry) => ({ ...entry, content: contents?.get(entry.id) }))
}

function digestOf(parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex")
}
