import type { AgentEvent, Drive, Usage } from "@switchyard/core/agents/clis/cli"
import { type EndedTurn, turnOutcome } from "@switchyard/core/agents/clis/outcome"
import type { CliId, Outcome, Problem } from "@switchyard/core/agents/clis/schema"
import { createRendering } from "@switchyard/core/agents/conversations/rendering"
import type { Summary } from "@switchyard/core/agents/conversations/schema"
import { createTranscript } from "@switchyard/core/agents/conversations/transcript"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { Answered, Gateway } from "../gateway/gateway.ts"
import { sumOf } from "../gateway/meter.ts"
import { createWatchdog } from "../processes/watchdog.ts"
import type { Located } from "../programs/locate.ts"
import type { AgentMessage, Attachments } from "./attachments.ts"
import { createEventQueue } from "./event-queue.ts"
import { BRACKETED_PASTE_OFF, BRACKETED_PASTE_ON, createLineEditor } from "./line-editor.ts"
import { openTerminalProgram, type TerminalProgramDeps } from "./terminal-program.ts"
import { createTextProgress } from "./text-progress.ts"

export interface TurnDeps extends TerminalProgramDeps {
  append: (events: NewEvent[]) => Promise<void>
  attachments: Attachments
  patience: { firstMs: number; idleMs: number; leaveMs: number }
}

export interface TurnPlan {
  cli: CliId
  title: string
  model: string | null
  drive: Drive
  program: Located
  cwd: string
  env: Record<string, string>
  /** Where pipes and recordings are while the turn lasts. */
  folder: string
  rows: number
  cols: number
  attempt: number
  /** By which it reaches its model, if we stand in between. */
  gateway?: Gateway
  user?: { uid: number; gid: number }
}

export interface TurnEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  lastMessage: string
  /** Whether the agent said anything in its protocol. */
  spoke: boolean
  /** Whether a person took over: the turn is over for that, and nothing is wrong. */
  takenOver: boolean
}

const USAGE_EVERY_MS = 60_000

/**
 * One turn of an agent, from the start of its program to the moment when nothing of it is left. Everything that it says
 * is in the log by then. Throws if the log takes no more; an abort of `signal` ends the turn, as cancelled if its
 * reason is that, else as interrupted.
 */
export async function runTurn(deps: TurnDeps, plan: TurnPlan, { signal }: { signal: AbortSignal }): Promise<TurnEnd> {
  const { clock, attachments, patience } = deps
  const { dialogue, command } = plan.drive
  const pty = deps.newId("pty")
  const startedAt = clock.monotonic()
  const transcript = createTranscript({ cli: plan.cli, now: clock.monotonic })
  const rendering = createRendering()
  let stopped: EndedTurn["stopped"]
  let spoke = false
  let takenOver = false
  let refusal: Problem | undefined
  /** What the log doesn't say yet. */
  let used: Usage | undefined
  let usageDueAt = startedAt + USAGE_EVERY_MS
  let costUsd: number | null = null

  const failure = new AbortController()
  /** What the terminal showed before an event is in its log before the event is in the session's. */
  let settled = async () => {}
  const append = async (events: NewEvent[]) => {
    await settled()
    await deps.append(events)
  }
  const queue = createEventQueue({ append, onFailure: (error) => failure.abort(error) })
  queue.push([
    { type: "terminal_opened", pty, kind: "driver", title: plan.title, rows: plan.rows, cols: plan.cols },
    { type: "agent_turn_started", cli: plan.cli, model: plan.model, pty, attempt: plan.attempt },
  ])
  const shown = await openTerminalProgram(deps, pty, {
    file: plan.program.file,
    args: [...plan.program.args, ...command.args],
    piped: true,
    ...{ cwd: plan.cwd, env: { ...plan.env, ...command.env }, folder: plan.folder, user: plan.user },
    ...{ rows: plan.rows, cols: plan.cols, title: plan.title },
  })
  const { program, terminal } = shown
  settled = terminal.settled
  const leaving = new AbortController()
  const watchdog = createWatchdog({ clock, onSilence: () => stop("timeout") }, patience)
  const progress = createTextProgress()
  const { pipes } = program
  const show = (text: string) => terminal.write(Buffer.from(text))

  function stop(reason: NonNullable<EndedTurn["stopped"]>): void {
    if (stopped) return
    stopped = reason
    send(dialogue.interrupt?.() ?? "")
    leave()
  }

  /** The program has nothing left to do: it may go by itself for a moment. */
  function leave(): void {
    if (leaving.signal.aborted) return
    leaving.abort()
    watchdog.stop()
    pipes?.end()
    const patiently = async () => {
      await Promise.race([program.exited, clock.sleep(stopped ? patience.leaveMs / 2 : patience.leaveMs, {})])
      await program.kill()
    }
    patiently().catch(deps.report)
  }

  function send(text: string): void {
    if (text !== "" && !leaving.signal.aborted) pipes?.write(text)
  }

  /** What the model's API says comes first: many agents try again in silence, and some don't count. */
  function listen(answered: Answered): void {
    if (answered.type === "used") meter(answered.usage)
    else if (answered.type === "ok") {
      refusal = undefined
      progress.done()
    } else if (answered.type === "broken") progress.begunAgain()
    else {
      progress.begunAgain()
      const { problem } = answered
      refusal = problem
      const event = { type: "retrying" as const, problem }
      show(rendering.render(event))
      queue.push(transcript.take(event))
      if (answered.final && !leaving.signal.aborted) stop("refused")
    }
  }

  /** Now and then, so that a runner that is lost takes little of it along; the rest is told at the end of the turn. */
  function meter(usage: Usage): void {
    if (used && clock.monotonic() >= usageDueAt) {
      queue.push(transcript.take({ type: "usage", usage: used, costUsd: null }))
      used = undefined
      usageDueAt = clock.monotonic() + USAGE_EVERY_MS
    }
    used = sumOf(used, usage)
  }

  function hear(events: AgentEvent[]): void {
    for (const event of events) {
      spoke = true
      if (event.type === "usage") costUsd = event.costUsd
      if (plan.gateway && (event.type === "retrying" || (event.type === "usage" && used))) continue
      if (isAlive(event)) watchdog.touch()
      show(rendering.render(event))
      queue.push(transcript.take(event))
      // Work without questions was agreed to when the task was requested.
      if (event.type === "permission_asked") send(dialogue.answer?.(event.id, "allow") ?? "")
      // Before that, most protocols have no words for what a person says.
      if (event.type === "session") attachments.setAgent(listening)
      if (event.type === "turn_completed" || event.type === "turn_failed") leave()
    }
  }

  /** A limit says nothing of the work, and text only if it isn't what the model said before it was asked again. */
  function isAlive(event: AgentEvent): boolean {
    if (event.type === "text" || event.type === "thinking") return progress.said(event.text)
    if (event.type === "quota") return false
    if (event.type === "retrying") progress.begunAgain()
    else progress.done()
    return event.type !== "retrying"
  }

  const say = ({ content, source }: AgentMessage): boolean => {
    if (!dialogue.say || leaving.signal.aborted || transcript.nativeSession === null) return false
    queue.push([{ type: "user_message", content, source }])
    send(dialogue.say(content))
    return true
  }
  const interrupt = () => stop("cancelled")
  const submit = (content: string) => {
    attachments.receive({ type: "agent_message", content, source: "terminal" })
    if (!dialogue.say) show(`\r\n(${plan.title} gets this after its turn)\r\n`)
  }
  const typed = createLineEditor({ echo: show, submit, interrupt })
  show(BRACKETED_PASTE_ON)
  attachments.addTerminal(pty, shown.attached(typed.type))
  const takeOver = () => {
    takenOver = transcript.nativeSession !== null
    if (takenOver) interrupt()
  }
  const listening = { say, interrupt, takeOver }
  attachments.setAgent(listening)
  if (plan.gateway) plan.gateway.listener = listen

  const ended = AbortSignal.any([signal, failure.signal])
  const end = () => stop(isAppError(signal.reason, "run_cancelled") ? "cancelled" : "interrupted")
  ended.addEventListener("abort", end, { once: true })
  if (ended.aborted) end()
  // What outlives the program holds its output open: it goes with it.
  void program.exited.then(() => program.kill()).catch(deps.report)
  try {
    send(dialogue.open())
    if (!dialogue.say) pipes?.end()
    for await (const chunk of pipes?.output ?? []) {
      const heard = dialogue.hear(chunk)
      send(heard.send)
      hear(heard.events)
      await queue.room()
    }
    hear(dialogue.end().events)
  } finally {
    ended.removeEventListener("abort", end)
    attachments.setAgent(undefined)
    attachments.removeTerminal(pty)
    show(BRACKETED_PASTE_OFF)
    leave()
  }
  const exit = await shown.close()
  if (plan.gateway) plan.gateway.listener = undefined
  if (used) queue.push(transcript.take({ type: "usage", usage: used, costUsd }))
  queue.push(transcript.close())
  const summary = transcript.summary
  const came = turnOutcome({
    end: transcript.end,
    retrying: transcript.retrying,
    refusal,
    stopped,
    exitCode: exit.exitCode,
    signal: exit.signal,
    stderr: shown.lastWords(),
    summarised: summary !== undefined,
  })
  const outcome: Outcome = takenOver && !signal.aborted ? { type: "needs_continuation" } : came
  const duration_ms = Math.round(clock.monotonic() - startedAt)
  queue.push([...exit.events, { type: "agent_turn_finished", outcome, exit_code: exit.exitCode, duration_ms }])
  await queue.flush()
  return {
    outcome,
    summary,
    nativeSession: transcript.nativeSession,
    lastMessage: transcript.lastMessage,
    spoke,
    takenOver,
  }
}
