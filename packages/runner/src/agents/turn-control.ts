import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import type { Problem } from "@switchyard/core/agents/clis/schema"
import type { EndedTurn } from "@switchyard/core/agents/protocols/outcome"
import type { Answered } from "../gateway/response.ts"
import { createWatchdog } from "../processes/watchdog.ts"
import type { EventQueue } from "./event-queue.ts"
import type { TerminalProgram } from "./terminal-program.ts"
import type { TurnDeps, TurnPlan } from "./turn.ts"
import type { TurnEffects, TurnState } from "./turn-state.ts"

/** Controls a turn's running program as the turn's state requires. */
export interface TurnControl {
  show(text: string): void
  /** Writes to the program's input, unless the program is about to exit. */
  send(text: string): void
  receive(events: AgentEvent[]): void
  /** Receives a model API response from the gateway. */
  receiveAnswer(answered: Answered): void
  /** Ends the turn because it has reached a limit set by its owner. */
  stopForLimit(problem: Problem): void
  /** Ends the turn. If called several times, only the first reason counts. */
  stop(reason: NonNullable<EndedTurn["stopped"]>): void
  /**
   * Closes the program's input because the program has nothing left to do. Kills the program if it doesn't exit soon.
   */
  leave(): void
  /** Pauses the timeout for silence while the agent waits for a person. The returned function resumes it. */
  pause(): () => void
  readonly isLeaving: boolean
}

export type PermissionAsked = Extract<AgentEvent, { type: "permission_asked" }>

export interface TurnParts {
  state: TurnState
  queue: EventQueue
  shown: TerminalProgram
}

export function createTurnControl(
  deps: TurnDeps,
  plan: TurnPlan,
  {
    state,
    queue,
    shown,
    onEvent,
    onSession,
    onPermissionAsked,
  }: TurnParts & {
    onEvent: (event: AgentEvent) => void
    onSession: () => void
    onPermissionAsked: (asked: PermissionAsked) => void
  },
): TurnControl {
  const { clock, patience } = deps
  const { protocol } = plan.drive
  const { program, terminal } = shown
  const { pipes } = program
  const leaving = new AbortController()
  const watchdog = createWatchdog({ clock, onSilence: () => stop("timeout") }, patience)

  function show(text: string): void {
    if (text !== "") terminal.write(Buffer.from(text))
  }

  function send(text: string): void {
    if (text !== "" && !leaving.signal.aborted) pipes?.write(text)
  }

  function stop(reason: NonNullable<EndedTurn["stopped"]>): void {
    if (!state.stop(reason)) return
    send(protocol.interrupt?.() ?? "")
    leave()
  }

  function stopForLimit(problem: Problem): void {
    if (leaving.signal.aborted || state.stopped) return
    state.limit(problem)
    stop("refused")
  }

  function leave(): void {
    if (leaving.signal.aborted) return
    leaving.abort()
    watchdog.stop()
    pipes?.end()
    const killSoon = async () => {
      await Promise.race([program.exited, clock.sleep(state.stopped ? patience.leaveMs / 2 : patience.leaveMs, {})])
      await program.kill()
    }
    killSoon().catch(deps.report)
  }

  function apply({ events, text, isAlive, isBusy }: TurnEffects): void {
    if (isAlive) watchdog.touch(isBusy ? patience.busyMs : patience.idleMs)
    show(text)
    queue.push(events)
  }

  function receive(events: AgentEvent[]): void {
    for (const event of events) {
      onEvent(event)
      const effects = state.event(event)
      apply(effects)
      if (event.type === "permission_asked") onPermissionAsked(event)
      if (event.type === "session") onSession()
      if (effects.isOver) leave()
      else if (effects.isRefused) stop("refused")
    }
  }

  function receiveAnswer(answered: Answered): void {
    const effects = state.answer(answered)
    apply(effects)
    if (effects.isRefused && !leaving.signal.aborted) stop("refused")
  }

  return {
    get isLeaving() {
      return leaving.signal.aborted
    },
    show,
    send,
    receive,
    receiveAnswer,
    stopForLimit,
    stop,
    leave,
    pause: watchdog.pause,
  }
}
