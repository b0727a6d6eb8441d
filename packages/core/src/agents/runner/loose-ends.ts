import type { LogEvent, NewEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { CloseLooseEnds } from "../../work/runs/decide-end.ts"
import { isForRunner } from "../../work/runs/kinds.ts"
import type { RunState } from "../../work/runs/state.ts"
import { indexOfMerge, stepOfMerge } from "../../work/trains/merge-step.ts"
import type { Outcome } from "../clis/schema.ts"
import { INTERRUPTED } from "../protocols/outcome.ts"
import { closeLostTerminal, isRecorded, lastLines } from "../terminals/lost-terminal.ts"
import { isOpen } from "../terminals/open-terminals.ts"
import { terminalClosed } from "../terminals/rules.ts"
import type { TerminalLogDeps } from "../terminals/terminal-log.ts"

/** Everything that a run has started but can't finish, because its executor is gone. */
export interface LooseEnds {
  turnStartedAt: string | null
  /** Start times of open tool calls. */
  tools: Map<string, string>
  terminals: Set<string>
  questions: Set<string>
}

/** Reads from the log, up to `state.head`, what the run has started and not finished. */
export async function readLooseEnds(
  log: Log,
  { sid, state }: Pick<SessionLog, "sid" | "state">,
  run: Pick<RunState, "runId" | "firstSeq">,
  options: { signal: AbortSignal },
): Promise<LooseEnds> {
  const ends: LooseEnds = { turnStartedAt: null, tools: new Map(), terminals: new Set(), questions: new Set() }
  for await (const event of log.read(logName(sid), run.firstSeq - 1, options)) {
    if (event.seq > state.head) break
    if (event.run_id === run.runId) note(ends, event)
  }
  for (const pty of ends.terminals) if (!isOpen(state.runner, pty)) ends.terminals.delete(pty)
  return ends
}

function note(ends: LooseEnds, event: LogEvent): void {
  if (event.type === "agent_turn_started") ends.turnStartedAt = event.ts
  if (event.type === "agent_turn_finished") ends.turnStartedAt = null
  if (event.type === "tool_call_started") ends.tools.set(event.tool_call_id, event.ts)
  if (event.type === "tool_call_finished") ends.tools.delete(event.tool_call_id)
  if (event.type === "terminal_opened") ends.terminals.add(event.pty)
  if (event.type === "question_asked") ends.questions.add(event.question_id)
  if (event.type === "question_answered" || event.type === "question_withdrawn" || event.type === "question_kept")
    ends.questions.delete(event.question_id)
}

/**
 * Returns the events that close a turn whose runner was lost. They close its questions, its tool calls and the turn
 * itself.
 */
export function turnEnds({ turnStartedAt, tools, questions }: LooseEnds, outcome: Outcome, now: number): NewEvent[] {
  const since = (ts: string) => Math.max(0, now - Date.parse(ts))
  const withdrawn = [...questions].map(
    (question_id): NewEvent => ({ type: "question_withdrawn", question_id, reason: "The agent's runner stopped." }),
  )
  const unanswered = [...tools].map(
    ([tool_call_id, ts]): NewEvent => ({
      ...{ type: "tool_call_finished", tool_call_id, exit_code: null, duration_ms: since(ts) },
      llm_summary: "The runner stopped before the tool finished.",
    }),
  )
  if (turnStartedAt === null) return [...withdrawn, ...unanswered]
  return [
    ...withdrawn,
    ...unanswered,
    { type: "agent_turn_finished", outcome, exit_code: null, duration_ms: since(turnStartedAt) },
  ]
}

/** Returns the outcome of a turn whose runner was lost. */
export function lostOutcome({ cancelReason }: Pick<RunState, "cancelReason">): Outcome {
  if (cancelReason !== null) return { type: "failed", problem: "cancelled", message: "The agent was stopped." }
  return { type: "failed", problem: "interrupted", message: INTERRUPTED }
}

export interface LooseEndsDeps extends TerminalLogDeps {
  blobs: Blobs
  writer: string
  /** Called if a terminal had to be closed without its output. */
  report: (error: unknown) => void
}

/**
 * Closes what an agent's run left open when its runner was lost: tool calls, the turn and terminals. Only needs the
 * logs. For a merge train, also reports the outcomes of its merges. If no runner ever started the run, there is nothing
 * to close.
 */
export function createLooseEnds(deps: LooseEndsDeps): CloseLooseEnds {
  return async (session, run, options) => {
    if (!isForRunner(run) || run.generation === 0) return []
    if (run.kind === "train") return untoldSteps(deps, session, run, options)
    const ends = await readLooseEnds(deps.log, session, run, options)
    const closed: NewEvent[] = []
    for (const pty of ends.terminals) closed.push(...(await closeTerminal(deps, session, { pty, run }, options)))
    const events = [...turnEnds(ends, lostOutcome(run), deps.clock.now()), ...closed]
    return events.map((event) => ({ ...event, run_id: run.runId, agent_id: run.agentId }))
  }
}

/**
 * Returns the steps of a merge train that weren't reported: merges that were answered before the train's executor died.
 */
async function untoldSteps(
  { log, blobs }: LooseEndsDeps,
  { sid, state }: Pick<SessionLog, "sid" | "state">,
  { runId, agentId, firstSeq }: RunState,
  options: { signal: AbortSignal },
): Promise<NewEvent[]> {
  const begun = new Set<string>()
  const steps = new Map<number, NewEvent>()
  for await (const event of log.read(logName(sid), firstSeq - 1, options)) {
    if (event.seq > state.head) break
    if (event.type === "merge_train_step_finished" && event.run_id === runId) steps.delete(event.index)
    if (event.type === "worktree_command_started") begun.add(event.command_id)
    if (event.type !== "worktree_command_finished" || !begun.has(event.command_id)) continue
    const index = indexOfMerge(runId, event.command_id)
    if (index === undefined) continue
    const step = stepOfMerge(
      { index, worktree: event.worktree ?? MAIN_WORKTREE },
      await hydrateEvent(blobs, event, options),
    )
    steps.set(index, { type: "merge_train_step_finished", run_id: runId, agent_id: agentId, ...step })
  }
  return [...steps.values()]
}

/** Closes a terminal. If its log can't be read, closes it without its output, so that the run can end. */
async function closeTerminal(
  deps: LooseEndsDeps,
  { sid, state }: Pick<SessionLog, "sid" | "state">,
  { pty, run }: { pty: string; run: RunState },
  options: { signal: AbortSignal },
): Promise<NewEvent[]> {
  const place = { sid, incarnation: state.session.incarnation, pty, writer: deps.writer, isRecorded: isRecorded(run) }
  try {
    return await closeLostTerminal(deps, place, lastLines, options)
  } catch (error) {
    options.signal.throwIfAborted()
    deps.report(error)
    return [terminalClosed(pty)]
  }
}
