import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { FileEntry, Manifest, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { seqRange } from "../events/event-page.ts"
import type { PreviewGrant } from "./preview-grant.ts"

/** The page to preview at a moment of a session. */
export interface PreviewPage extends WorkspaceVersion {
  /** The event that committed this version; null for the newest. */
  seq: number | null
  /** The path of the page to begin with; null if there is none. */
  entry: string | null
}

/** One version of a session's files, to be served as they are. */
export interface Preview {
  stat: Workspace["stat"]
  read(file: FileEntry, options: { signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>>
}

export interface PreviewDeps extends SessionLogDeps {
  blobs: Blobs
}

/** The page to preview: of the newest files, or of those at an event. */
export async function findPreviewPage(
  deps: PreviewDeps,
  session: SessionHandle,
  at: number | undefined,
  options: { signal: AbortSignal },
): Promise<PreviewPage> {
  const { version, manifest } = session.state.workspace
  const found = at === undefined ? { version, manifest, seq: null } : await findVersionAt(deps, session, at, options)
  const workspace = await openWorkspace(deps, session, { at: found, ...options })
  return { ...found, entry: entryOf(workspace.manifest) }
}

/** The version of the files at an event, and the event that committed it; version 0 before the first file. */
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

/** The files that a grant shows, or `server` for what isn't files; undefined once the session, or this life of it, is gone. */
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

/** The version of a grant, which names no other event than a commit. */
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
  throw new Error(`The event ${seq} is no commit.`)
}

/** The last commit up to this event; undefined where there was none yet. */
async function lastCommit(
  { log }: PreviewDeps,
  { sid, state }: SessionHandle,
  at: number,
  options: { signal: AbortSignal },
): Promise<(WorkspaceVersion & { seq: number }) | undefined> {
  const { first, head } = seqRange(state)
  let window = 1
  // A client that knows the commit asks for that very event, so one is looked at first.
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

/** The `index.html` at the root, else the one that is least deep. */
function entryOf({ files }: Manifest): string | null {
  const pages = files.map(({ path }) => path).filter((path) => /(^|\/)index\.html?$/i.test(path))
  const depth = (path: string) => path.split("/").length
  return pages.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))[0] ?? null
}
