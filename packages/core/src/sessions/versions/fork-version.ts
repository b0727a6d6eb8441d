import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import { copyContents } from "../../files/workspaces/copy-contents.ts"
import { emptyManifest } from "../../files/workspaces/tree-model.ts"
import type { SessionLife } from "../../files/worktrees/repository-credentials.ts"
import { sessionKey } from "../../ids.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import { reserveRunId } from "../../work/runs/idempotency.ts"
import { lifeOf } from "../moments/forking.ts"
import type { OwnerLimits } from "../owner-limits.ts"
import { sessionName } from "../session-name.ts"
import type { Sessions } from "../sessions.ts"
import { requireVersion } from "./read-versions.ts"
import { requireOwnFiles } from "./restore-version.ts"

interface Deps {
  records: Records
  blobs: Blobs
  clock: Clock
  sessions: Pick<Sessions, "touch" | "find" | "remove">
  limits: Pick<OwnerLimits, "requireBytes">
  newSessionId(): string
}

interface Fork {
  owner: string
  version: number
  /** The request's idempotency key. All requests with the same key return the same fork. */
  key?: string | undefined
  signal: AbortSignal
}

const MAX_NAME_CHARS = 100
const SUFFIX = " (copy)"

/**
 * Time limit for removing a failed fork. It is separate from the request's time limit, which may already be used up.
 */
const REMOVE_MS = 5_000

/**
 * Opens a new session with the files of a version, and returns its ID and name. The files are copied, so the new
 * session loses nothing if the original is deleted. If copying fails, the new session is removed, unless another
 * request with the same key has filled it.
 */
export async function forkVersion(
  deps: Deps,
  source: SessionHandle,
  { owner, version, key, signal }: Fork,
): Promise<{ id: string; name: string }> {
  requireOwnFiles(source.state, "Fork the chat instead.")
  const from = await requireVersion(deps, source, version, { signal })
  const life = lifeOf(source)
  const { files } = await createWorkspaceStore(deps.blobs, life).readManifest(from.manifest, { signal })
  const sessionId = await reserveSession(deps, life, { owner, version, key, signal })
  const name = sessionName(source.state)
  const copiedFrom = { session_id: source.sessionId, name, version }
  const copyName = `${Array.from(name)
    .slice(0, MAX_NAME_CHARS - SUFFIX.length)
    .join("")
    .trim()}${SUFFIX}`
  const opened = await deps.sessions.touch(owner, sessionId, { name: copyName, copiedFrom, active: true, signal })
  const { session } = opened
  // An earlier request with the same key has already copied the files.
  if (session.state.workspace.version > 0) return { id: sessionId, name: sessionName(session.state) }
  try {
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    await deps.limits.requireBytes(owner, sessionKey(owner, sessionId), bytes, { signal })
    const lives = { from: life, to: lifeOf(session) }
    const manifest = await copyContents(deps, lives, from.manifest, { signal })
    await commitChanges(deps, session, restoreChanges(emptyManifest, manifest), { signal })
  } catch (error) {
    await removeUnfilled(deps, owner, sessionId).catch(() => undefined)
    throw error
  }
  return { id: sessionId, name: copyName }
}

async function removeUnfilled({ sessions }: Deps, owner: string, sessionId: string): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_MS)
  const { state } = await sessions.find(owner, sessionId, { signal })
  if (state.workspace.version === 0) await sessions.remove(owner, sessionId, { signal })
}

async function reserveSession(
  deps: Deps,
  { sid, incarnation }: SessionLife,
  { owner, version, key, signal }: Fork,
): Promise<string> {
  const sessionId = deps.newSessionId()
  if (key === undefined) return sessionId
  const body = { fork_of: sid, incarnation, version }
  return (await reserveRunId(deps, { owner, key, body }, { runId: sessionId, sessionId }, { signal })).sessionId
}
