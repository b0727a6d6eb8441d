import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import type { ConcealedStream } from "./concealment.ts"
import { createEventQueue, type EventQueue } from "./event-queue.ts"
import { openTerminalProgram, type TerminalProgram } from "./terminal-program.ts"
import { createToolOutputs, type ToolOutputs } from "./tool-outputs.ts"
import type { EndOfTurn, TurnDeps, TurnPlan } from "./turn.ts"
import { openTurnAccess } from "./turn-access.ts"
import { createTurnBudget } from "./turn-budget.ts"
import { createTurnControl, type TurnControl } from "./turn-control.ts"
import { createTurnPermissions } from "./turn-permissions.ts"
import { createTurnState } from "./turn-state.ts"

/**
 * Runs one agent turn. Returns once all processes of the turn have ended and all its events are in the log. Throws if
 * the log refuses events. If `signal` aborts, the turn ends: as cancelled if the reason is `run_cancelled`, and
 * otherwise as interrupted.
 */
export async function runTurn(deps: TurnDeps, plan: TurnPlan, { signal }: { signal: AbortSignal }): Promise<EndOfTurn> {
  const { clock } = deps
  const startedAt = clock.monotonic()
  const state = createTurnState({ cli: plan.cli, hasGateway: plan.gateway !== undefined, now: clock.monotonic })
  const failure = new AbortController()
  const outputs = createToolOutputs({ store: deps.storeArtifact, files: plan.files, folder: plan.root })
  const append = async (events: NewEvent[]) => {
    await deps.append(events)
    if (!plan.gateway && events.some(({ type }) => type === "agent_usage")) budget.reported()
  }
  const onFailure = (error: unknown) => failure.abort(error)
  const { queue, shown } = await startAgent({ ...deps, append }, plan, { outputs, onFailure })
  const parts = { state, queue, shown }
  const control = createTurnControl(deps, plan, {
    ...parts,
    onSession: () => access.offer(),
    onEvent: outputs.take,
    onPermissionAsked: (asked) => permissions.asked(asked),
  })
  const permissions = createTurnPermissions(deps, plan, { queue, control })
  const budget = createTurnBudget(deps, { queue, control })
  const access = openTurnAccess(deps.attachments, plan, { ...parts, control, budget })

  const ended = AbortSignal.any([signal, failure.signal])
  const end = () => control.stop(isAppError(signal.reason, "run_cancelled") ? "cancelled" : "interrupted")
  ended.addEventListener("abort", end, { once: true })
  if (ended.aborted) end()
  if (deps.limits) {
    deps.limits.onReached = control.stopForLimit
    // The limit may have been reached just when the previous turn ended.
    if (deps.limits.reached) control.stopForLimit(deps.limits.reached)
  }
  // Also kill processes that outlive the program, because they would keep its output open.
  void shown.program.exited.then(() => shown.program.kill()).catch(deps.report)
  try {
    await converse(plan, { control, queue, shown, concealed: deps.concealment?.stream() })
  } finally {
    ended.removeEventListener("abort", end)
    if (deps.limits) deps.limits.onReached = undefined
    access.close()
    permissions.close()
    control.leave()
  }
  const exit = await shown.close()
  await plan.gateway?.drain()
  if (plan.gateway) Object.assign(plan.gateway, { listener: undefined, admit: undefined })
  const closed = state.close({ ...exit, stderr: shown.lastWords(), isAborted: signal.aborted })
  const { outcome } = closed.end
  const duration_ms = Math.round(clock.monotonic() - startedAt)
  queue.push([
    ...closed.events,
    ...exit.events,
    { type: "agent_turn_finished", outcome, exit_code: exit.exitCode, duration_ms },
  ])
  await queue.flush()
  const { parkedFor: question } = permissions
  const parked =
    question === undefined ? budget.parked : new RunParked("an agent is waiting for an answer", { question })
  return { ...closed.end, parked }
}

async function startAgent(
  deps: TurnDeps,
  plan: TurnPlan,
  { outputs, onFailure }: { outputs: ToolOutputs; onFailure: (error: unknown) => void },
): Promise<{ queue: EventQueue; shown: TerminalProgram }> {
  const { command } = plan.drive
  const pty = deps.newId("pty")
  deps.attachments.expectTerminal(pty)
  /** Resolves once the terminal's log contains all output so far. Session events are appended after that. */
  let settled = async () => {}
  const append = async (events: NewEvent[]) => {
    await settled()
    await deps.append(await outputs.complete(events))
  }
  const queue = createEventQueue({ append, onFailure })
  queue.push([
    { type: "terminal_opened", pty, kind: "driver", title: plan.title, rows: plan.rows, cols: plan.cols },
    {
      type: "agent_turn_started",
      cli: plan.cli,
      model: plan.model,
      pty,
      attempt: plan.attempt,
      ...deps.decisions.policy,
    },
  ])
  const shown = await openTerminalProgram(deps, pty, {
    file: plan.program.file,
    args: [...plan.program.args, ...command.args],
    piped: true,
    ...{ cwd: plan.cwd, env: { ...plan.env, ...command.env }, folder: plan.folder, user: plan.user },
    ...{ rows: plan.rows, cols: plan.cols, title: plan.title },
  })
  settled = shown.terminal.settled
  return { queue, shown }
}

/** Exchanges protocol messages with the program until its output ends. Reads more slowly if the log can't keep up. */
async function converse(
  { drive: { protocol } }: TurnPlan,
  parts: { control: TurnControl; queue: EventQueue; shown: TerminalProgram; concealed: ConcealedStream | undefined },
): Promise<void> {
  const { control, queue, shown, concealed } = parts
  const { pipes } = shown.program
  control.send(protocol.open())
  if (!protocol.encodeMessage) pipes?.end()
  for await (const chunk of pipes?.output ?? []) {
    const { events, send } = protocol.parse(concealed?.take(chunk) ?? chunk)
    control.send(send)
    control.receive(events)
    await queue.room()
  }
  if (concealed) control.receive(protocol.parse(concealed.flush()).events)
  control.receive(protocol.flush().events)
}
