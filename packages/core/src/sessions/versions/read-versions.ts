import * as z from "zod"
import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { AppError } from "../../errors.ts"
import type { EventOf } from "../../events.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { compareManifests } from "../../files/workspaces/compare.ts"
import type { Manifest, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { CommittedChange } from "../../files/workspaces/schema.ts"
import { readHistoryBack, type SessionHistory } from "../../kernel/history.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { findRun } from "../../work/runs/ended-runs.ts"
import type { Version, VersionList } from "./schema.ts"

interface Deps {
  records: Records
  blobs: Blobs
}

type Commit = EventOf<"workspace_committed">

/** Successive commits of the same run, or a single commit that belongs to no such series. */
interface Group {
  newest: Commit
  /** Commits of the group, newest first. */
  commits: Commit[]
  before: WorkspaceVersion
  /** Path of the listed file after these commits. Only set if the versions of a single file are listed. */
  path?: string
}

interface ListOptions {
  /** Only lists versions before this one. */
  before?: number | undefined
  limit: number
  /** Only lists versions that changed this file, even under an earlier name. */
  path?: string | undefined
  signal: AbortSignal
}

const READS_AT_ONCE = 8

const noVersion: WorkspaceVersion = { version: 0, manifest: null }

/**
 * Lists a session's versions, newest first. Successive commits of the same run are listed as one version, the last of
 * them.
 */
export async function listVersions(deps: Deps, session: SessionHistory, options: ListOptions): Promise<VersionList> {
  const { limit, path, before = Number.POSITIVE_INFINITY, signal } = options
  const groups: Group[] = []
  const all = groupedBack(deps, session, { signal })
  for await (const group of path === undefined ? all : changingFile(deps, all, path, { signal })) {
    if (group.newest.version < before) groups.push(group)
    if (groups.length > limit) break
  }
  const readManifest = createReadManifest(deps, session, { signal })
  const read = (group: Group) => toVersion(deps, session, group, readManifest, { signal })
  const page = groups.slice(0, limit)
  const versions = await Array.fromAsync(mapConcurrent(page, read, { atOnce: READS_AT_ONCE }))
  const last = groups.length > limit ? page.at(-1) : undefined
  return { current: session.state.workspace.version, versions, next: last?.newest.version ?? null }
}

/** Returns the version with this number. Throws `not_found` if the session has no such version. */
export async function requireVersion(
  deps: Deps,
  session: SessionHistory,
  version: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  const { workspace } = session.state
  if (version === 0) return noVersion
  if (version === workspace.version) return { version, manifest: workspace.manifest }
  if (version < workspace.version) {
    for await (const commit of readHistoryBack(deps, session, "versions", options)) {
      if (commit.version === version) return { version, manifest: commit.manifest }
    }
  }
  const details = { version, newest_version: workspace.version }
  throw new AppError("not_found", `This session has no version ${version}.`, details)
}

async function* groupedBack(
  deps: Deps,
  session: SessionHistory,
  options: { signal: AbortSignal },
): AsyncGenerator<Group> {
  let commits: Commit[] = []
  for await (const commit of readHistoryBack(deps, session, "versions", options)) {
    const [newest] = commits
    if (newest && (newest.run_id === undefined || newest.run_id !== commit.run_id)) {
      yield { newest, commits, before: commit }
      commits = []
    }
    commits.push(commit)
  }
  const [newest] = commits
  if (newest) yield { newest, commits, before: noVersion }
}

/** Yields the groups that changed a file, following its renames back in time. */
async function* changingFile(
  { blobs }: Deps,
  groups: AsyncIterable<Group>,
  path: string,
  options: { signal: AbortSignal },
): AsyncGenerator<Group> {
  let now = path
  for await (const group of groups) {
    const after = now
    let touched = false
    for (const commit of group.commits) {
      const changes = await readField(blobs, commit.changes, z.array(CommittedChange), options)
      for (const change of changes.reverse()) {
        touched ||= [change.path, change.from_path].some((at) => at !== undefined && isInside(now, at))
        if (change.op === "rename" && isInside(now, change.path)) {
          now = `${change.from_path}${now.slice(change.path.length)}`
        }
      }
    }
    if (touched) yield { ...group, path: after }
  }
}

function isInside(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`)
}

type ReadManifest = (manifest: string | null) => Promise<Manifest>

/**
 * Creates a function that reads each manifest only once. Most manifests are needed twice: for their own version, and as
 * the base of the next one.
 */
function createReadManifest(
  { blobs }: Deps,
  { sid, state }: SessionHistory,
  options: { signal: AbortSignal },
): ReadManifest {
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const known = new Map<string | null, Promise<Manifest>>()
  return (manifest) => {
    const found = known.get(manifest) ?? store.readManifest(manifest, options)
    known.set(manifest, found)
    return found
  }
}

async function toVersion(
  deps: Deps,
  session: SessionHistory,
  { newest, before, path }: Group,
  readManifest: ReadManifest,
  options: { signal: AbortSignal },
): Promise<Version> {
  const [was, is, run] = await Promise.all([
    readManifest(before.manifest),
    readManifest(newest.manifest),
    newest.run_id === undefined ? undefined : findRun(deps.records, session, newest.run_id, options),
  ])
  const { added, changed, renamed, removed } = compareManifests(was, is)
  return {
    version: newest.version,
    previous: before.version,
    seq: newest.seq,
    created_at: newest.ts,
    author: newest.restores ? "restore" : newest.run_id === undefined ? "person" : "run",
    run: run ? { run_id: run.runId, kind: run.kind, request: run.title, status: run.status } : null,
    restores: newest.restores ?? null,
    files_added: added.length,
    files_changed: changed.length + renamed.length,
    files_deleted: removed.length,
    ...(path !== undefined && { file: fileOf(is, path) }),
  }
}

function fileOf({ files }: Manifest, path: string): NonNullable<Version["file"]> {
  const file = files.find((one) => one.path === path)
  return { path, sha256: file?.sha256 ?? null, size_bytes: file?.size ?? null }
}
