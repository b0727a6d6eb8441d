import type { CommandDeps } from "../../agents/runner/worktree-commands.ts"
import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import type { StoredChange, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Records } from "../../storage/records.ts"
import { rewindChat } from "../../work/chat/rules.ts"
import { readEvents } from "../events/event-page.ts"
import { rewindRepository } from "./repository-rewind.ts"

interface Deps extends CommandDeps {
  records: Records
}

interface Moment {
  /** Everything after this event is undone. */
  toSeq: number
  signal: AbortSignal
}

/** Takes the conversation that is open back to a moment, and the files with it if that is asked for: both or neither. */
export async function rewind(
  deps: Deps,
  { session, handle }: { session: SessionLog; handle: SessionHandle },
  { toSeq, files, ...options }: Moment & { files: boolean },
): Promise<void> {
  const { chatId } = session.state.chat
  if (chatId === null) throw new AppError("not_found", "There is no conversation to be rewound.")
  requireMoment(handle, toSeq)
  if (files && session.state.session.repository !== null) {
    return rewindRepository(deps, session, { chatId, toSeq }, options)
  }
  const rule = inLiveSession(rewindChat(chatId, toSeq, files))
  const changes = files ? await changesTo(deps, handle, await versionAt(deps, handle, toSeq, options), options) : []
  if (changes.length === 0) {
    await session.decide(rule, options)
    return
  }
  await commitChanges(deps, session, changes, {
    base: session.state.workspace,
    guard: (events) => (state) => {
      const verdict = rule(state)
      return verdict instanceof AppError ? verdict : [...verdict, ...events]
    },
    ...options,
  })
}

/** Refuses what is no event of the session. */
export function requireMoment({ state }: SessionHandle, toSeq: number): void {
  const first = state.session.since?.seq ?? 1
  if (toSeq >= first && toSeq <= state.head) return
  throw new AppError("validation_error", "This session has no such moment.", { to_seq: toSeq, latest_seq: state.head })
}

/** The version of the files after an event. */
export async function versionAt(
  deps: Pick<Deps, "log" | "blobs">,
  handle: SessionHandle,
  toSeq: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  const types = new Set(["workspace_committed"])
  const first = handle.state.session.since?.seq ?? 1
  for (let before = toSeq + 1; before > first; ) {
    const page = await readEvents(deps, handle, { before }, { limit: 1, types, ...options })
    const [event] = page.events
    if (event?.type === "workspace_committed") {
      const { version, manifest } = event as unknown as WorkspaceVersion
      return { version, manifest }
    }
    before = page.from_seq
  }
  return { version: 0, manifest: null }
}

async function changesTo(
  { blobs }: Deps,
  { sid, state }: SessionHandle,
  version: WorkspaceVersion,
  options: { signal: AbortSignal },
): Promise<StoredChange[]> {
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const [now, then] = await Promise.all([
    store.readManifest(state.workspace.manifest, options),
    store.readManifest(version.manifest, options),
  ])
  return restoreChanges(now, then)
}
