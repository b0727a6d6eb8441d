import type { NewId } from "../../ids.ts"
import { type RunContext, RunParked } from "../runs/run-context.ts"
import type { SessionlessRun } from "../runs/runs.ts"
import { isEnded, runOf } from "../runs/state.ts"
import { CHECKER, type CheckInput, type Verdict } from "./schema.ts"
import { notRun } from "./verdict.ts"

/** What a check said, with the end of what its last command printed. */
export interface Shown {
  verdict: Verdict
  output: string
}

/** Has the platform itself find out whether what a run built works. */
export interface Gate {
  /** Whether this round's check was asked for, by this executor or an earlier one. */
  isAsked(round: number): Promise<boolean>
  /**
   * What running the files shows, in this round of mending. Asks for a check and parks the run until that has ended: throws
   * `RunParked` then, and is called again by whoever goes on.
   */
  show(round: number): Promise<Shown>
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
}

export function createGate({ context, newId, startCheck }: GateDeps): Gate {
  const { signal } = context

  async function asked(round: number) {
    for await (const event of context.history()) {
      if (event.type === "check_requested" && event.round === round) return event
    }
    return undefined
  }

  async function ask(round: number) {
    const workspace_version = context.state().workspace.version
    const requested = { check_run_id: newId("run"), workspace_version, round }
    await context.write([{ type: "check_requested", ...requested }])
    return requested
  }

  return {
    async isAsked(round) {
      return startCheck !== undefined && (await asked(round)) !== undefined
    },
    async show(round) {
      if (!startCheck) return { verdict: notRun(NOT_ASKED), output: "" }
      const { check_run_id: runId, workspace_version } = (await asked(round)) ?? (await ask(round))
      const state = await context.catchUp()
      const run = runOf(state, runId)
      if (run && isEnded(run)) return readResult(context, run)
      const { manifest, version } = state.workspace
      if (!run && version !== workspace_version) return { verdict: notRun(CHANGED, workspace_version), output: "" }
      const input = { workspace_version, manifest }
      if (!run) await startCheck(context, { runId, kind: "check", model: "none", agentId: CHECKER, input }, { signal })
      throw new RunParked("what was built is being checked", { run: runId })
    },
  }
}

const NOT_ASKED = "Nobody asked for it, or nothing can be run here."
const CHANGED = "The files were changed before it could begin."

/** What an ended check said. One that failed itself says nothing about the project. */
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
