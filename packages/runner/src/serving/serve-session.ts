import { closeLostTerminal, isRecorded } from "@switchyard/core/agents/terminals/lost-terminal"
import type { OpenTerminal } from "@switchyard/core/agents/terminals/open-terminals"
import { claimRunner, closeAbandoned, parkRunner, terminalClosed } from "@switchyard/core/agents/terminals/rules"
import { AppError, isAppError, settle } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import { runOf } from "@switchyard/core/work/runs/state"
import type { Attachments } from "../agents/attachments.ts"
import type { Decisions } from "../agents/decisions.ts"
import type { ServerPreview } from "../gate/server-preview.ts"
import { lastScreen } from "../terminals/screen.ts"
import { createIdleTime, type IdleLimits } from "./idle-time.ts"
import { lostNotice } from "./input-notices.ts"
import {
  CONCLUDE_WITHIN_MS,
  createLaunchedRuns,
  type Launch,
  type LaunchedRunsDeps,
  type RunnerWork,
} from "./launched-runs.ts"
import { createPeopleInput } from "./people-input.ts"
import type { WorktreeServices } from "./worktree-services.ts"

export interface ServeDeps extends LaunchedRunsDeps {
  attachments: Attachments
  decisions: Decisions
  /**
   * Ends programs left behind by an earlier runner of this session, and gives back the logins that they used.
   */
  cleanUp: () => Promise<void>
  /** Creates the functions that carry out each kind of run for this incarnation of the session. */
  createWork: (about: { incarnation: number; sessionSeq: () => number; worktrees: WorktreeServices }) => RunnerWork
  /** Creates the services of the session's worktrees. */
  createWorktrees: (session: SessionLog, generation: number) => WorktreeServices
  /** Creates the preview server for the session's project. */
  createPreview: (session: SessionLog, about: { generation: number; worktrees: WorktreeServices }) => ServerPreview
  /** Finds worktrees that would conflict, and reports them. */
  watchCollisions: (
    session: SessionLog,
    options: { worktrees: WorktreeServices; generation: number; signal: AbortSignal },
  ) => Promise<void>
  /** Handles questions between agents. */
  keepAsks: (session: SessionLog, options: { signal: AbortSignal }) => Promise<void>
}

/** Claim of a parked runner, and the head of the session log at the time when it parked. */
export interface Parked {
  generation: number
  seq: number
}

export interface Serving extends IdleLimits {
  sid: string
  /** Runs launched for this runner. Ends when the launcher is gone. */
  launches: AsyncIterable<Launch>
  /** Generation of this process when it last parked. Set if the process has been resumed since. */
  after?: number
  /** True if the machine continues to exist after the runner has parked. */
  standby?: boolean
}

/**
 * Serves a session: claims it, executes launched runs, and delivers people's input. Ends after `idleMs` without work.
 * If another runner claims the session or the signal aborts, hands the runs over. Returns this runner's claim and its
 * position in the log if the runner may be resumed.
 */
export async function serveSession(
  deps: ServeDeps,
  serving: Serving,
  { signal }: { signal: AbortSignal },
): Promise<Parked | undefined> {
  const { sid } = serving
  const session = await openSessionLog(deps, sid, { signal })
  // The session was deleted after its last runner had died.
  if (session.state.session.since !== null && !isLive(session.state)) {
    await deps.cleanUp()
    return undefined
  }
  const { terminals: left, ...earlier } = session.state.runner
  await session.decide(claimRunner(deps.executor, serving.after), { signal })
  const { generation } = session.state.runner
  // An earlier runner can no longer append events, so any programs that it left behind can only do harm.
  await deps.cleanUp()
  deps.send({ type: "claimed", generation })

  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  const onReplaced = () => over.abort(new Error("Replaced."))
  let failure: unknown
  let seq = session.state.head
  const { incarnation } = session.state.session
  const worktrees = deps.createWorktrees(session, generation)
  const preview = deps.createPreview(session, { generation, worktrees })
  const idle = createIdleTime(deps.clock, serving, {
    isBusy: () => worktrees.busy || preview.busy || runs.busy,
    hasShells: () => worktrees.hasShells,
  })
  const input = createPeopleInput(deps, session, {
    generation,
    isAtWork: (agentId) => runs.isAtWork(agentId),
    onMessage: idle.restart,
  })
  const work = deps.createWork({ incarnation, sessionSeq: () => seq, worktrees })
  const { reportUndelivered } = input
  const runsOwner = { generation, work, onActivity: idle.restart, reportUndelivered, onReplaced }
  const runs = createLaunchedRuns(deps, session, runsOwner, { signal: ended })

  /** Ends this runner if another one claims the session or the session is deleted. */
  async function watch(): Promise<void> {
    for await (const event of deps.log.tail(logName(sid), seq, { signal: ended })) {
      if (event.type === "heartbeat") continue
      seq = event.seq
      deps.decisions.receive(event)
      // Don't use `run_superseded`: the runs would be lost instead of handed over to the next runner.
      if (event.type === "runner_claimed" && event.generation > generation) onReplaced()
      if (event.type === "session_deleted") over.abort(new AppError("run_superseded", "The session was deleted."))
    }
  }

  async function takeLaunches(): Promise<void> {
    await runs.take(serving.launches)
    over.abort(new Error("The process that started this runner has exited."))
  }

  async function endWhenIdle(): Promise<void> {
    await idle.untilSpent({ signal: ended })
    over.abort()
  }

  /**
   * Waits for a part of the runner to end. If the part fails, ends the other parts. Ignores errors of parts that fail
   * while the runner is ending.
   */
  async function untilEnded(part: Promise<void>): Promise<void> {
    const { error } = await settle(() => part)
    if (error === undefined || ended.aborted) return
    failure = error
    over.abort(error)
  }

  input.expectLate(left)
  const typedInto = await input.deliverUnheard({ since: earlier.unheardSince, until: earlier.generation }, { signal })
  for (const terminal of left) await closeLeftTerminal(deps, session, { generation, terminal, typedInto }, { signal })
  untilEnded(takeLaunches())
  const parts = [
    input.listen({ signal: ended }),
    watch(),
    endWhenIdle(),
    worktrees.serve({ signal: ended }),
    preview.serve({ signal: ended }),
    deps.keepAsks(session, { signal: ended }),
    deps.watchCollisions(session, { worktrees, generation, signal: ended }),
  ]
  await Promise.all(parts.map(untilEnded))
  await runs.ended()
  await worktrees.save({ signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) })
  const unheard = await input.close({ signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) })
  if (failure !== undefined) {
    await park(session, generation, "the runner failed", { unheard })
    throw failure
  }
  const standby = serving.standby && !signal.aborted
  const reason = signal.aborted ? "the runner was asked to stop" : "there was nothing left to do"
  await park(session, generation, reason, { standby, unheard })
  return standby ? { generation, seq: session.state.head } : undefined
}

/**
 * Appends the last events of a dead runner's terminal. If the terminal's log is unreadable, only closes the terminal.
 */
async function closeLeftTerminal(
  deps: ServeDeps,
  session: SessionLog,
  about: { generation: number; terminal: OpenTerminal; typedInto: Set<string> },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { pty, isTurn, runId } = about.terminal
  const { sid, state } = session
  const recorded = isRecorded(runId === null ? undefined : runOf(state, runId))
  const place = { sid, incarnation: state.session.incarnation, pty, writer: deps.writer, isRecorded: recorded }
  const events = await closeLostTerminal(deps, place, lastScreen, { signal }).catch((error): NewEvent[] => {
    signal.throwIfAborted()
    deps.report(error)
    return [terminalClosed(pty)]
  })
  // Lines typed into a turn's terminal are messages, which are tracked separately.
  const notices = !isTurn && about.typedInto.has(pty) ? [lostNotice(about.terminal)] : []
  await session.decide(closeAbandoned(about.generation, pty, [...events, ...notices]), { signal })
}

async function park(
  session: SessionLog,
  generation: number,
  reason: string,
  about: { standby?: boolean | undefined; unheard: boolean },
): Promise<void> {
  const signal = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
  try {
    await session.catchUp({ signal })
    await session.decide(parkRunner(generation, reason, about), { signal })
  } catch (error) {
    if (!isAppError(error, "session_deleted")) throw error
  }
}
