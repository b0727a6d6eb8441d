import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { type ReportedCost, withCost } from "./turn-cost.ts"

export interface TerminalView {
  pty: string
  /** Run whose agent works in the terminal; null for a terminal opened manually. */
  runId: string | null
  title: string
  rows: number
  cols: number
  /** True once its program has exited or its runner is gone. */
  closed: boolean
  exitCode: number | null
  hasRecording: boolean
}

export type QuestionContent = Exclude<ReturnType<typeof inlined<EventOfType<"question_asked">["question"]>>, undefined>

/** A question waiting for a person. */
export interface QuestionView {
  questionId: string
  runId: string | null
  agentId: string
  /** Undefined if the content was too large for the log and its bytes are gone. */
  content: QuestionContent | undefined
  /** True if the question outlives its run. The answer then becomes a message. */
  isKept: boolean
}

export interface TodoView {
  text: string
  status: "pending" | "in_progress" | "completed"
}

/** State of a session's command-line agents, and their terminals. */
export interface AgentView extends ReportedCost {
  /** Name; null for an agent known only from tasks, whose ID is its name. */
  name: string | null
  cli: string | null
  /** Name of the account that the agent uses. */
  account: string | null
  model: string | null
  /** Worktree, if one was assigned when the agent was added. */
  worktree: string | null
  /** Agent that started this one. */
  parent: string | null
  isClosed: boolean
  /** IDs of the messages that wait until the agent is idle. */
  queued: readonly string[]
  todos: readonly TodoView[]
  /** Oldest first. */
  terminals: TerminalView[]
  /** In the order in which they were asked. */
  questions: QuestionView[]
  /** Permission mode; null if it was never set. */
  mode: string | null
  /** True from the start of a run until its program has started. */
  isStarting: boolean
  progress: string | null
}

export const noAgent: AgentView = {
  name: null,
  cli: null,
  account: null,
  model: null,
  worktree: null,
  parent: null,
  isClosed: false,
  queued: [],
  todos: [],
  terminals: [],
  questions: [],
  mode: null,
  isStarting: false,
  progress: null,
  costUsd: null,
  turnCostUsd: 0,
}

export function reduceAgent(agent: AgentView, event: StudioEvent): AgentView {
  switch (event.type) {
    case "agent_created": {
      const { name, cli, account, model, mode, worktree, parent = null } = event
      return { ...agent, name, cli, account, model, mode, worktree, parent, isClosed: false }
    }
    case "run_created":
      return event.program ? { ...agent, ...startedBy(event), isStarting: true } : agent
    case "agent_renamed":
      return { ...agent, name: event.name }
    case "agent_program_changed":
      return { ...agent, cli: event.cli, account: event.account, model: event.model }
    case "agent_message_queued":
      return { ...agent, queued: [...agent.queued, event.message_id] }
    case "agent_message_delivered":
      return { ...agent, queued: agent.queued.filter((id) => !event.message_ids.includes(id)) }
    case "agent_todos_changed":
      return { ...agent, todos: event.todos }
    case "agent_turn_started":
      return { ...agent, cli: event.cli, turnCostUsd: 0, isStarting: false }
    case "provider_switched":
      return { ...agent, turnCostUsd: 0 }
    case "terminal_opened":
      return { ...agent, terminals: [...agent.terminals, opened(event)] }
    case "terminal_closed":
      return { ...agent, terminals: agent.terminals.map((terminal) => closedBy(terminal, event)) }
    case "runner_claimed":
      // The previous runner's terminals are gone.
      return withDead(agent, () => true)
    case "run_cancelled":
    case "run_failed":
    case "run_completed":
      return {
        ...withDead(withoutQuestions(agent, event.run_id), ({ runId }) => runId === event.run_id),
        isStarting: false,
      }
    case "question_asked":
      return { ...agent, questions: [...agent.questions, asked(event)] }
    case "question_answered":
    case "question_withdrawn":
      return { ...agent, questions: agent.questions.filter(({ questionId }) => questionId !== event.question_id) }
    case "question_kept":
      return { ...agent, questions: agent.questions.map((one) => keptBy(one, event.question_id)) }
    case "agent_closed":
      return { ...agent, isClosed: true, queued: [], questions: [] }
    case "agent_mode_changed":
      return { ...agent, mode: event.mode }
    case "run_claimed":
      return withoutQuestions(agent, event.run_id)
    case "progress":
      return { ...agent, progress: event.summary }
    case "agent_usage":
      return event.cost_usd === null ? agent : { ...agent, ...withCost(agent, event.cost_usd) }
    default:
      return agent
  }
}

/** A task sets the agent's program, and its mode if it names one. */
function startedBy({ input, program }: EventOfType<"run_created">): Partial<AgentView> {
  const request = inlined(input)
  const mode = request && "cli" in request ? request.mode : undefined
  return { ...program, ...(mode !== undefined && { mode }) }
}

function asked({ question_id, question, run_id, agent_id }: EventOfType<"question_asked">): QuestionView {
  const about = { questionId: question_id, runId: run_id ?? null, agentId: agent_id ?? "main" }
  return { ...about, content: inlined(question), isKept: false }
}

function keptBy(question: QuestionView, questionId: string): QuestionView {
  return question.questionId === questionId ? { ...question, isKept: true } : question
}

/** A run's questions end with it, or when the executor waiting for the answers is gone. */
function withoutQuestions(agent: AgentView, runId: string | undefined): AgentView {
  const left = agent.questions.filter((question) => question.runId !== runId || question.isKept)
  return left.length === agent.questions.length ? agent : { ...agent, questions: left }
}

function opened({ pty, run_id, title, rows, cols }: EventOfType<"terminal_opened">): TerminalView {
  return { pty, runId: run_id ?? null, title, rows, cols, closed: false, exitCode: null, hasRecording: false }
}

function closedBy(terminal: TerminalView, event: EventOfType<"terminal_closed">): TerminalView {
  if (terminal.pty !== event.pty) return terminal
  return { ...terminal, closed: true, exitCode: event.exit_code, hasRecording: event.recording !== null }
}

function withDead(agent: AgentView, isDead: (terminal: TerminalView) => boolean): AgentView {
  if (!agent.terminals.some((terminal) => !terminal.closed && isDead(terminal))) return agent
  const terminals = agent.terminals.map((terminal) => (isDead(terminal) ? { ...terminal, closed: true } : terminal))
  return { ...agent, terminals }
}
