import { AppError, isAppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { applyChanges } from "../../files/workspaces/changes.ts"
import { openManifest, openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Change, Manifest, ManifestFile, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { putContents, splitContents } from "../../files/workspaces/stored-changes.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { formatCount } from "../../text/format.ts"
import type { Clock } from "../../time.ts"
import { type RepositoryDeps, readRepository, sendCommand } from "../chat/files/repository-files.ts"
import type { RunContext } from "../runs/run-context.ts"

export interface ProjectFilesDeps extends RepositoryDeps {
  blobs: Blobs
  clock: Clock
}

/** Files that a build reads and changes. */
export interface ProjectFiles {
  /** Opens the files at version `at`, by default at their newest known version. */
  openFiles(at?: WorkspaceVersion): Promise<Workspace>
  /** Commits changes to these files in the same way as `RunContext.commit`. */
  commit: RunContext<unknown>["commit"]
  /** True if the files include a repository's files, which the session doesn't store. */
  isRepository: boolean
}

/**
 * Opens a build's files. These are the session's own files and, if the session has a repository, the files of its
 * worktree. Creates the worktree if necessary.
 */
export async function openProjectFiles(deps: ProjectFilesDeps, context: RunContext<unknown>): Promise<ProjectFiles> {
  const { sid, signal, state } = context
  const { session } = await context.catchUp()
  const openVersion = (at?: WorkspaceVersion) => openWorkspace(deps, { sid, state: state() }, { at, signal })
  if (session.repository === null) return { openFiles: openVersion, commit: context.commit, isRepository: false }
  const { openNewest, commit } = await openRepository(deps, context)
  return { openFiles: (at) => (at ? openVersion(at) : openNewest()), commit, isRepository: true }
}

/** The worktree's files as last read, and the session's own files just before that read. */
interface Reading {
  worktree: Manifest
  own: ReadonlyMap<string, ManifestFile>
}

async function openRepository(deps: ProjectFilesDeps, context: RunContext<unknown>) {
  const { sid, signal } = context
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: context.state().session.incarnation })
  /** Paths that have been among the session's own files at any time since the worktree was read. */
  let seen = new Set<string>()
  let reading = readWorktree()
  let newest: { key: string | null; files: Promise<Workspace> } | undefined
  await reading

  /** Reads the worktree. Before the worktree is read, its runner writes the session's files to it. */
  async function readWorktree(): Promise<Reading> {
    const own = await ownFiles()
    seen = new Set(own.keys())
    const { manifest } = await readRepository(deps, context)
    return { worktree: await store.readManifest(manifest, { signal }), own }
  }

  function readAgain(): Promise<Reading> {
    newest = undefined
    reading = readWorktree()
    return reading
  }

  async function ownFiles(): Promise<ReadonlyMap<string, ManifestFile>> {
    return byPath(await store.readManifest(context.state().workspace.manifest, { signal }))
  }

  /** Opens the worktree's files, with all changes that the session has made since the worktree was read. */
  function openNewest(): Promise<Workspace> {
    const { manifest: key } = context.state().workspace
    if (!newest || newest.key !== key) newest = { key, files: combine() }
    return newest.files
  }

  async function combine(): Promise<Workspace> {
    const { version } = context.state().workspace
    const now = await ownFiles()
    // A path that left the session's own files was either deleted or merged into the repository. In both cases,
    // `reading` may be out of date.
    const hasLeft = [...seen].some((path) => !now.has(path))
    const { worktree, own } = await (hasLeft ? readAgain() : reading)
    for (const path of now.keys()) seen.add(path)
    const changed = [...now.values()].filter((file) => !isSame(own.get(file.path), file))
    const { manifest } = applyChanges(worktree, changed.map(toWrite))
    const at = { version, manifest: await store.writeManifest(manifest, { signal }) }
    return { ...openManifest(deps, { sid, state: context.state() }, manifest), at }
  }

  /**
   * Commits written files to the session's own files, from which the runner copies them to the worktree. Deletions and
   * moves of a worktree file are made directly in the worktree, because the session's files can't express them.
   */
  async function commit(changes: Change[], step: string, options?: Parameters<ProjectFiles["commit"]>[2]) {
    const { stored, contents } = splitContents(changes)
    const own = await ownFiles()
    const { manifest } = await openNewest()
    const before = byPath(manifest)
    const after = byPath(applyChanges(manifest, stored).manifest)
    const written = [...after.values()].filter((file) => !isSame(before.get(file.path), file))
    const deleted = [...before.values()].filter(({ path }) => !after.has(path))
    const { worktree } = await reading
    const isInWorktree = byPath(worktree)
    if (deleted.some(({ path }) => isInWorktree.has(path))) {
      await putContents(store, contents, signal)
      await writeWorktree({ before, written, deleted })
      return context.commit([], step, options)
    }
    const ofSession = [
      ...deleted.map(({ path }) => ({ op: "delete" as const, path, ifSha256: own.get(path)?.sha256 })),
      ...written.map((file) => {
        const bytes = contents.get(file.sha256)
        const ifSha256 = own.get(file.path)?.sha256 ?? null
        return {
          ...(bytes ? { op: "write" as const, path: file.path, bytes, mode: file.mode } : toWrite(file)),
          ifSha256,
        }
      }),
    ]
    await context.commit(ofSession, step, options)
  }

  async function writeWorktree({ before, written, deleted }: WorktreeChanges): Promise<void> {
    const files = [
      ...deleted.map(({ path, sha256 }) => ({ path, sha256: null, if_sha256: sha256 })),
      ...written.map(({ path, sha256, mode }) => {
        return { path, sha256, if_sha256: before.get(path)?.sha256 ?? null, executable: (mode & 0o100) !== 0 }
      }),
    ]
    const command = { command: "write" as const, message: subjectOf(deleted), files }
    const commandId = deps.newId("cmd")
    try {
      await context.awaitExternal(() => sendCommand(deps, { sid, commandId, command }, { signal }))
    } catch (error) {
      if (!isAppError(error, "worktree_conflict")) throw error
      await context.catchUp()
      await readAgain()
      throw new AppError("workspace_conflict", error.message, error.details, { cause: error })
    }
    await context.catchUp()
    await readAgain()
  }

  return { openNewest, commit }
}

interface WorktreeChanges {
  before: ReadonlyMap<string, ManifestFile>
  written: ManifestFile[]
  deleted: ManifestFile[]
}

function byPath({ files }: Manifest): ReadonlyMap<string, ManifestFile> {
  return new Map(files.map((file) => [file.path, file]))
}

function isSame(one: ManifestFile | undefined, other: ManifestFile): boolean {
  return one?.sha256 === other.sha256 && one.mode === other.mode
}

function toWrite({ path, ...file }: ManifestFile) {
  return { op: "write" as const, path, file }
}

/** Returns the subject of the commit that deletes or moves files. */
function subjectOf([first, ...others]: ManifestFile[]): string {
  const more = others.length === 0 ? "" : ` and ${formatCount(others.length, "other file")}`
  return `Remove ${first?.path}${more}`
}
