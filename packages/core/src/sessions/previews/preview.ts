import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { FileEntry, Manifest, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { resultOf } from "../../files/workspaces/project-files.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { seqRange } from "../events/event-page.ts"
import type { PreviewGrant } from "./preview-grant.ts"

/** Page to preview, as of a given event in the session. */
export interface PreviewPage extends WorkspaceVersion {
  /** Value of the grant's `seq` field that shows this page. */
  seq: PreviewGrant["seq"]
  /** Path of the page to open, or null if there is none. */
  entry: string | null
  /** True if the page is build output. */
  built: boolean
  /** True if the page must be built before it can be shown, and no build output is stored. */
  needsBuild: boolean
}

/** One immutable version of a session's files. */
export interface Preview {
  stat: Workspace["stat"]
  read(file: FileEntry, options: { signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>>
}

export interface PreviewDeps extends SessionLogDeps {
  blobs: Blobs
}

/**
 * Returns the page to preview, either from the newest files or from the files at an event. If browsers can't run that
 * page, or if there is no page, returns the build output of the same version.
 */
export async function findPreviewPage(
  deps: PreviewDeps,
  session: SessionHandle,
  at: number | undefined,
  options: { signal: AbortSignal },
): Promise<PreviewPage> {
  const { version, manifest } = session.state.workspace
  const found = at === undefined ? { version, manifest, seq: null } : await findVersionAt(deps, session, at, options)
  const workspace = await openWorkspace(deps, session, { at: found, ...options })
  const entry = entryOf(resultOf(workspace.manifest, session.state))
  // Load the module on demand, because it contains a parser.
  const { needsBuild } = await import("../../work/gate/needs-build.ts")
  const isLacking = entry !== null && (await needsBuild(workspace, entry, options))
  const output = session.state.preview.outputs.find(({ version }) => version === found.version)
  if (!output || (entry !== null && !isLacking)) return { ...found, entry, built: false, needsBuild: isLacking }
  const seq = at === undefined ? "build" : output.seq
  return { ...found, seq, entry: "index.html", built: true, needsBuild: false }
}

/**
 * Returns the version of the files at an event, and the event that committed it. Version 0 means that there were no
 * files yet.
 */
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
 * Returns the files that a grant gives access to, or `server` for the project's server. Undefined if the session, or
 * this incarnation of it, is gone.
 */
export async function openPreview(
  deps: PreviewDeps,
  { sid, incarnation, seq }: PreviewGrant,
  options: { signal: AbortSignal },
): Promise<Preview | "server" | undefined> {
  const session = await openSessionLog(deps, sid, options)
  if (!isLive(session.state) || session.state.session.incarnation !== incarnation) return undefined
  if (seq === "server") return seq
  const at = await filesAt(deps, session, seq, options)
  if (!at) return undefined
  const { stat } = await openWorkspace(deps, session, { at, ...options })
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation })
  return { stat, read: ({ sha256 }, options) => store.read(sha256, options) }
}

/** Returns the files that a grant refers to. Undefined if it refers to the newest build output and there is none. */
async function filesAt(
  { log }: PreviewDeps,
  { sid, state }: Pick<SessionHandle, "sid" | "state">,
  seq: Exclude<PreviewGrant["seq"], "server">,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion | undefined> {
  if (seq === null) return state.workspace
  if (seq === "build") return state.preview.outputs.at(-1)
  for await (const event of log.read(logName(sid), seq - 1, options)) {
    if (event.type === "workspace_committed") return event
    if (event.type === "build_output_stored") return { version: event.workspace_version, manifest: event.manifest }
    break
  }
  throw new Error(`Event ${seq} stored no files.`)
}

/** Returns the last commit up to and including this event. Undefined if there is none. */
async function lastCommit(
  { log }: PreviewDeps,
  { sid, state }: SessionHandle,
  at: number,
  options: { signal: AbortSignal },
): Promise<(WorkspaceVersion & { seq: number }) | undefined> {
  const { first, head } = seqRange(state)
  let window = 1
  // Clients often request a commit by its exact event, so the first window contains a single event.
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

/** Returns the path of the `index.html` that is nearest to the root. */
function entryOf({ files }: Manifest): WorkspacePath | null {
  const pages = files.map(({ path }) => path).filter((path) => /(^|\/)index\.html?$/i.test(path))
  const depth = (path: string) => path.split("/").length
  return pages.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))[0] ?? null
}
