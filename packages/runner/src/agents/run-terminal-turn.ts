import type { TerminalPlan } from "@switchyard/core/agents/clis/cli"
import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import type { Outcome } from "@switchyard/core/agents/clis/schema"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { createWatchdog } from "../processes/watchdog.ts"
import { LOST_KEYS } from "./attachments.ts"
import { createEventQueue } from "./event-queue.ts"
import { bracketPaste } from "./line-editor.ts"
import { openTerminalProgram } from "./terminal-program.ts"
import type { EndOfTurn, TurnDeps, TurnPlan } from "./turn.ts"
import { createTurnState, type TurnState } from "./turn-state.ts"

/** A turn of a command that works in a terminal without a protocol. */
export interface TerminalTurnPlan extends Omit<TurnPlan, "drive" | "files" | "resolvePaths"> {
  drive: TerminalPlan
}

/** The prompt is typed once the program has printed nothing for `idleMs`, or has printed nothing at all. */
const READY = { firstMs: 2000, idleMs: 300 }

/**
 * Runs one turn of a command. Keys and messages go to its terminal. The turn completes if the command exits with 0, or
 * is silent for the time in its settings. Returns once all of its processes have ended.
 */
export async function runTerminalTurn(
  deps: TurnDeps,
  plan: TerminalTurnPlan,
  { signal }: { signal: AbortSignal },
): Promise<EndOfTurn> {
  const { attachments, clock, patience } = deps
  const { cli, title, model, rows, cols, attempt } = plan
  const { command, terminal: how } = plan.drive
  const startedAt = clock.monotonic()
  const pty = deps.newId("pty")
  const failure = new AbortController()
  let settled = async () => {}
  const append = async (events: NewEvent[]) => {
    await settled()
    await deps.append(events)
  }
  const queue = createEventQueue({ append, onFailure: (error) => failure.abort(error) })
  const state = createTurnState({ cli, hasGateway: false, now: clock.monotonic })
  const record = (event: AgentEvent) => queue.push(state.event(event).events)
  attachments.expectTerminal(pty)
  queue.push([
    { type: "terminal_opened", pty, kind: "driver", title, rows, cols },
    { type: "agent_turn_started", cli, model, pty, attempt, ...deps.decisions.policy },
  ])
  let heard = () => {}
  const shown = await openTerminalProgram(deps, pty, {
    file: plan.program.file,
    args: [...plan.program.args, ...command.args],
    piped: false,
    ...{ cwd: plan.cwd, env: { ...plan.env, ...command.env }, folder: plan.folder, user: plan.user },
    ...{ rows, cols, title, heard: () => heard() },
  })
  const { program, terminal, attached, leftTextUnread } = shown
  settled = terminal.settled
  if (how.session !== null) record({ type: "session", id: how.session, model })

  let isSilent = false
  const kill = () => void program.kill().catch(deps.report)
  const stop = (reason: NonNullable<TurnState["stopped"]>) => {
    if (state.stop(reason)) kill()
  }
  const end = () => stop(isAppError(signal.reason, "run_cancelled") ? "cancelled" : "interrupted")
  const onSilence = () => {
    isSilent = how.silenceMs !== null
    if (isSilent) kill()
    else stop("timeout")
  }
  const idleMs = how.silenceMs ?? patience.busyMs
  const watch = () => createWatchdog({ clock, onSilence }, { firstMs: idleMs, idleMs })
  const say = (text: string) => program.type(`${text.includes("\n") ? bracketPaste(text) : text}\r`)
  let watchdog = how.keys === null ? watch() : createWatchdog({ clock, onSilence: typePrompt }, READY)
  heard = () => watchdog.touch()
  function typePrompt(): void {
    say(how.keys ?? "")
    watchdog = watch()
  }

  attachments.addTerminal(pty, attached(program.type))
  attachments.setAgent({
    say({ content, source }) {
      queue.push([{ type: "user_message", content, source }])
      say(content)
      return true
    },
    interrupt: () => stop("cancelled"),
  })
  const ended = AbortSignal.any([signal, failure.signal])
  ended.addEventListener("abort", end, { once: true })
  if (ended.aborted) end()
  try {
    await program.exited
  } finally {
    watchdog.stop()
    ended.removeEventListener("abort", end)
    attachments.setAgent(undefined)
    attachments.removeTerminal(pty)
  }
  const exit = await shown.close()
  const words = shown.lastWords().trim()
  if (words !== "") record({ type: "text", text: words, message: "1" })
  const limit = limitIn(words, how.limits)
  if (limit && (isSilent || exit.exitCode !== 0)) {
    record({ type: "turn_failed", problem: { kind: "quota_exhausted", message: limit } })
  } else if (isSilent || exit.exitCode === 0) record({ type: "turn_completed" })
  const closed = state.close({ ...exit, stderr: words, isAborted: signal.aborted })
  const outcome = completed(closed.end.outcome)
  const duration_ms = Math.round(clock.monotonic() - startedAt)
  queue.push([
    ...closed.events,
    ...exit.events,
    ...(leftTextUnread() ? [{ type: "agent_notice" as const, text: LOST_KEYS }] : []),
    { type: "agent_turn_finished", outcome, exit_code: exit.exitCode, duration_ms },
  ])
  await queue.flush()
  return { ...closed.end, outcome, parked: undefined }
}

/** Commands report no summary, so they never have to continue. */
function completed(outcome: Outcome): Outcome {
  return outcome.type === "needs_continuation" ? { type: "completed" } : outcome
}

const LIMIT_LINES = 5

/** Returns the newest of the last lines that contains one of these texts. */
function limitIn(words: string, limits: string[]): string | undefined {
  const lines = words.split("\n").slice(-LIMIT_LINES).reverse()
  return lines.find((line) => limits.some((limit) => line.toLowerCase().includes(limit.toLowerCase())))?.trim()
}
