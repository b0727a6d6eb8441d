import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { compareManifests } from "../../files/workspaces/compare.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import { diffTexts } from "../../files/workspaces/line-diff.ts"
import type { FileEntry, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { MAX_EDITABLE_BYTES } from "../../files/workspaces/text.ts"
import type { DiffFile } from "../../files/worktrees/diff-schema.ts"
import { isGeneratedName } from "../../files/worktrees/generated-files.ts"
import type { SessionHistory } from "../../kernel/history.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { VersionComparison } from "./schema.ts"

interface Options {
  /**
   * Compares only this file. The path is the one in the newer version or, if the file is gone there, in the older
   * version.
   */
  path?: string | undefined
  signal: AbortSignal
}

const READS_AT_ONCE = 8

/** Maximum number of files in the list. */
const MAX_FILES = 1000

/** Files up to this size are compared line by line. Larger files are compared only if they are requested alone. */
const MAX_FILE_BYTES = 256 * 1024

/** Maximum total size of the compared texts. Further files are compared only if they are requested alone. */
const MAX_TOTAL_BYTES = 2 * 1024 * 1024

/** Compares two versions of a session's files, line by line. Files are sorted by path. */
export async function compareVersions(
  deps: { blobs: Blobs },
  session: SessionHistory,
  { from, to }: { from: WorkspaceVersion; to: WorkspaceVersion },
  { path, signal }: Options,
): Promise<VersionComparison> {
  const open = (at: WorkspaceVersion) => openWorkspace(deps, session, { at, signal })
  const [before, after] = await Promise.all([open(from), open(to)])
  const pairs = pairsOf(before, after).filter((pair) => path === undefined || (pair.to ?? pair.from) === path)
  let room = path === undefined ? MAX_TOTAL_BYTES : Number.POSITIVE_INFINITY
  const most = path === undefined ? MAX_FILE_BYTES : MAX_EDITABLE_BYTES
  const listed = pairs.slice(0, MAX_FILES).map((pair) => {
    const sizes = [fileAt(before, pair.from), fileAt(after, pair.to)].map((file) => file?.size ?? 0)
    const size = Math.max(...sizes)
    const isShown = size <= Math.min(most, room)
    if (isShown) room -= size
    return { pair, isShown }
  })
  const diff = ({ pair, isShown }: (typeof listed)[number]) => diffFile(before, after, pair, { isShown, signal })
  const files = await Array.fromAsync(mapConcurrent(listed, diff, { atOnce: READS_AT_ONCE }))
  const sum = (count: (file: DiffFile) => number | null) => files.reduce((all, file) => all + (count(file) ?? 0), 0)
  return {
    from: from.version,
    to: to.version,
    files_changed: pairs.length,
    insertions: sum(({ additions }) => additions),
    deletions: sum(({ deletions }) => deletions),
    complete: pairs.length <= MAX_FILES,
    files,
  }
}

/** Paths of a changed file in both versions. A path is undefined if the file doesn't exist in that version. */
interface Pair {
  from: WorkspacePath | undefined
  to: WorkspacePath | undefined
}

function pairsOf(before: Workspace, after: Workspace): Pair[] {
  const { added, changed, removed, renamed } = compareManifests(before.manifest, after.manifest)
  const pairs: Pair[] = [
    ...added.map((to) => ({ from: undefined, to })),
    ...changed.map((path) => ({ from: path, to: path })),
    ...removed.map((from) => ({ from, to: undefined })),
    ...renamed,
  ]
  const keyOf = ({ from, to }: Pair) => to ?? from ?? ""
  return pairs.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

async function diffFile(
  before: Workspace,
  after: Workspace,
  { from, to }: Pair,
  { isShown, signal }: { isShown: boolean; signal: AbortSignal },
): Promise<DiffFile> {
  const [old, now] = [fileAt(before, from), fileAt(after, to)]
  const isBinary = (old?.binary || now?.binary) ?? false
  const isText = isShown && !isBinary && old?.sha256 !== now?.sha256
  const textOf = (files: Workspace, path: WorkspacePath | undefined) =>
    path === undefined ? "" : files.readText(path, { signal })
  const texts = isText ? await Promise.all([textOf(before, from), textOf(after, to)]) : undefined
  const hunks = texts ? diffTexts(...texts) : []
  const count = (type: "add" | "delete") =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.type === type).length, 0)
  const newPath = to ?? from ?? ""
  return {
    old_path: from ?? newPath,
    new_path: newPath,
    is_new: old === undefined,
    is_deleted: now === undefined,
    is_renamed: from !== undefined && to !== undefined && from !== to,
    is_copied: false,
    is_binary: isBinary,
    is_submodule: false,
    old_mode: gitMode(old),
    new_mode: gitMode(now),
    additions: isBinary ? null : count("add"),
    deletions: isBinary ? null : count("delete"),
    marks: [
      ...(isGeneratedName(newPath) ? (["generated"] as const) : []),
      ...(isShown || isBinary ? [] : (["too_large"] as const)),
    ],
    hunks,
  }
}

function fileAt(files: Workspace, path: WorkspacePath | undefined): FileEntry | undefined {
  const found = path === undefined ? undefined : files.stat(path)
  return found?.type === "file" ? found : undefined
}

function gitMode(file: FileEntry | undefined): string | null {
  if (!file) return null
  return file.mode & 0o100 ? "100755" : "100644"
}
