import { cliOf } from "@switchyard/core/agents/added/cli-of"
import { brokenPrompt, circlePrompt, continuationPrompt } from "@switchyard/core/agents/conversations/prompt"
import type { NewEvent } from "@switchyard/core/events"
import { trimEndWhere } from "@switchyard/core/text/trim"
import type { AgentMessage } from "./conversation.ts"
import type { ModelRetry } from "./model-retries.ts"
import { isDone, type Task } from "./task.ts"
import { firstPrompt, freshPrompt, isAnswer, messagesPrompt } from "./task-prompt.ts"
import type { EndOfTurn } from "./turn.ts"

export interface TaskTurn {
  prompt: string
  /** Agent session to resume; null to start a new one. */
  resume: string | null
  /**
   * Number of the attempt. It is 1 for a turn with the task or a message, and increases with each turn that ends
   * without a summary.
   */
  attempt: number
  /** Number of turns that ended because the agent went in circles. */
  circles: number
  /** True if the program starts with its fallback launch plan. */
  fallback: boolean
}

export interface NextTurn {
  turn: TaskTurn
  /** Log events that begin the turn. Undefined if the same turn is retried in a different way. */
  words?: NewEvent[]
  /** True if a person works with the agent in its own UI before the turn. */
  withPerson?: boolean
  /** Time to wait before the turn. */
  afterMs?: number
}

interface Ended {
  turn: TaskTurn
  end: EndOfTurn
  /** True if the run is being stopped. */
  aborted: boolean
}

/** Maximum number of continuation turns for an agent that ends its turns without a summary. */
const MAX_CONTINUATIONS = 3
/** Maximum number of additional turns for an agent that goes in circles. */
const MAX_CIRCLES = 2

export function firstTurn(task: Task): TaskTurn {
  const { resume } = task
  return { prompt: firstPrompt(task, resume), resume, attempt: 1, circles: 0, fallback: false }
}

/** True if messages that the agent hasn't received start another turn after this one. */
export function takesMessages({ end, aborted }: Ended): boolean {
  return isDone(end.outcome) && end.parked === undefined && !end.takenOver && !aborted
}

/** True if the program no longer has the session that the turn should have resumed. */
export function isSessionLost({ turn, end }: Ended): boolean {
  return isFailed(end, "session_not_found") && turn.resume !== null
}

/** Returns the next turn. Returns null if the task is over or waits for an answer. */
export function nextTurn(task: Task, ended: Ended, unheard: AgentMessage[]): NextTurn | null {
  const { turn, end, aborted } = ended
  if (!aborted) {
    if (end.parked !== undefined) return null
    const next = turnForMessages(task, ended, unheard) ?? turnToGoOn(task, ended)
    if (next) return next
  }
  if (isSessionLost(ended)) {
    return { turn: { ...turn, resume: null, prompt: freshPrompt(task) } }
  }
  const hasOtherWay = !aborted && !turn.fallback && !end.spoke && "fallback" in cliOf(task.input.cli)
  return hasOtherWay && end.outcome.type === "failed" ? { turn: { ...turn, fallback: true } } : null
}

function turnForMessages(task: Task, { turn, end }: Ended, unheard: AgentMessage[]): NextTurn | null {
  if (unheard.length === 0) return null
  const resume = end.nativeSession ?? turn.resume
  return {
    turn: { ...turn, attempt: 1, resume, prompt: messagesPrompt(task, unheard, resume !== null) },
    words: unheard.map(({ content, source }) => ({ type: "user_message", content, source })),
  }
}

/**
 * Returns a turn that continues the task, if a person worked with the agent, or if the agent gave no summary or went in
 * circles.
 */
function turnToGoOn(task: Task, { turn, end }: Ended): NextTurn | null {
  const { outcome, nativeSession } = end
  if (end.takenOver && nativeSession !== null) {
    const prompt = continuationPrompt(task.input.task, "", true)
    return { ...continued({ ...turn, resume: nativeSession, prompt }), withPerson: true }
  }
  if (isAnswer(task)) return null
  if (outcome.type === "needs_continuation" && turn.attempt <= MAX_CONTINUATIONS) {
    const prompt = continuationPrompt(task.input.task, end.lastMessage, nativeSession !== null)
    return continued({ ...turn, attempt: turn.attempt + 1, resume: nativeSession, prompt })
  }
  if (isFailed(end, "repeating") && turn.circles < MAX_CIRCLES) {
    // The first time, only tell the agent that it went in circles. After that, start the agent again without the
    // session in which it went in circles.
    const circles = turn.circles + 1
    const resume = circles === 1 ? (nativeSession ?? turn.resume) : null
    const prompt = circlePrompt(task.input.task, end.outcome.message, task.notes, { fresh: resume === null })
    return continued({ ...turn, circles, resume, prompt })
  }
  return null
}

/** Returns a repetition of the turn, for an agent whose model failed. */
export function repeated({ turn, end }: Ended, { problem, delayMs }: ModelRetry): NextTurn {
  const again = { ...turn, resume: end.nativeSession ?? turn.resume, prompt: brokenPrompt(turn.prompt) }
  const message = `${trimEndWhere(problem.message, (char) => /[.\s]/.test(char))}. Retrying in ${Math.ceil(delayMs / 1000)} seconds.`
  return { turn: again, words: [{ type: "agent_retried", problem: problem.kind, message }], afterMs: delayMs }
}

function continued(turn: TaskTurn): NextTurn {
  return { turn, words: [{ type: "user_message", content: turn.prompt, source: "continuation" }] }
}

type Failure = Extract<EndOfTurn["outcome"], { type: "failed" }>

function isFailed(end: EndOfTurn, problem: Failure["problem"]): end is EndOfTurn & { outcome: Failure } {
  return end.outcome.type === "failed" && end.outcome.problem === problem
}
