import { clip } from "@switchyard/core/agents/clis/tool-kinds"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { readInbox } from "@switchyard/core/agents/runner/inbox"
import type { FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import { closeLostTerminal } from "@switchyard/core/agents/terminals/lost-terminal"
import {
  asRunner,
  claimRunner,
  closeAbandoned,
  closeTerminals,
  parkRunner,
} from "@switchyard/core/agents/terminals/rules"
import { AppError, isAppError, settle } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { type ExecutorDeps, executeRun } from "@switchyard/core/work/runs/execute"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import type { Attachments } from "../agents/attachments.ts"
import type { Autosave } from "../project/autosave.ts"
import type { Commands } from "../project/commands/commands.ts"
import { lastScreen } from "../terminals/screen.ts"

export interface ServeDeps extends ExecutorDeps {
  attachments: Attachments
  /** Ends programs that an older runner of this session left behind. */
  cleanUp: () => Promise<void>
  /** Creates the work of runs, for this incarnation of the session. */
  createWork: (about: {
    incarnation: number
    sessionSeq: () => number
    autosave: Autosave
    commands: Commands
  }) => RunWork<AgentInput>
  /** Creates the executor of commands to the session's worktree. */
  createCommands: (session: SessionLog, generation: number, autosave: Autosave) => Commands
  createAutosave: (session: SessionLog, generation: number) => Autosave
  tell: (message: FromRunner) => void
}

export interface Serving {
  sid: string
  idleMs: number
  /** Runs to execute, as they are launched. Its end means that the launcher is gone. */
  launches: AsyncIterable<Extract<ToRunner, { type: "run" }>>
}

const CONCLUDE_WITHIN_MS = 10_000

/**
 * Serves one session: claims it, executes launched runs, and delivers people's input. Ends after `idleMs` without work, when
 * another runner claims the session, or when the signal aborts: runs are handed over then.
 */
export async function serveSession(
  deps: ServeDeps,
  serving: Serving,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { clock } = deps
  const { sid } = serving
  const session = await openSessionLog(deps, sid, { signal })
  const left = session.state.runner.terminals
  await session.decide(claimRunner(deps.executor), { signal })
  const { generation } = session.state.runner
  // An older runner can't append any more, so programs that it started can only do harm.
  await deps.cleanUp()
  deps.send({ type: "claimed", generation })

  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  const running = new Set<Promise<void>>()
  let failure: unknown
  let seq = session.state.head
  let activeAt = clock.monotonic()
  const autosave = deps.createAutosave(session, generation)
  const commands = deps.createCommands(session, generation, autosave)
  const work = deps.createWork({
    incarnation: session.state.session.incarnation,
    sessionSeq: () => seq,
    autosave,
    commands,
  })

  async function execute({ run_id, expected_generation }: Extract<ToRunner, { type: "run" }>): Promise<void> {
    const launch = { sid, runId: run_id, expectedGeneration: expected_generation }
    await executeRun({ ...deps, kind: "agent", work }, launch, { signal: ended })
    // A cancelled run may append nothing more, not even the end of its terminals.
    const concluding = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
    await session.decide(closeTerminals(generation, deps.attachments.isOpen), { signal: concluding })
    if (running.size <= 1) await reportUndelivered(concluding)
  }

  /** Reports messages that came too late for any agent. */
  async function reportUndelivered(signal: AbortSignal): Promise<void> {
    const notices = deps.attachments.takeUndelivered().map(({ content }) => tooLate(content))
    if (notices.length === 0) return
    await session.decide(asRunner(generation, notices), { signal }).catch((error) => {
      if (!isAppError(error, "run_superseded") && !signal.aborted) deps.report(error)
    })
  }

  async function takeLaunches(): Promise<void> {
    for await (const launch of serving.launches) {
      if (ended.aborted) return
      deps.send({ type: "accepted", run_id: launch.run_id })
      activeAt = clock.monotonic()
      const done = execute(launch)
        .catch(deps.report)
        .finally(() => {
          running.delete(done)
          activeAt = clock.monotonic()
        })
      running.add(done)
    }
    over.abort(new Error("The process that started this runner is gone."))
  }

  async function listen(): Promise<void> {
    for await (const message of readInbox(deps, sid, generation, { signal: ended })) {
      activeAt = clock.monotonic()
      deps.attachments.receive(message)
      if (running.size === 0) await reportUndelivered(ended)
    }
  }

  /** Ends this runner at another one's claim, or at the end of the session. */
  async function watch(): Promise<void> {
    for await (const event of deps.log.tail(logName(sid), seq, { signal: ended })) {
      if (event.type === "heartbeat") continue
      seq = event.seq
      // Not `run_superseded`, by which a run is lost: this runner's runs are handed over to the next one.
      if (event.type === "runner_claimed" && event.generation > generation) over.abort(new Error("Replaced."))
      if (event.type === "session_deleted") over.abort(new AppError("run_superseded", "The session was deleted."))
    }
  }

  async function idle(): Promise<void> {
    while (!ended.aborted) {
      const now = clock.monotonic()
      if (commands.busy || running.size > 0) activeAt = now
      const spent = now - activeAt
      if (spent >= serving.idleMs) return over.abort()
      await clock.sleep(serving.idleMs - spent, { signal: ended }).catch(() => undefined)
    }
  }

  /** Runs a part until the end. A part that fails ends the others; its error after the end is no failure. */
  async function untilEnded(part: Promise<void>): Promise<void> {
    const { error } = await settle(() => part)
    if (error === undefined || ended.aborted) return
    failure = error
    over.abort(error)
  }

  for (const pty of left) await closeLeftTerminal(deps, session, generation, pty, { signal })
  untilEnded(takeLaunches())
  const parts = [listen(), watch(), idle(), autosave.serve({ signal: ended }), commands.serve({ signal: ended })]
  await Promise.all(parts.map(untilEnded))
  await Promise.all(running)
  await autosave.save({ signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) })
  if (failure !== undefined) {
    await park(session, generation, "the runner failed")
    throw failure
  }
  await park(session, generation, signal.aborted ? "the runner was asked to stop" : "nothing was to be done")
}

/** Appends the last events of a dead runner's terminal. A terminal whose log can't be read is only closed. */
async function closeLeftTerminal(
  deps: ServeDeps,
  session: SessionLog,
  generation: number,
  pty: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const place = { sid: session.sid, incarnation: session.state.session.incarnation, pty, writer: deps.writer }
  const events = await closeLostTerminal(deps, place, lastScreen, { signal }).catch((error): NewEvent[] => {
    signal.throwIfAborted()
    deps.report(error)
    return []
  })
  await session.decide(closeAbandoned(generation, pty, events), { signal })
}

function tooLate(content: string): NewEvent {
  return { type: "agent_notice", text: `The agent had finished before this message reached it: ${clip(content, 2000)}` }
}

async function park(session: SessionLog, generation: number, reason: string): Promise<void> {
  const signal = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
  try {
    await session.catchUp({ signal })
    await session.decide(parkRunner(generation, reason), { signal })
  } catch (error) {
    if (!isAppError(error, "session_deleted")) throw error
  }
}
