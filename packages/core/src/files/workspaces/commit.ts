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
import type { CommittedChange } from "./schema.ts"
import { putContents, splitContents } from "./stored-changes.ts"

export interface CommitOptions {
  /** The step of a run that this commit finishes; the guard sets the run. A finished step is not committed again. */
  step?: string
  /**
   * The version on which the changes are based: they fail with `workspace_conflict` where the same file or folder has
   * changed since. Without it, they are applied to whatever is there.
   */
  base?: WorkspaceVersion
  /** Makes the rule that decides whether these events may be appended. Without it, they may while the session exists. */
  guard?: (events: NewEvent[]) => Rule
  signal: AbortSignal
}

/** The version that has the changes. */
export interface Committed extends WorkspaceVersion {
  /** The appended events: none if there was nothing to change, or the step was finished already. */
  events: LogEvent[]
}

/**
 * Makes a new version of the files: all changes or none. The blobs and the manifest are put first, and the event that
 * refers to them is the commit. Where another version is committed first, the changes are applied to that one instead.
 */
export async function commitChanges(
  { blobs }: { blobs: Blobs },
  session: SessionLog,
  changes: Change[],
  options: CommitOptions,
): Promise<Committed> {
  const { step, base, guard = (events) => () => events, signal } = options
  const { incarnation } = (await session.catchUp({ signal })).session
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation })
  const baseManifest = base && (await store.readManifest(base.manifest, { signal }))
  const { stored, contents } = splitContents(changes)
  const ruleFor = (events: NewEvent[]) => inIncarnation(incarnation, unlessStepDone(step, guard(events)))

  /** The events of the version after `state`, once everything that they refer to is stored. */
  async function nextVersion({ workspace }: SessionState): Promise<NewEvent[]> {
    const head = await store.readManifest(workspace.manifest, { signal })
    if (baseManifest && base?.version !== workspace.version) assertUnchangedSince(baseManifest, head, stored)
    const { manifest, committed } = applyChanges(head, stored)
    if (committed.length === 0 && step === undefined) return []
    // Blobs that the log refers to are safe. Any other is put again, even if it exists: it may be old enough to be collected.
    for (const file of head.files) contents.delete(file.sha256)
    await putContents(store, contents, signal)
    const sha256 = await store.writeManifest(manifest, { signal })
    return [{ ...commitEvent(workspace, sha256, committed, step), file_count: manifest.files.length }]
  }

  for (;;) {
    const { state } = session
    const allowed = ruleFor([commitEvent(state.workspace, "", [], step)])(state)
    if (allowed instanceof AppError) throw allowed
    if (allowed.length === 0) return { ...versionOf([], state), events: [] }

    const events = await nextVersion(state)
    const outdated = new AppError("storage_conflict", "Another version came first.")
    try {
      const appended = await session.decide(whileVersion(state.workspace, ruleFor(events), outdated), { signal })
      return { ...versionOf(appended, session.state), events: appended }
    } catch (error) {
      if (error !== outdated) throw error
    }
  }
}

/** A commit belongs to the incarnation of the session in which it began: its blobs are deleted with that. */
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

/** Applies the rule only while `version` is still the newest. */
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
