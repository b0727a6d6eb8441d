import type { EventOf } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import type { Part } from "../../kernel/part.ts"
import type { BudgetScope } from "../../people/budget/schema.ts"
import { questionTitle } from "../../work/headlines/question-title.ts"
import { endsRun } from "../../work/runs/schema.ts"
import { MAIN_AGENT } from "../conversations/schema.ts"
import type { ReadRules } from "../permissions/repository-rules-schema.ts"
import type { PermissionMode, PermissionRule } from "../permissions/schema.ts"
import type { Answer, QuestionKind } from "./schema.ts"

/** Unanswered question. Its content is in the event that asked it. */
export interface WaitingQuestion {
  questionId: string
  runId: string
  agentId: string
  kind: QuestionKind
  seq: number
  askedAt: string
  /** True if the question outlives its run. The answer is then delivered as a message. */
  isKept: boolean
  /** Scope of the budget that the question is about. Null for all other questions. */
  budget: BudgetScope | null
  /** The question on one line. Absent in snapshots from older servers. */
  title?: string
}

interface AnsweredQuestion {
  questionId: string
  choice: Answer["choice"]
  by: string
}

/** Changes to an agent's permissions since its run was started. */
interface AgentPermissions {
  mode: PermissionMode | null
  rules: PermissionRule[]
}

export interface QuestionsState {
  /** Total number of questions asked so far. */
  asked: number
  /** Open questions, in the order they were asked. */
  waiting: WaitingQuestion[]
  /** Recently answered questions, kept for clients that answer late. */
  answered: AnsweredQuestion[]
  agents: { [agentId: string]: AgentPermissions }
  /** Rules that apply to all agents in the session. */
  sessionRules: PermissionRule[]
  /** Rules in the repository's file, by worktree. */
  repositoryRules: { [worktree: string]: ReadRules }
  /** Consents to project files that start programs. They were given with runs in the session. */
  startFiles: GivenConsent[]
}

interface GivenConsent {
  runId: string
  digest: string
  files: string[]
}

/** Maximum number of consents that are kept. The oldest ones are dropped. */
const MAX_CONSENTS = 20
const MAX_ANSWERED = 50
/** Maximum length of a question's title. It keeps the state small, whatever an agent asks. */
const MAX_TITLE_CHARS = 200
/** Maximum number of rules per agent, because a session's snapshot is limited in size. The oldest rules are dropped. */
const MAX_RULES = 50

export const questionsPart: Part<QuestionsState> = {
  version: 7,
  initial: { asked: 0, waiting: [], answered: [], agents: {}, sessionRules: [], repositoryRules: {}, startFiles: [] },
  apply(part, event) {
    // A run's questions end when the run ends, or when another executor claims the run.
    if (event.run_id && (endsRun(event) || event.type === "run_claimed")) return withoutRun(part, event.run_id)
    switch (event.type) {
      case "question_asked":
        return { ...part, asked: part.asked + 1, waiting: [...part.waiting, waitingQuestion(event)] }
      case "question_answered": {
        const { question_id: questionId, answer, by } = event
        const answered = [...part.answered, { questionId, choice: answer.choice, by }].slice(-MAX_ANSWERED)
        return { ...part, waiting: without(part.waiting, questionId), answered }
      }
      case "question_kept": {
        const kept = part.waiting.map((one) => (one.questionId === event.question_id ? { ...one, isKept: true } : one))
        return { ...part, waiting: kept }
      }
      case "agent_closed":
        return { ...part, waiting: part.waiting.filter(({ agentId }) => agentId !== event.agent_id) }
      case "question_withdrawn":
        return { ...part, waiting: without(part.waiting, event.question_id) }
      case "agent_created":
      case "agent_mode_changed":
        return withPermissions(part, event.agent_id, (before) => ({ ...before, mode: event.mode }))
      case "session_rules_set":
        return { ...part, sessionRules: event.rules }
      case "repository_rules_read": {
        const { worktree = MAIN_WORKTREE, commit, rules, fault } = event
        const read = { commit, rules, ...(fault !== undefined && { fault }) }
        return { ...part, repositoryRules: { ...part.repositoryRules, [worktree]: read } }
      }
      case "start_files_allowed": {
        const { run_id: runId, digest, files, given_before } = event
        if (given_before || runId === undefined) return part
        return { ...part, startFiles: [...part.startFiles, { runId, digest, files }].slice(-MAX_CONSENTS) }
      }
      case "agent_tool_allowed":
        return withPermissions(part, event.agent_id, ({ mode, rules }) => ({
          mode,
          rules: [...rules, event.rule].slice(-MAX_RULES),
        }))
      default:
        return part
    }
  },
}

/** Returns the rules in the repository's file that apply in a worktree. Undefined if no runner has read the file. */
export function repositoryRulesOf(
  { questions: { repositoryRules } }: { questions: QuestionsState },
  worktree: string = MAIN_WORKTREE,
): ReadRules | undefined {
  return Object.hasOwn(repositoryRules, worktree) ? repositoryRules[worktree] : undefined
}

/** Returns the permissions of an agent that have changed since its run was started. */
export function permissionsOf({ questions }: { questions: QuestionsState }, agentId: string): AgentPermissions {
  return (Object.hasOwn(questions.agents, agentId) && questions.agents[agentId]) || { mode: null, rules: [] }
}

function withoutRun(part: QuestionsState, runId: string): QuestionsState {
  const left = part.waiting.filter((question) => question.runId !== runId || question.isKept)
  return left.length === part.waiting.length ? part : { ...part, waiting: left }
}

function without(waiting: WaitingQuestion[], questionId: string): WaitingQuestion[] {
  return waiting.filter((question) => question.questionId !== questionId)
}

function withPermissions(
  part: QuestionsState,
  agentId: string = MAIN_AGENT,
  change: (before: AgentPermissions) => AgentPermissions,
): QuestionsState {
  return { ...part, agents: { ...part.agents, [agentId]: change(permissionsOf({ questions: part }, agentId)) } }
}

function waitingQuestion(event: EventOf<"question_asked">): WaitingQuestion {
  const { question_id: questionId, run_id, agent_id, kind, seq, ts, budget = null } = event
  return {
    questionId,
    runId: run_id ?? "",
    agentId: agent_id ?? MAIN_AGENT,
    kind,
    seq,
    askedAt: ts,
    isKept: false,
    budget,
    title: titleOf(event),
  }
}

/** Returns the question on a single line. If the question is stored outside the log, returns a generic title. */
function titleOf({ question }: EventOf<"question_asked">): string {
  const line = questionTitle("kind" in question ? question : undefined).replaceAll(/\s+/g, " ")
  return line.slice(0, MAX_TITLE_CHARS).toWellFormed()
}
