import { closeInbox, readInbox } from "@switchyard/core/agents/runner/inbox"
import type { OpenTerminal } from "@switchyard/core/agents/terminals/open-terminals"
import { appendAsRunner } from "@switchyard/core/agents/terminals/rules"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { NewId } from "@switchyard/core/ids"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Clock } from "@switchyard/core/time"
import { activeRuns } from "@switchyard/core/work/runs/state"
import type { Attachments } from "../agents/attachments.ts"
import { lateNotice, undeliveredNotice } from "./input-notices.ts"
import { findUnheard, NOTHING_SHOWN } from "./unheard-input.ts"

interface PeopleInputDeps {
  log: Log
  blobs: Blobs
  clock: Clock
  newId: NewId
  writer: string
  attachments: Attachments
  report: (error: unknown) => void
}

interface Options {
  signal: AbortSignal
}

/**
 * People's input to one runner's agents and terminals. Each message is either delivered once or reported as
 * undelivered.
 */
export interface PeopleInput {
  /**
   * Redirects input for terminals of an earlier runner. Input that arrives late goes to a terminal's agent if that
   * agent continues.
   */
  expectLate(left: OpenTerminal[]): void
  /**
   * Delivers input that earlier runners accepted but didn't deliver. Appends a notice for each message to an agent that
   * doesn't continue. Returns the terminals that people had typed into.
   */
  deliverUnheard(claims: { since: number | null; until: number }, options: Options): Promise<Set<string>>
  /** Delivers new input until the signal aborts. */
  listen(options: Options): Promise<void>
  /** Reports messages that the agent can no longer receive. */
  reportUndelivered(agentId: string): Promise<void>
  /** Stops accepting input. Returns true if input is left for the next runner. */
  close(options: Options): Promise<boolean>
}

const REPORT_WITHIN_MS = 10_000

export function createPeopleInput(
  deps: PeopleInputDeps,
  session: SessionLog,
  about: { generation: number; isAtWork: (agentId: string) => boolean; onMessage: () => void },
): PeopleInput {
  const { attachments } = deps
  const { generation } = about
  const { sid } = session
  const { incarnation } = session.state.session
  /** Agents that had undelivered messages when this runner started. */
  const owed = new Set<string>()
  let heardSeq = 0
  let isUnreported = false

  const goesOn = (agentId: string) => activeRuns(session.state).some((run) => run.agentId === agentId)

  /** Appends notices, even after other work has ended. If appending fails, the next runner appends the notices. */
  async function append(notices: NewEvent[]): Promise<void> {
    if (notices.length === 0) return
    const signal = AbortSignal.timeout(REPORT_WITHIN_MS)
    await session.decide(appendAsRunner(generation, notices), { signal }).catch((error) => {
      isUnreported = true
      if (!isAppError(error, "run_superseded") && !isAppError(error, "session_deleted")) deps.report(error)
    })
  }

  async function reportUndelivered(agentId: string): Promise<void> {
    const agent = attachments.ofAgent(agentId)
    const undelivered = [...agent.takeUndelivered().map(({ content }) => content), agent.takeLine()].filter(Boolean)
    await append(undelivered.map((content) => undeliveredNotice(agentId, content)))
  }

  /** Reports keys typed into a terminal after its program exited. */
  async function reportLate(): Promise<void> {
    await append(attachments.takeLate().map(lateNotice))
  }

  /** Leaves unread input to the next runner. Reports the input for agents that don't continue. */
  async function passOn(options: Options): Promise<boolean> {
    const place = { sid, incarnation, generation, writer: deps.writer }
    const rest = await closeInbox(deps, place, { since: heardSeq, ...options })
    const agents = new Set(rest.flatMap((message) => attachments.receive(message) ?? []))
    await reportLate()
    await session.catchUp(options)
    for (const agentId of agents) if (!goesOn(agentId)) await reportUndelivered(agentId)
    return isUnreported || [...agents].some(goesOn)
  }

  return {
    expectLate(left) {
      for (const { pty, agentId, isTurn } of left) {
        const agent = attachments.ofAgent(agentId)
        if (isTurn) agent.addTurn(pty, NOTHING_SHOWN)
        agent.removeTerminal(pty)
      }
    },
    async deliverUnheard({ since, until }, { signal }) {
      if (since === null) return new Set()
      const claims = { sid, incarnation, since, until, head: session.state.head }
      const unheard = await findUnheard(deps, claims, { signal }).catch((error) => {
        signal.throwIfAborted()
        deps.report(error)
      })
      for (const [agentId, messages] of unheard?.messages ?? []) {
        for (const message of messages) attachments.ofAgent(agentId).deliver(message)
        owed.add(agentId)
        if (!goesOn(agentId)) await reportUndelivered(agentId)
      }
      return unheard?.typedInto ?? new Set()
    },
    async listen(options) {
      for await (const { seq, message } of readInbox(deps, sid, generation, options)) {
        about.onMessage()
        heardSeq = seq
        const agentId = attachments.receive(message)
        await reportLate()
        if (agentId !== undefined && !about.isAtWork(agentId)) await reportUndelivered(agentId)
      }
    },
    reportUndelivered,
    async close(options) {
      for (const agentId of owed) await reportUndelivered(agentId)
      try {
        return await passOn(options)
      } catch (error) {
        if (!isAppError(error, "session_deleted")) deps.report(error)
        // Assume that some input is left. The next runner checks.
        return true
      }
    },
  }
}
