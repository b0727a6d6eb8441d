import { AppError } from "../../errors.ts"
import type { LogEvent, NewEvent } from "../../events.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { createWorkspaceStore } from "./blob-store.ts"
import { applyChanges } from "./changes.ts"
import { assertUnchangedSince } from "./conflicts.ts"
import type { Change, WorkspaceVersion } from "./manifest.ts"
import type { CommittedChange, Restoration } from "./schema.ts"
import { putContents, splitContents } from "./stored-changes.ts"

export interface CommitOptions {
  /**
   * Step that this commit finishes, in the run to which the guard applies. If the step is already finished, nothing is
   * committed.
   */
  step?: string
  /**
   * Version on which the changes are based. If a touched file or folder has changed since that version, the commit
   * fails with `workspace_conflict`. If omitted, the changes apply to the current version.
   */
  base?: WorkspaceVersion
  /** Earlier version that this commit restores. */
  restores?: Restoration
  /** Creates the rule that decides whether these events may be appended. By default, the session only has to exist. */
  guard?: (events: NewEvent[]) => Rule
  signal: AbortSignal
}

/** The new version. */
export interface Committed extends WorkspaceVersion {
  /** Appended events. Empty if nothing changed or the step was already finished. */
  events: LogEvent[]
}

/**
 * Commits all changes as a new version, or none of them. The blobs and the manifest are stored first. The commit takes
 * effect with the event that refers to them. If another version is committed first, the changes are applied to that
 * version.
 */
export async function commitChanges(
  { blobs }: { blobs: Blobs },
  session: SessionLog,
  changes: Change[],
  options: CommitOptions,
): Promise<Committed> {
  const { step, base, restores, guard = (events) => () => events, signal } = options
  const { incarnation } = (await session.catchUp({ signal })).session
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation })
  const baseManifest = base && (await store.readManifest(base.manifest, { signal }))
  const { stored, contents } = splitContents(changes)
  const ruleFor = (events: NewEvent[]) => inIncarnation(incarnation, unlessStepDone(step, guard(events)))

  /**
   * Returns the events for the version after `state`. Everything that they refer to is stored before they are returned.
   */
  async function nextVersion({ workspace }: SessionState): Promise<NewEvent[]> {
    const head = await store.readManifest(workspace.manifest, { signal })
    if (baseManifest && base?.version !== workspace.version) assertUnchangedSince(baseManifest, head, stored)
    const { manifest, committed } = applyChanges(head, stored)
    if (committed.length === 0 && step === undefined) return []
    // Garbage collection never removes blobs that the log refers to. Other blobs are stored again even if they exist,
    // because they may be old enough to be removed.
    for (const file of head.files) contents.delete(file.sha256)
    await putContents(store, contents, signal)
    const sha256 = await store.writeManifest(manifest, { signal })
    const event = commitEvent(workspace, sha256, committed, step)
    return [{ ...event, file_count: manifest.files.length, ...(restores && { restores }) }]
  }

  for (;;) {
    const { state } = session
    const allowed = ruleFor([commitEvent(state.workspace, "", [], step)])(state)
    if (allowed instanceof AppError) throw allowed
    if (allowed.length === 0) return { ...versionOf([], state), events: [] }

    const events = await nextVersion(state)
    const outdated = new AppError("storage_conflict", "Another version was committed first.")
    try {
      const appended = await session.decide(whileVersion(state.workspace, ruleFor(events), outdated), { signal })
      return { ...versionOf(appended, session.state), events: appended }
    } catch (error) {
      if (error !== outdated) throw error
    }
  }
}

/**
 * Limits a commit to the session incarnation in which it began, because the commit's blobs are deleted with that
 * incarnation.
 */
function inIncarnation(incarnation: number, rule: Rule): Rule {
  return inLiveSession((state) =>
    state.session.incarnation === incarnation
      ? rule(state)
      : new AppError("session_deleted", "This session was deleted."),
  )
}

function unlessStepDone(step: string | undefined, rule: Rule): Rule {
  return (state) => {
    const verdict = rule(state)
    if (verdict instanceof AppError || step === undefined) return verdict
    const done = verdict.some(({ run_id: runId = "" }) => state.runs.byId[runId]?.doneSteps.includes(step))
    return done ? [] : verdict
  }
}

/** Applies the rule only while `version` is the newest version. */
function whileVersion({ version }: WorkspaceVersion, rule: Rule, otherwise: AppError): Rule {
  return (state) => {
    const verdict = rule(state)
    if (verdict instanceof AppError || state.workspace.version === version) return verdict
    return otherwise
  }
}

function commitEvent(
  { version }: WorkspaceVersion,
  manifest: string,
  changes: CommittedChange[],
  step?: string,
): Extract<NewEvent, { type: "workspace_committed" }> {
  return { type: "workspace_committed", version: version + 1, manifest, changes, ...(step !== undefined && { step }) }
}

function versionOf(appended: LogEvent[], { workspace }: SessionState): WorkspaceVersion {
  const commit = appended.find((event) => event.type === "workspace_committed")
  const { version, manifest } = commit ?? workspace
  return { version, manifest }
}
