import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { FileEntry, Manifest, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { resultOf } from "../../files/workspaces/project-files.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { seqRange } from "../events/event-page.ts"
import type { PreviewGrant } from "./preview-grant.ts"

/** Page to preview at a moment in a session. */
export interface PreviewPage extends WorkspaceVersion {
  /** Sequence number of the event that committed this version, or null for the newest version. */
  seq: number | null
  /** Path of the first page, or null if there is none. */
  entry: string | null
}

/** One version of a session's files, served as they are. */
export interface Preview {
  stat: Workspace["stat"]
  read(file: FileEntry, options: { signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>>
}

export interface PreviewDeps extends SessionLogDeps {
  blobs: Blobs
}

/** Returns the page to preview, from the newest files or from the files at an event. */
export async function findPreviewPage(
  deps: PreviewDeps,
  session: SessionHandle,
  at: number | undefined,
  options: { signal: AbortSignal },
): Promise<PreviewPage> {
  const { version, manifest } = session.state.workspace
  const found = at === undefined ? { version, manifest, seq: null } : await findVersionAt(deps, session, at, options)
  const workspace = await openWorkspace(deps, session, { at: found, ...options })
  return { ...found, entry: entryOf(resultOf(workspace.manifest, session.state)) }
}

/** Returns the version of the files at an event, and the event that committed it. Version 0 means no files yet. */
export async function findVersionAt(
  deps: PreviewDeps,
  session: SessionHandle,
  at: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion & { seq: number | null }> {
  const commit = await lastCommit(deps, session, at, options)
  if (!commit) return { version: 0, manifest: null, seq: null }
  const { version, manifest, seq } = commit
  return { version, manifest, seq }
}

/**
 * Returns the files that a grant gives access to, or `server` for the project's server. Undefined if the session or
 * this incarnation is gone.
 */
export async function openPreview(
  deps: PreviewDeps,
  { sid, incarnation, seq }: PreviewGrant,
  options: { signal: AbortSignal },
): Promise<Preview | "server" | undefined> {
  const session = await openSessionLog(deps, sid, options)
  if (!isLive(session.state) || session.state.session.incarnation !== incarnation) return undefined
  if (seq === "server") return seq
  const at = seq === null ? session.state.workspace : await commitAt(deps, sid, seq, options)
  const { stat } = await openWorkspace(deps, session, { at, ...options })
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation })
  return { stat, read: ({ sha256 }, options) => store.read(sha256, options) }
}

/** Returns the version that a grant refers to. Grants refer only to events that are commits. */
async function commitAt(
  { log }: PreviewDeps,
  sid: string,
  seq: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  for await (const event of log.read(logName(sid), seq - 1, options)) {
    if (event.type === "workspace_committed") return event
    break
  }
  throw new Error(`Event ${seq} is not a commit.`)
}

/** Returns the last commit up to this event; undefined if there is none. */
async function lastCommit(
  { log }: PreviewDeps,
  { sid, state }: SessionHandle,
  at: number,
  options: { signal: AbortSignal },
): Promise<(WorkspaceVersion & { seq: number }) | undefined> {
  const { first, head } = seqRange(state)
  let window = 1
  // Clients often ask for the exact event of a commit, so the first window is one event.
  for (let end = Math.min(at, head); end >= first; end -= window, window *= WINDOW_GROWTH) {
    let found: (WorkspaceVersion & { seq: number }) | undefined
    for await (const event of log.read(logName(sid), Math.max(first, end - window + 1) - 1, options)) {
      if (event.seq > end) break
      if (event.type === "workspace_committed") found = event
    }
    if (found) return found
  }
}

const WINDOW_GROWTH = 30

/** Returns the path of the `index.html` in the root, or else of the one nearest to the root. */
function entryOf({ files }: Manifest): string | null {
  const pages = files.map(({ path }) => path).filter((path) => /(^|\/)index\.html?$/i.test(path))
  const depth = (path: string) => path.split("/").length
  return pages.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))[0] ?? null
}
