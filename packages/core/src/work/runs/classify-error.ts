import * as z from "zod"
import { AppError, type ErrorCode, isAppError } from "../../errors.ts"
import { ModelError, type ModelErrorType, type UsedUp } from "../../models/errors.ts"

export interface Failure {
  error_type: ModelErrorType | "not_verified" | "merge_stopped"
  hint: string
}

/** Maps any error to a failure type known to clients, with a hint. Unrecognised errors become `unknown_error`. */
export function classifyError(error: unknown): Failure {
  const chain = causes(error)
  const isOfWorkflow = chain.some((link) => isAppError(link, "workflow_error"))
  const structured = chain.map(structuredCause).find((found) => found !== undefined)
  const cause = structured ?? (isOfWorkflow ? "incomplete" : textCause(chain))
  const own = chain.map(ownHint).find((hint) => hint !== undefined)
  return { error_type: typeOf(cause), hint: own ?? hints[cause] }
}

function ownHint(error: unknown): string | undefined {
  const hint = error instanceof AppError ? error.details?.hint : undefined
  return typeof hint === "string" ? hint : undefined
}

/** Cause of a failure. Finer-grained than the types known to clients, because each cause has its own hint. */
type Cause =
  | Failure["error_type"]
  | UsedUp
  | "sealed"
  | "step_limit"
  | "beyond_demo"
  | "incomplete"
  | "setup"
  | "impossible"
  | "blocked"
  | "busy"
  | "unfinished"

function typeOf(cause: Cause): Failure["error_type"] {
  if (cause === "step_limit" || cause === "beyond_demo" || cause === "setup" || cause === "impossible")
    return "invalid_request"
  if (cause === "incomplete" || cause === "blocked" || cause === "busy" || cause === "unfinished")
    return "unknown_error"
  if (cause === "sealed") return "auth_error"
  return cause === "credit" || cause === "quota" ? "rate_limit" : cause
}

export const NOT_VERIFIED_HINT =
  "The work is kept on its branch. Read the check results. Then give the agent another task, or finish the work yourself. If tests had to change, allow it in the task."

const hints = {
  rate_limit:
    "The model provider's rate limit was reached. Wait a moment, check the account's quota, or send smaller requests.",
  credit:
    "The account's credit with the model provider has run out, or its spending limit was reached. Waiting won't help: add credit or raise the limit in the provider's billing settings, or use another API key or account.",
  quota:
    "The account's plan with the model provider is used up. Run again when its limit resets, or use another API key or account.",
  auth_error:
    "The model provider rejected the API key. Check that it is complete, valid, and allowed to use this model.",
  sealed:
    "Start the server with the master key that was in use when the key was stored. If the master key is lost, store the API key again, or send it with a new run.",
  connection_error:
    "The model provider couldn't be reached, or the connection broke. Check your network and proxy, then run again.",
  context_limit: "The prompt is too large for this model. Shorten it, or choose a model with a larger context window.",
  invalid_request:
    "The request or the model's answer failed validation. Check the input and the model name, then run again.",
  unknown_error: "The cause is unknown. See the run details and the server log.",
  beyond_demo:
    "For anything else, use a real model: add a key in the studio, or set GROQ_API_KEY on the server and restart it. With OPENAI_API_KEY, ANTHROPIC_API_KEY or LOCAL_BASE_URL set, choose one of that provider's models for the run.",
  setup:
    "The agent didn't start. Open a shell in the worktree to see what is missing, fix the repository's setup in the settings, and try again.",
  impossible: "The task can't be done as given. Fix the problem described in the message, then send the task again.",
  step_limit: "The run needed more steps than recursion_limit allows. Raise the limit, or ask for fewer files.",
  incomplete:
    "The model didn't finish. The files it wrote are kept. Resume the run to continue from there, with a stronger model if you like.",
  not_verified: NOT_VERIFIED_HINT,
  unfinished: "The agent gave up. Its work is kept on its branch. Fix what blocked it, then give it the task again.",
  blocked: "Fix the problem described in the message, then try again.",
  busy: "Try again when the agent's task is finished, or cancel the task.",
  merge_stopped: "Fix the problem described in the message, then try again. Earlier merges are kept.",
} satisfies Record<Cause, string>

const appErrors: Partial<Record<ErrorCode, Cause>> = {
  validation_error: "invalid_request",
  invalid_request: "invalid_request",
  workspace_validation_error: "invalid_request",
  workspace_binary_file: "invalid_request",
  payload_too_large: "invalid_request",
  workspace_unauthorized: "auth_error",
  unauthorized: "auth_error",
  forbidden: "auth_error",
  secret_unreadable: "sealed",
  setup_failed: "setup",
  task_invalid: "impossible",
  worktree_conflict: "blocked",
  worktree_busy: "busy",
  merge_stopped: "merge_stopped",
  not_verified: "not_verified",
  task_unfinished: "unfinished",
}

const maxLinks = 5

function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  let link = error
  while (link !== undefined && link !== null && chain.length < maxLinks && !chain.includes(link)) {
    chain.push(link)
    link = link instanceof Error ? link.cause : undefined
  }
  return chain
}

function structuredCause(error: unknown): Cause | undefined {
  if (error instanceof ModelError && error.isBeyondDemo) return "beyond_demo"
  if (error instanceof ModelError) return error.usedUp ?? error.errorType
  if (error instanceof AppError) return appErrors[error.code]
  if (error instanceof z.core.$ZodError) return "invalid_request"
  // Compared by name, so that classifying errors doesn't load LangGraph.
  if (error instanceof Error && error.name === "GraphRecursionError") return "step_limit"
  return undefined
}

/**
 * Patterns in error messages, in order of priority. Status codes only match after the word "status", because a path may
 * contain any number.
 */
const patterns: [Cause, RegExp][] = [
  ["rate_limit", /\brate limit|\btoo many requests\b|\bstatus(?: code)?:? 429\b/],
  ["credit", /\bcredit balance\b|\bpayment required\b|\bstatus(?: code)?:? 402\b/],
  ["quota", /\bquota\b/],
  ["auth_error", /\bapi key\b|\bauthentication\b|\bunauthorized\b|\bforbidden\b|\bstatus(?: code)?:? 40[13]\b/],
  [
    "connection_error",
    /\bconnection (?:refused|error|reset)\b|\bconnecterror\b|\beconn\w+\b|\btime(?:d )?out\b|\bfetch failed\b/,
  ],
  ["context_limit", /\bcontext length\b|\bmax tokens\b|\btoo many tokens\b/],
  ["invalid_request", /\bvalidation\b|\binvalid\b|\bschema\b/],
]

function textCause(chain: unknown[]): Cause {
  const text = chain.map((link) => (link instanceof Error ? `${link.name}: ${link.message}` : String(link))).join("\n")
  return patterns.find(([, pattern]) => pattern.test(text.toLowerCase()))?.[0] ?? "unknown_error"
}

/** Returns the messages of an error and its causes, outermost first. Only for the operator. */
export function exceptionChain(error: unknown): string[] {
  return causes(error).map((link) => (link instanceof Error ? `${link.name}: ${link.message}` : String(link)))
}
