import { logName } from "../../kernel/keys.ts"
import type { Rule, SessionLog } from "../../kernel/session-log.ts"
import { endsRun } from "../../work/runs/schema.ts"
import { activeRun, runOf } from "../../work/runs/state.ts"
import type { OpenAsk } from "./ask-state.ts"
import { type AskFailure, answerAsk, failAsk, remindOfAsk } from "./peer-rules.ts"
import type { PeersDeps } from "./peers.ts"
import { lastWords } from "./read-conversation.ts"
import { hasWork, openAgent } from "./state.ts"

export interface AskKeeperDeps extends PeersDeps {
  report: (error: unknown) => void
}

/** Time after which a silent agent is reminded of a question that it hasn't answered. */
const REMIND_AFTER_MS = 15_000

const FAILURES: { [status: string]: AskFailure } = { cancelled: "interrupted", failed: "failed" }

/**
 * Closes every question between agents. A question is answered with the last reply from the asked agent's turn, or
 * closed after several reminders. Starts with the questions that an earlier runner left open.
 */
export async function keepAsks(
  deps: AskKeeperDeps,
  session: SessionLog,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const remindersDue = new Set<string>()

  async function decide(rule: Rule, runId: string): Promise<void> {
    const events = await session.decide(rule, { signal })
    if (events.some(({ type }) => type === "agent_message_queued")) deps.moved(runId)
  }

  async function settleAll(): Promise<void> {
    const { agents } = await session.catchUp({ signal })
    for (const ask of Object.values(agents.asks)) await settle(ask)
  }

  /**
   * Closes a question if the run that received it has ended. If it can't be closed yet, schedules a reminder for the
   * agent that was asked.
   */
  async function settle(ask: OpenAsk): Promise<void> {
    const { messageId, to, takenBy: runId } = ask
    if (runId === null || ask.unansweredAt === null) return
    const run = runOf(session.state, runId)
    const why = FAILURES[run?.status ?? ""]
    const reply = deps.newId("msg")
    if (why) return decide(failAsk(messageId, runId, { why, reply }), runId)
    const said = run && (await lastWords(deps, session, to, { since: run.firstSeq, runId, signal }))
    if (said) return decide(answerAsk(messageId, runId, { text: said.text, reply }), runId)
    remindLater(ask, runId).catch((error) => void (signal.aborted || deps.report(error)))
  }

  async function remindLater({ messageId, to, unansweredAt }: OpenAsk, runId: string): Promise<void> {
    const key = `${messageId} ${unansweredAt}`
    if (remindersDue.has(key)) return
    remindersDue.add(key)
    try {
      await deps.clock.sleep(REMIND_AFTER_MS, { signal })
      const state = await session.catchUp({ signal })
      const agent = openAgent(state, to)
      // If the agent is working, the end of its turn schedules the next reminder.
      if (!agent || activeRun(state, to) || hasWork(agent)) return
      await decide(remindOfAsk(messageId, deps.newId("msg")), runId)
    } finally {
      remindersDue.delete(key)
    }
  }

  await settleAll()
  for await (const event of deps.log.tail(logName(session.sid), session.state.head, { signal })) {
    if (endsRun(event)) await settleAll()
  }
}
