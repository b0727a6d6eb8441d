import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { restoreChanges } from "../../files/workspaces/compare.ts"
import type { StoredChange, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { requestRewind, rewindChat } from "../../work/chat/rules.ts"
import { MOMENT_AGENT } from "../../work/chat/schema.ts"
import { agentsUnavailable, type Launcher } from "../../work/runs/launcher.ts"
import { runInWorktree } from "../../work/runs/state.ts"
import { type StartRunDeps, startRun } from "../requests/start-run.ts"
import { requireMoment, versionAt } from "./moment.ts"
import { readingBefore } from "./repository-rewind.ts"

interface Deps extends StartRunDeps {
  log: Log
  blobs: Blobs
  records: Records
  launcher: Pick<Launcher, "serve">
}

interface Rewinding {
  owner: string
  session: SessionLog
  handle: SessionHandle
}

interface Moment {
  /** Everything after this event is undone. */
  toSeq: number
  signal: AbortSignal
}

/**
 * Rewinds the open conversation to the given event. With `files`, also rewinds the files; then either both are rewound
 * or neither. Rewinding a repository's files needs a run. The run is returned once it has started, and the chat shows
 * its outcome.
 */
export async function rewind(
  deps: Deps,
  { owner, session, handle }: Rewinding,
  { toSeq, files, ...options }: Moment & { files: boolean },
): Promise<{ runId: string } | undefined> {
  const { chatId } = session.state.chat
  if (chatId === null) throw new AppError("not_found", "There is no conversation to rewind.")
  requireMoment(handle, toSeq)
  if (files && session.state.session.repository !== null) {
    return startRepositoryRewind(deps, { owner, session, handle }, { chatId, toSeq }, options)
  }
  const rule = inLiveSession(rewindChat(chatId, toSeq, files))
  const then = files ? await versionAt(deps, handle, toSeq, options) : undefined
  const changes = then ? await changesTo(deps, handle, then, options) : []
  if (changes.length === 0) {
    await session.decide(rule, options)
    return undefined
  }
  await commitChanges(deps, session, changes, {
    base: session.state.workspace,
    ...(then && { restores: { version: then.version } }),
    guard: (events) => (state) => {
      const verdict = rule(state)
      return verdict instanceof AppError ? verdict : [...verdict, ...events]
    },
    ...options,
  })
  return undefined
}

/** Starts the run that rewinds a repository. Throws immediately if it is already clear that the run would fail. */
async function startRepositoryRewind(
  deps: Deps,
  { owner, session, handle }: Rewinding,
  { chatId, toSeq }: { chatId: string; toSeq: number },
  options: { signal: AbortSignal },
): Promise<{ runId: string }> {
  if (!deps.launcher.serve) throw agentsUnavailable()
  const refused = requestRewind("", { chatId, toSeq })(session.state)
  if (refused instanceof AppError) throw refused
  const working = runInWorktree(session.state)
  if (working) {
    throw new AppError("worktree_busy", "An agent is working in this worktree.", { run_id: working.runId })
  }
  const reading = await readingBefore(deps, session, toSeq, options)
  if (!reading) throw new AppError("not_found", "This chat has never read the repository's files.")
  const input = { chat_id: chatId, to_seq: toSeq }
  const alongside = (runId: string) => requestRewind(runId, { chatId, toSeq })
  const about = { owner, sid: session.sid, sessionId: handle.sessionId, agentId: MOMENT_AGENT, model: "none" }
  return startRun(deps, { ...about, kind: "rewind", input, alongside }, options)
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
