import type { EventOf, LogEvent } from "../../events.ts"
import type { NewId } from "../../ids.ts"
import type { SessionState } from "../../state.ts"
import { type RunContext, RunParked } from "../runs/run-context.ts"
import type { SessionlessRun } from "../runs/run-starts.ts"
import { isEnded, runOf } from "../runs/state.ts"
import { CHECKER, type CheckCommands, type CheckInput, type Verdict } from "./schema.ts"
import { notRun } from "./verdict.ts"

/** Verdict of a check, and the shortened output of its last command. */
export interface Shown {
  verdict: Verdict
  output: string
}

/** Checks whether the built project works, regardless of what the model claims. */
export type Gate = ReturnType<typeof createGate>

/** Files to check instead of the session's: a team node's files, or the session's files with earlier tests. */
export type FilesToCheck = (
  | { nodeId: string; testsOf?: undefined }
  | { nodeId?: undefined /** Version of the tests. */; testsOf: string }
) & {
  commands: CheckCommands
  /** Stores the manifest of these files and returns its hash. Called once per round. */
  store(): Promise<string>
}

/** A check requested by a run. */
export type CheckRun = SessionlessRun & { kind: "check"; input: CheckInput; runId: string }

/** Starts a check in a run's session, on behalf of the run's owner. Idempotent by check ID. */
export type StartCheck = (
  asking: { runId: string },
  check: Omit<CheckRun, "owner">,
  options: { signal: AbortSignal },
) => Promise<void>

export interface GateDeps {
  context: Pick<RunContext<unknown>, "runId" | "signal" | "state" | "catchUp" | "history" | "write">
  newId: NewId
  /** Undefined if this run isn't allowed to run checks. */
  startCheck: StartCheck | undefined
  /** Agent that runs the checks, one at a time. `CHECKER` by default. */
  agentId?: string
  /** Returns the manifest of the files to check, if they include more than the session's own files. */
  readManifest?: (() => Promise<string | null>) | undefined
}

export function createGate({ context, newId, startCheck, agentId = CHECKER, readManifest }: GateDeps) {
  const { signal } = context

  let requests: Promise<Map<string, CheckRequest>> | undefined

  /**
   * Reads the checks requested so far, by round. The result is cached, because from then on only this executor requests
   * checks.
   */
  function readRequests(): Promise<Map<string, CheckRequest>> {
    requests ??= requestsIn(context.history())
    return requests
  }

  async function ask(round: number, files: FilesToCheck | undefined): Promise<CheckRequest> {
    const workspace_version = context.state().workspace.version
    const about = files && { node_id: files.nodeId, tests_of: files.testsOf }
    const manifest = (await (files ? files.store() : readManifest?.())) ?? undefined
    const request = { check_run_id: newId("run"), workspace_version, round, ...about, manifest }
    await context.write([{ type: "check_requested", ...request }])
    return request
  }

  return {
    /** Returns true if this executor or an earlier one has requested the check of this round. */
    async isAsked(round: number): Promise<boolean> {
      return startCheck !== undefined && (await readRequests()).has(keyOf({ round }))
    },
    /**
     * Returns the result of checking the files in this round of repairs. Requests the check if necessary. Throws
     * `RunParked` until the check has ended, after which the next executor calls `show` again.
     */
    async show(round: number, files?: FilesToCheck): Promise<Shown> {
      if (!startCheck) return { verdict: notRun(NOT_ASKED), output: "" }
      const known = await readRequests()
      const key = keyOf({ round, tests_of: files?.testsOf })
      const request = known.get(key) ?? (await ask(round, files))
      known.set(key, request)
      const { check_run_id: runId, workspace_version, manifest } = request
      const state = await context.catchUp()
      const run = runOf(state, runId)
      if (run && isEnded(run)) return readResult(context, run)
      const { version } = state.workspace
      // A request for a team's node or a repository has its own manifest.
      const isOfSession = files ? files.nodeId === undefined : manifest === undefined
      if (!run && isOfSession && version !== workspace_version)
        return { verdict: notRun(CHANGED, { workspace_version }), output: "" }
      const input = inputOf(state, request, files)
      if (!run) await startCheck(context, { runId, kind: "check", model: "none", agentId, input }, { signal })
      throw new RunParked("what was built is being checked", { run: runId })
    },
  }
}

const NOT_ASKED = "No check was requested, or checks can't run here."
const CHANGED = "The files changed before the check could start."

type CheckRequest = Pick<EventOf<"check_requested">, "check_run_id" | "workspace_version" | "manifest">

function inputOf(
  { workspace }: SessionState,
  { workspace_version, manifest }: CheckRequest,
  files: FilesToCheck | undefined,
): CheckInput {
  if (files) {
    const about = { node_id: files.nodeId, tests_of: files.testsOf }
    return { workspace_version, manifest: manifest ?? null, commands: files.commands, ...about }
  }
  return { workspace_version, manifest: manifest ?? workspace.manifest, commands: workspace.checkCommands }
}

async function requestsIn(history: AsyncIterable<LogEvent>): Promise<Map<string, CheckRequest>> {
  const requests = new Map<string, CheckRequest>()
  for await (const event of history) if (event.type === "check_requested") requests.set(keyOf(event), event)
  return requests
}

/**
 * Returns the key of a check request. A round has at most two checks: one with the current tests and one with earlier
 * tests.
 */
function keyOf({ round, tests_of }: Pick<EventOf<"check_requested">, "round" | "tests_of">): string {
  return `${round} ${tests_of === undefined ? "own" : "earlier"}`
}

/**
 * Reads the result of a finished check. If the check run itself failed, the verdict is `not_run`, because such a
 * failure says nothing about the project.
 */
async function readResult(
  { history }: GateDeps["context"],
  check: { runId: string; firstSeq: number },
): Promise<Shown> {
  let output = ""
  for await (const event of history(check)) {
    if (event.type === "check_finished") output = event.output
    if (event.type === "run_completed" && event.verdict) return { verdict: event.verdict, output }
    if (event.type === "run_failed") return { verdict: notRun(event.message), output }
    if (event.type === "run_cancelled") return { verdict: notRun("The check was cancelled."), output }
  }
  return { verdict: notRun("The check left no result."), output }
}
