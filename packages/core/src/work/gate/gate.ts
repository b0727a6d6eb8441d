import type { EventOf, LogEvent } from "../../events.ts"
import type { NewId } from "../../ids.ts"
import type { SessionState } from "../../state.ts"
import { type RunContext, RunParked } from "../runs/run-context.ts"
import type { SessionlessRun } from "../runs/run-starts.ts"
import { isEnded, runOf } from "../runs/state.ts"
import { CHECKER, type CheckCommands, type CheckInput, type Verdict } from "./schema.ts"
import { notRun } from "./verdict.ts"

/** The result of a check, with the end of what its last command printed. */
export interface Shown {
  verdict: Verdict
  output: string
}

/** Has the platform itself find out whether what a run built works. */
export interface Gate {
  /** Whether this round's check was asked for, by this executor or an earlier one. */
  isAsked(round: number): Promise<boolean>
  /**
   * Returns what running the files shows, in this round of mending. Asks for a check and parks the run until it has ended:
   * throws `RunParked` then, and is called again by whoever goes on.
   */
  show(round: number, files?: FilesToCheck): Promise<Shown>
}

/** Files that are checked in place of the session's: those of a team's node, or the session's with earlier tests. */
export type FilesToCheck = (
  | { nodeId: string; testsOf?: undefined }
  | { nodeId?: undefined /** The version of the tests. */; testsOf: string }
) & {
  commands: CheckCommands
  /** Stores the list of the files, and resolves to its hash: called once for a round. */
  store(): Promise<string>
}

/** A check that a run asks for. */
export type CheckRun = SessionlessRun & { kind: "check"; input: CheckInput; runId: string }

/** Starts a check in the session of a run, for its owner; as often as one likes, for its id is used once. */
export type StartCheck = (
  asking: { runId: string },
  check: Omit<CheckRun, "owner">,
  options: { signal: AbortSignal },
) => Promise<void>

export interface GateDeps {
  context: Pick<RunContext<unknown>, "runId" | "signal" | "state" | "catchUp" | "history" | "write">
  newId: NewId
  /** Absent where nothing shall be run. */
  startCheck: StartCheck | undefined
  /** The agent that the checks belong to, of which it has one at a time; `CHECKER` if it isn't named. */
  agentId?: string
}

export function createGate({ context, newId, startCheck, agentId = CHECKER }: GateDeps): Gate {
  const { signal } = context

  let requests: Promise<Map<string, CheckRequest>> | undefined

  /** The checks that were asked for, by round. Read once: from then on, this executor alone asks for more. */
  function readRequests(): Promise<Map<string, CheckRequest>> {
    requests ??= requestsIn(context.history())
    return requests
  }

  async function ask(round: number, files: FilesToCheck | undefined): Promise<CheckRequest> {
    const workspace_version = context.state().workspace.version
    const about = files && { node_id: files.nodeId, tests_of: files.testsOf, manifest: await files.store() }
    const request = { check_run_id: newId("run"), workspace_version, round, ...about }
    await context.write([{ type: "check_requested", ...request }])
    return request
  }

  return {
    async isAsked(round) {
      return startCheck !== undefined && (await readRequests()).has(keyOf({ round }))
    },
    async show(round, files) {
      if (!startCheck) return { verdict: notRun(NOT_ASKED), output: "" }
      const known = await readRequests()
      const key = keyOf({ round, tests_of: files?.testsOf })
      const request = known.get(key) ?? (await ask(round, files))
      known.set(key, request)
      const { check_run_id: runId, workspace_version } = request
      const state = await context.catchUp()
      const run = runOf(state, runId)
      if (run && isEnded(run)) return readResult(context, run)
      const { version } = state.workspace
      if (!run && !files?.nodeId && version !== workspace_version)
        return { verdict: notRun(CHANGED, { workspace_version }), output: "" }
      const input = inputOf(state, request, files)
      if (!run) await startCheck(context, { runId, kind: "check", model: "none", agentId, input }, { signal })
      throw new RunParked("what was built is being checked", { run: runId })
    },
  }
}

const NOT_ASKED = "Nobody asked for it, or nothing can be run here."
const CHANGED = "The files were changed before it could begin."

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
  return { workspace_version, manifest: workspace.manifest, commands: workspace.checkCommands }
}

async function requestsIn(history: AsyncIterable<LogEvent>): Promise<Map<string, CheckRequest>> {
  const requests = new Map<string, CheckRequest>()
  for await (const event of history) if (event.type === "check_requested") requests.set(keyOf(event), event)
  return requests
}

/** A round has at most two checks: of the files as they are, and with earlier tests. */
function keyOf({ round, tests_of }: Pick<EventOf<"check_requested">, "round" | "tests_of">): string {
  return `${round} ${tests_of === undefined ? "own" : "earlier"}`
}

/** Reads the result of an ended check. One that failed itself says nothing about the project. */
async function readResult(
  { history }: GateDeps["context"],
  check: { runId: string; firstSeq: number },
): Promise<Shown> {
  let output = ""
  for await (const event of history(check)) {
    if (event.type === "check_finished") output = event.output
    if (event.type === "run_completed" && event.verdict) return { verdict: event.verdict, output }
    if (event.type === "run_failed") return { verdict: notRun(event.message), output }
    if (event.type === "run_cancelled") return { verdict: notRun("It was cancelled."), output }
  }
  return { verdict: notRun("It left no result."), output }
}
