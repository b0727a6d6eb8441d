import { sha256Of } from "@switchyard/core/files/workspaces/blob-store"
import type { Change, Manifest } from "@switchyard/core/files/workspaces/manifest"
import { isWorkspacePath, pathProblem, type WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { createTwinFinder } from "@switchyard/core/files/workspaces/twins"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { FileStat, Files } from "../../files/files.ts"
import type { Git } from "../plumbing/git.ts"
import { fromText, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { listWithModules, snapshot } from "../plumbing/snapshot.ts"
import { treePaths } from "../plumbing/tree-changes.ts"
import { differingPaths, stageWork } from "./stray-gitlinks.ts"

export interface WorkspaceChanges {
  changes: Change[]
  /** Worktree files that can't be stored in the workspace, with the reasons. */
  leftOut: SkippedFile[]
  /** Number of files to write that exceed the limits of this step. */
  rest: number
  /** Deleted files whose content isn't in any other file. */
  deleted: WorkspacePath[]
  /** Files that were changed in both the worktree and the workspace. The workspace keeps its own version. */
  conflicts: WorkspacePath[]
}

/** Limits per step. A step includes at least one file, even above the limits. */
export interface Portion {
  files: number
  bytes: number
}

/**
 * Cache of files that were read before, so that only changed files are read again. The called function fills the cache.
 */
export type FileCache = Map<string, { stamp: string; sha256: string; mode: number }>

export interface Limits {
  fileBytes: number
  /** Total limit for all files. */
  totalBytes: number
}

const LIMITS: Limits = { fileBytes: 20 * 1024 * 1024, totalBytes: 500 * 1024 * 1024 }

/** Lists a worktree's tracked and new files, except ignored ones. With `base`, lists only files that differ from it. */
export async function listFiles(
  git: Git,
  { tree, base }: { tree: string; base?: string },
  { signal }: { signal: AbortSignal },
): Promise<GitPath[]> {
  if (base !== undefined) {
    const staged = await stageWork(snapshot, git, tree, base, { signal })
    return differingPaths(staged, { git, cwd: tree, base }, { signal })
  }
  const { paths, unreadable } = await listWithModules(git, tree, { signal })
  return [...new Set([...paths, ...unreadable])]
}

/**
 * Finds the changes that make a workspace match a worktree's files, including deletions. `synced` is the workspace's
 * version at the last sync. Changes that the workspace has received since then are kept.
 */
export async function workspaceChanges(
  git: Git,
  {
    tree,
    paths,
    manifest,
    synced = manifest,
    seen,
    placeOf = () => undefined,
    base,
    unresolved = new Set(),
    limits = LIMITS,
    portion = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY },
  }: {
    tree: string
    /** Paths returned by `listFiles`. */
    paths: GitPath[]
    manifest: Manifest
    synced?: Manifest
    seen: FileCache
    /** Returns the location of a file while it is hidden from a program. */
    placeOf?: ((path: GitPath) => Buffer | undefined) | undefined
    /** Returns the base commit that the paths were listed against, if any. */
    base?: (() => Promise<string>) | undefined
    /** Paths of files with conflicts. */
    unresolved?: Set<string>
    limits?: Limits
    portion?: Portion
  },
  { signal }: { signal: AbortSignal },
): Promise<WorkspaceChanges> {
  const root = await git.files.realpath(tree)
  /** Finds a file's location. The file may be moved concurrently, because files are hidden while a program runs. */
  async function findPlace(path: GitPath): Promise<Buffer> {
    const [own, hidden] = [inFolder(root, path), placeOf(path)]
    if (!hidden || (await git.files.lstat(own).catch(() => "there"))) return own
    return (await git.files.lstat(hidden)) ? hidden : own
  }
  const known = new Map(manifest.files.map((file) => [file.path, file]))
  const before = new Map(synced.files.map((file) => [file.path, file]))
  const isTheirs = (path: WorkspacePath) => !isSame(known.get(path), before.get(path))
  const conflicts: WorkspacePath[] = []
  const leftOut: SkippedFile[] = []
  const writes: Change[] = []
  const kept = new Set<WorkspacePath>(manifest.files.map(({ path }) => path).filter(isTheirs))
  const contents = new Set<string>()
  const twins = createTwinFinder()
  for (const path of kept) twins.add(path)
  let room = limits.totalBytes
  let size = 0
  let rest = 0
  // If several paths differ only in Unicode normalisation, prefer the path that is already in the workspace.
  const rank = (path: GitPath) => (known.has(toText(path) as WorkspacePath) ? 0 : 1)
  for (const path of paths.toSorted().sort((one, other) => rank(one) - rank(other))) {
    signal.throwIfAborted()
    const text = toText(path)
    const found = unresolved.has(text)
      ? { path: text, reason: "conflict" as const }
      : await look(git.files, await findPlace(path), path, { ...limits, room }, seen)
    if (found === undefined) continue
    if ("reason" in found) {
      leftOut.push(found)
      // The workspace keeps the last version that could be read.
      const isKept = found.reason === "conflict" || found.reason === "unreadable"
      if (isKept && known.has(found.path as WorkspacePath)) kept.add(found.path as WorkspacePath)
      continue
    }
    const twin = twins.add(found.path)
    if (twin !== undefined) {
      const detail = `its path differs only in Unicode form from ${twin}, which is the same file on a Mac`
      leftOut.push({ path: found.path, reason: "path", detail })
      continue
    }
    kept.add(found.path)
    contents.add(found.sha256)
    room -= found.size
    const current = known.get(found.path)
    if (isSame(before.get(found.path), found) || isSame(current, found)) continue
    if (current && isTheirs(found.path)) {
      conflicts.push(found.path)
      continue
    }
    if (writes.length > 0 && (writes.length >= portion.files || size + found.size > portion.bytes)) {
      rest++
      continue
    }
    size += found.size
    const bytes = found.bytes ?? (await git.files.readRegular(await findPlace(path)))
    if (bytes) writes.push({ op: "write", path: found.path, bytes, mode: found.mode })
  }
  const gone = manifest.files.filter(({ path }) => !kept.has(path))
  const isInRepository = await repositoryHas(git, { tree: root, base, gone: gone.map(({ path }) => path) }, { signal })
  const deletes = obsolete(manifest, kept).map((path): Change => {
    return { op: "delete", path, recursive: true, ...(isInRepository(path) && { inRepository: true }) }
  })
  const deleted = gone.filter(({ sha256 }) => !contents.has(sha256))
  return { changes: [...deletes, ...writes], rest, leftOut, deleted: deleted.map(({ path }) => path), conflicts }
}

type Content = { sha256: string; mode: number }

function isSame(one: Content | undefined, other: Content | undefined): boolean {
  return one?.sha256 === other?.sha256 && one?.mode === other?.mode
}

/**
 * Counts the files that aren't in the cache, and adds up their sizes. Doesn't read sizes if there are more than
 * `enough` files.
 */
export async function unseen(
  { files }: Git,
  { tree, paths, seen, enough }: { tree: string; paths: GitPath[]; seen: FileCache; enough: number },
): Promise<Portion> {
  const found = { files: paths.filter((path) => !seen.has(toText(path))).length, bytes: 0 }
  if (found.files > enough) return found
  found.files = 0
  for (const path of paths) {
    const stat = await files.lstat(inFolder(tree, path))
    if (stat?.kind !== "file" || seen.get(toText(path))?.stamp === stampOf(stat)) continue
    found.files++
    found.bytes += stat.size
  }
  return found
}

/**
 * Returns a function that checks whether a deleted path is in both the base and the worktree. Such a file still exists;
 * it just no longer differs from the base.
 */
async function repositoryHas(
  git: Git,
  { tree, base, gone }: { tree: string; base: (() => Promise<string>) | undefined; gone: WorkspacePath[] },
  { signal }: { signal: AbortSignal },
): Promise<(path: WorkspacePath) => boolean> {
  if (base === undefined || gone.length === 0) return () => false
  const commit = await base()
  const inBase = new Set<string>((await treePaths(git, tree, commit, { signal })).map(toText))
  const there = new Set<WorkspacePath>()
  const lost = new Set<WorkspacePath>()
  for (const path of gone) {
    const isThere = inBase.has(path) && (await git.files.exists(inFolder(tree, fromText(path))).catch(() => false))
    for (const each of [...ancestors(path), path]) (isThere ? there : lost).add(each)
  }
  return (path) => there.has(path) && !lost.has(path)
}

/**
 * Returns the paths to delete: files that aren't in `kept`, the topmost folders without such files, and folders that
 * have become files.
 */
function obsolete(manifest: Manifest, kept: Set<WorkspacePath>): WorkspacePath[] {
  const folders = new Set([...kept].flatMap((path) => ancestors(path)))
  const gone = manifest.files.filter((file) => !kept.has(file.path)).map(({ path }) => path)
  const topmost = gone.map((path) => [...ancestors(path), path].find((each) => !folders.has(each)) ?? path)
  const replaced = manifest.folders.flatMap((path) => [...ancestors(path), path].filter((each) => kept.has(each)))
  return [...new Set([...topmost, ...replaced])]
}

/** Returns a path's parent folders, outermost first. */
function ancestors(path: WorkspacePath): WorkspacePath[] {
  const segments = path.split("/").slice(0, -1)
  return segments.map((_, index) => segments.slice(0, index + 1).join("/") as WorkspacePath)
}

interface Found {
  path: WorkspacePath
  sha256: string
  mode: number
  size: number
  bytes?: Buffer
}

/** Reads one file. Returns undefined if the file no longer exists. */
async function look(
  files: Files,
  place: Buffer,
  bytes: GitPath,
  { fileBytes, room }: { fileBytes: number; room: number },
  seen: FileCache,
): Promise<Found | SkippedFile | undefined> {
  const path = toText(bytes)
  const stat = await files.lstat(place).catch(outOfReach)
  if (stat === "out of reach") return { path, reason: "unreadable" }
  if (!stat) return undefined
  const { size } = stat
  if (bytes.endsWith("/")) {
    const link = await files.lstat(Buffer.concat([place, Buffer.from(".git")])).catch(outOfReach)
    if (link === "out of reach") return { path, reason: "unreadable" }
    return { path, reason: link?.kind === "file" ? "worktree" : "path" }
  }
  if (stat.kind === "folder") return { path, reason: "submodule" }
  if (stat.kind !== "file") return { path, reason: "link" }
  if (!isWorkspacePath(path) || Buffer.from(path).toString("latin1") !== bytes) {
    return { path, reason: "path", detail: `its path ${pathProblem(path) ?? "isn't valid UTF-8"}` }
  }
  if (size > fileBytes) return { path, reason: "too_large" }
  if (size > room) return { path, reason: "no_room" }
  const mode = stat.mode & 0o100 ? 0o755 : 0o644
  const stamp = stampOf(stat)
  const before = seen.get(path)
  if (before?.stamp === stamp) return { path, sha256: before.sha256, mode, size }
  const content = await files.readRegular(place)
  if (!content) return { path, reason: "unreadable" }
  const sha256 = sha256Of(content)
  seen.set(path, { stamp, sha256, mode })
  return { path, sha256, mode, size: content.length, bytes: content }
}

/**
 * Returns "out of reach" for a file that even its own user can't access. Agents can create such files. Rethrows any
 * other error.
 */
function outOfReach(error: NodeJS.ErrnoException): "out of reach" {
  if (!["EACCES", "ELOOP", "ENAMETOOLONG"].includes(error.code ?? "")) throw error
  return "out of reach"
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: FileStat) => [ino, size, mtimeNs, ctimeNs].join()
