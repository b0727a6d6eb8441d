import { namedAgent } from "../../agents/conversations/state.ts"
import { combineRules } from "../../agents/permissions/repository-rules.ts"
import type { QuestionIndex } from "../../agents/questions/question-index.ts"
import { type Answer, type Question, QuestionContent } from "../../agents/questions/schema.ts"
import { repositoryRulesOf, type WaitingQuestion } from "../../agents/questions/state.ts"
import { AppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { readField } from "../../log/payload.ts"
import type { RulesOfOwners } from "../../people/settings/permission-rules.ts"
import { type ProtectedOptions, requireLoosening } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { createReconcile, type ReconcileDeps } from "../../work/runs/reconcile.ts"
import { endsRun } from "../../work/runs/schema.ts"
import { waking, wokenBy } from "../../work/runs/waking.ts"
import { agentName } from "../agent-name.ts"

export type QuestionsDeps = SessionLogDeps &
  ReconcileDeps & {
    blobs: Blobs
    questionIndex: QuestionIndex
    permissionRules: Pick<RulesOfOwners, "rulesFor">
  }

interface AskingSession {
  sid: string
  sessionId: string
  state: SessionState
}

/** Agents' questions to people, and the functions that answer them. */
export type Questions = ReturnType<typeof createQuestions>

export function createQuestions(deps: QuestionsDeps) {
  async function contentOf(sid: string, { seq }: WaitingQuestion, options: { signal: AbortSignal }) {
    for await (const event of deps.log.read(logName(sid), seq - 1, options)) {
      if (event.type !== "question_asked") break
      return readField(deps.blobs, event.question, QuestionContent, options)
    }
    throw new AppError("internal_error", "A question is missing from its session's log.")
  }

  async function describe(
    { sid, sessionId, state }: AskingSession,
    waiting: WaitingQuestion,
    options: { signal: AbortSignal },
  ): Promise<Question> {
    return {
      question_id: waiting.questionId,
      session_id: sessionId,
      run_id: waiting.runId,
      agent_id: waiting.agentId,
      agent_name: agentName(state, waiting.agentId),
      seq: waiting.seq,
      asked_at: waiting.askedAt,
      question: await contentOf(sid, waiting, options),
    }
  }

  /** Returns the session's open questions, oldest first. */
  async function ofSession(session: AskingSession, options: { signal: AbortSignal }): Promise<Question[]> {
    if (!isLive(session.state)) return []
    return Promise.all(session.state.questions.waiting.map((one) => describe(session, one, options)))
  }

  return {
    ofSession,
    /** Returns the open questions of all the owner's sessions, newest first. */
    async ofOwner(owner: string, options: { signal: AbortSignal }): Promise<Question[]> {
      const found: Question[] = []
      for await (const { sid, sessionId } of deps.questionIndex.sessionsOf(owner, options)) {
        const { state } = await openSessionLog(deps, sid, options)
        found.push(...(await ofSession({ sid, sessionId, state }, options)))
      }
      return found.sort((a, b) => b.asked_at.localeCompare(a.asked_at))
    },
    /** Returns the number of open questions in all the owner's sessions. */
    async countOf(owner: string, options: { signal: AbortSignal }): Promise<number> {
      let count = 0
      for await (const { sid } of deps.questionIndex.sessionsOf(owner, options)) {
        const { state } = await openSessionLog(deps, sid, options)
        if (isLive(state)) count += state.questions.waiting.length
      }
      return count
    },
    /**
     * Answers a question, and wakes the run that waits for the answer. Throws `question_answered` if the question has
     * already been answered, and `question_not_found` if it no longer needs an answer. Throws `forbidden` if the caller
     * may not weaken the owner's protections and the answer does so, by raising a budget or by permanently permitting
     * an action that a rule asks about.
     */
    async answer(
      { sid }: { sid: string },
      questionId: string,
      { answer, owner, by }: { answer: Answer; owner: string; by: string },
      options: ProtectedOptions,
    ): Promise<void> {
      // Load the module when the first answer arrives, to keep cold starts short.
      const { answerQuestion, isAskedByRule } = await import("../../agents/questions/answer-question.ts")
      const session = await openSessionLog(deps, sid, options)
      const question = session.state.questions.waiting.find((one) => one.questionId === questionId)
      const content = question && (await contentOf(sid, question, options))
      if (question && answer.choice === "allow_session" && content?.kind === "permission") {
        const { session: about, questions } = session.state
        const owners = await deps.permissionRules.rulesFor(owner, about.repository, options)
        const { rules: repository } =
          repositoryRulesOf(session.state, namedAgent(session.state, question.agentId)?.worktree) ?? {}
        const combined = combineRules({ owner: owners, repository, allows: false })
        if (isAskedByRule([...combined, ...questions.sessionRules], content))
          requireLoosening("a rule that asks", options)
      }
      // Add the hint first, so that the sweep launches the waiting run even if this process ends right after the
      // answer.
      const hint = { kind: "run" as const, sid, run_id: question?.runId ?? "" }
      if (question) await deps.due.add(hint, deps.clock.now() + START_WITHIN_MS, options)
      const decided = await session.decide(
        waking(
          answerQuestion(questionId, { content, answer, by, now: deps.clock.now(), mayLoosen: options.mayLoosen }),
        ),
        options,
      )
      const reconcile = createReconcile(deps)
      const ended = decided.flatMap((event) => (endsRun(event) && event.run_id !== undefined ? [event.run_id] : []))
      const runs = question ? [question.runId, ...wokenBy(decided), ...ended] : []
      for (const runId of new Set(runs)) await reconcile(session, runId, options)
    },
  }
}
