import type { SessionLogDeps } from "../../kernel/session-log.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { HarnessContext } from "../harness/context.ts"
import type { KindAndInput } from "../runs/kinds.ts"
import type { Reconcile } from "../runs/reconcile.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { SessionlessRun } from "../runs/runs.ts"

type Unowned<R> = R extends unknown ? Omit<R, "owner"> : never

/** Starts a run in the session of another, for its owner. */
export type StartInside = (
  asking: { runId: string },
  run: Unowned<SessionlessRun & Extract<KindAndInput, { kind: "work_node" }>> & { runId: string },
  options: { signal: AbortSignal },
) => Promise<void>

export interface TeamDeps extends SessionLogDeps {
  blobs: Blobs
  /** Throws `invalid_request` for an unknown model, or one without a key. */
  openModel(name: string, apiKey: string | undefined): { provider: ModelProvider; model: string }
  startInside: StartInside
  reconcile: Reconcile
}

/** The context in which a member of a team talks to its model. */
export function createHarness(deps: TeamDeps, context: RunContext<unknown>): HarnessContext {
  const { clock, newId } = deps
  return {
    ...{ ...deps.openModel(context.model, context.apiKey), modelName: context.model, clock, newId },
    ...{ signal: context.signal, nodeRef: {}, cacheKey: context.runId },
    emitText: (piece) => context.emitText({}, piece),
    emitFileText: (part) => context.emitFileText({}, part),
    emitReasoning: (chars) => context.emitReasoning({}, chars),
    write: (events) => context.write(events),
    awaitExternal: (task) => context.awaitExternal(task),
    beforeCall: () => context.requireBudget(),
  }
}

/** The context, whose decisions launch the runs that they wake. The sweep does the same, later. */
export function launchingWoken<Input>(deps: TeamDeps, context: RunContext<Input>): RunContext<Input> {
  return {
    ...context,
    async decide(rule) {
      const decided = await context.decide(rule)
      const woken = decided.flatMap((event) => (event.type === "run_resumed" ? [event.run_id] : []))
      const session = { sid: context.sid, state: context.state() }
      for (const runId of woken) await deps.reconcile(session, runId, { signal: context.signal })
      return decided
    },
  }
}
