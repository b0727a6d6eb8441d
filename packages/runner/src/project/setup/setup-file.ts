import { MAX_REPOSITORY_FILE_BYTES } from "@switchyard/core/files/worktrees/repository-file"
import {
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
import { digestOf, readCommittedFiles } from "../../git/worktrees/committed-files.ts"
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
 * Reads the set-up file from the commit that the work started from. Returns undefined if the commit doesn't contain the
 * file.
 */
export async function readSetupFile(
  worktree: Worktree,
  options: { signal: AbortSignal },
): Promise<NamedSetup | undefined> {
  const [entry] = await readAtBase(worktree, [SETUP_FILE], { ...options, maxBytes: MAX_REPOSITORY_FILE_BYTES })
  if (!entry) return undefined
  const { mode, id, isFile, content } = entry
  return {
    digest: digestOf([SETUP_FILE, mode, content?.toString("base64") ?? id]),
    files: [SETUP_FILE],
    summary: `the tools and the set-up command in ${SETUP_FILE}`,
    async parse() {
      if (!isFile) throw wrongSetupFile("It must be a file.")
      if (!content) throw wrongSetupFile(`It must not be larger than ${MAX_REPOSITORY_FILE_BYTES / 1024} KB.`)
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

async function readAtBase(
  worktree: Worktree,
  paths: readonly string[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
) {
  const { base_commit: commit } = await readWork(worktree)
  return readCommittedFiles(worktree, { commit, paths, maxBytes }, { signal })
}
