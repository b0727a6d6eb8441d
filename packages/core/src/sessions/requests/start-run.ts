import type { NewRunRequest } from "../../agents/tasks/request.ts"
import { AppError } from "../../errors.ts"
import { isHttp, type Remote } from "../../files/worktrees/remote.ts"
import type { SessionLife } from "../../files/worktrees/repository-credentials.ts"
import type { NewId } from "../../ids.ts"
import { storeArtifact } from "../../kernel/artifact.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import { reserveRunId } from "../../work/runs/idempotency.ts"
import { isForRunner, isFree } from "../../work/runs/kinds.ts"
import type { CreateRun, IdentifiedRun, NewRun } from "../../work/runs/run-starts.ts"
import type { LocatedRun, RequireOwnerBudget, Runs } from "../../work/runs/runs.ts"
import type { RunState } from "../../work/runs/state.ts"
import type { OwnerLimits } from "../owner-limits.ts"
import type { AccessDeps } from "../repository-access.ts"
import type { Sessions } from "../sessions.ts"
import { bindSession, type ParsedRun, parseRun, type RunCaller, type RunRequestDeps } from "./run-request.ts"

export interface StartRunDeps extends AccessDeps {
  blobs: Blobs
  runs: Runs
  sessions: Sessions
  limits: OwnerLimits
  budgets: RequireOwnerBudget
}

/** Starts a run in its session. Opens the session if necessary, and moves it to the top of its owner's list. */
export async function startRun(deps: StartRunDeps, run: NewRun, options: { signal: AbortSignal }): Promise<RunState> {
  const session = await prepare(deps, [run], options)
  for (const bytes of run.artifacts ?? []) await storeArtifact(deps.blobs, session, bytes, options)
  return deps.runs.start(run, options)
}

/**
 * Starts several runs together in one session. Each run must meet the requirements of `startRun`. See
 * `Runs.startTogether`.
 */
export async function startRuns(
  deps: StartRunDeps,
  { runs, rule }: { runs: IdentifiedRun[]; rule: (create: CreateRun) => Rule },
  options: { signal: AbortSignal },
): Promise<void> {
  if (runs.length > 0) await prepare(deps, runs, options)
  await deps.runs.startTogether(runs, rule, options)
}

/** Opens the session for the runs, if the owner's limits allow the runs. */
async function prepare(deps: StartRunDeps, all: NewRun[], options: { signal: AbortSignal }): Promise<SessionLife> {
  const { sessions, limits, budgets } = deps
  const [run] = all
  if (!run) throw new AppError("internal_error", "There is no run to start.")
  const { owner, sid, remote } = run
  if (!isFree(run)) await budgets.require(owner, options)
  const newBytes = (run.artifacts ?? []).reduce((sum, { byteLength }) => sum + byteLength, 0)
  await limits.requireBytes(owner, sid, newBytes, options)
  const terminals = all.filter(isForRunner).length
  if (terminals > 0) await limits.requireTerminal(owner, sid, { count: terminals, ...options })
  if (remote) await requireAccessOnce(deps, owner, { sessionId: run.sessionId, remote }, options)
  const { session } = await sessions.touch(owner, run.sessionId, { active: true, remote, ...options })
  return { sid, incarnation: session.state.session.incarnation }
}

/**
 * Checks that a new session's repository is accessible. A session that already has a repository keeps it, and errors
 * are reported by its runner.
 */
async function requireAccessOnce(
  deps: StartRunDeps,
  owner: string,
  { sessionId, remote }: { sessionId: string; remote: Remote },
  options: { signal: AbortSignal },
): Promise<void> {
  const state = await deps.sessions.peek(owner, sessionId, options)
  if (state?.session.repository || !isHttp(remote.url)) return
  // Load the module on demand, because few requests open a session with a repository.
  const { requireAccess } = await import("../repository-access.ts")
  await requireAccess(deps, owner, remote, options)
}

/** Dependencies for starting a run at most once per idempotency key. */
export interface StartOnceDeps extends StartRunDeps {
  records: Records
  clock: Clock
  newId: NewId
  newSessionId: () => string
}

/** Starts the run that a request describes. Throws the errors of `parseRun` and `startRunOnce`. */
export async function requestRun(
  deps: RunRequestDeps & StartOnceDeps,
  caller: RunCaller,
  request: NewRunRequest,
  { key, ...options }: ProtectedOptions & { key: string | undefined },
): Promise<LocatedRun> {
  const parsed = await parseRun(deps, caller, request, options)
  const { workspace: workspace_id, remote } = parsed
  // The key and the repository's credentials aren't part of the request's identity.
  const body = { ...request, api_key: undefined, workspace_id, ...(remote && { repository: remote.url }) }
  return startRunOnce(deps, parsed, { key, body, ...options })
}

/**
 * Starts a run in the named session, or in a new one. All requests with the same idempotency key return the same run.
 * Throws `idempotency_conflict` if the key is reused with a different body.
 */
export async function startRunOnce(
  deps: StartOnceDeps,
  parsed: ParsedRun,
  { key, body, ...options }: { key: string | undefined; body: unknown; signal: AbortSignal },
): Promise<LocatedRun> {
  const { owner } = parsed
  const fresh = { runId: deps.newId("run"), sessionId: parsed.workspace ?? deps.newSessionId() }
  const { runId, sessionId, repeated } =
    key === undefined ? { ...fresh, repeated: false } : await reserveRunId(deps, { owner, key, body }, fresh, options)
  const earlier = repeated ? await deps.runs.findRepeated(owner, runId, options) : undefined
  if (earlier) return earlier
  await startRun(deps, { ...bindSession(parsed, sessionId), runId, repeatable: key !== undefined }, options)
  return deps.runs.get(owner, runId, options)
}
