import * as z from "zod"
import { AppError, type ErrorCode, isAppError } from "../../errors.ts"
import { ModelError, type ModelErrorType, type UsedUp } from "../../models/errors.ts"

export interface Failure {
  error_type: ModelErrorType | "not_verified" | "merge_stopped"
  hint: string
}

/** Why a run failed, in the closed set that clients know, with what to do about it. Every kind of error has an answer. */
export function classifyError(error: unknown): Failure {
  const chain = causes(error)
  const isOfWorkflow = chain.some((link) => isAppError(link, "workflow_error"))
  const structured = chain.map(structuredCause).find((found) => found !== undefined)
  const cause = structured ?? (isOfWorkflow ? "incomplete" : textCause(chain))
  const own = chain.map(ownHint).find((hint) => hint !== undefined)
  return { error_type: typeOf(cause), hint: own ?? hints[cause] }
}

/** The hint that an error brings with it. */
function ownHint(error: unknown): string | undefined {
  const hint = error instanceof AppError ? error.details?.hint : undefined
  return typeof hint === "string" ? hint : undefined
}

/** There is more to be done about a failure than clients have types for. */
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
  "The work is kept on its branch. Look at what the checks said; then give the agent another task, or finish it yourself. If tests had to change, allow it with the task."

const hints = {
  rate_limit:
    "The model provider's limit is reached. Wait a little, check the account's quota, or ask for less at once.",
  credit:
    "The account's credit with the model provider has run out, or its spending limit is reached. Waiting doesn't help: add credit or raise the limit in the provider's billing settings, or use another API key or account.",
  quota:
    "What the account's plan with the model provider allows is used up. Run again when its limit resets, or use another API key or account.",
  auth_error:
    "The model provider did not accept the API key. Check that it is complete, valid, and allowed to use this model.",
  sealed:
    "Start the server with the master key that it had when the key was stored. Where that is lost, store the key again, or give it with a new run.",
  connection_error: "The model provider could not be reached or broke off. Check network and proxy, then run again.",
  context_limit: "The prompt is too large for this model. Shorten it, or choose a model with a larger context.",
  invalid_request:
    "The request or the model's answer failed validation. Check the input and the model's name, then run again.",
  unknown_error: "The cause is unknown. The run's details and the server's log say more.",
  beyond_demo:
    "For anything else, use a real model: add a key in the studio, or set GROQ_API_KEY on the server and start it again. With OPENAI_API_KEY, ANTHROPIC_API_KEY or LOCAL_BASE_URL set, choose one of its models for the run.",
  setup:
    "The agent didn't begin. Open a shell in the worktree to see what is missing, correct the repository's set-up in the settings, and try again.",
  impossible: "The task can't be done as it was given. Correct what the message names, and give it again.",
  step_limit: "The run needed more steps than recursion_limit allows. Raise the limit, or ask for fewer files.",
  incomplete:
    "The model did not get this done. The files that it wrote are kept. Resume the run to go on from there, with a stronger model if you like.",
  not_verified: NOT_VERIFIED_HINT,
  unfinished:
    "The agent gave up. What it did is kept on its branch. Clear what stands in its way, then give it the task again.",
  blocked: "Resolve what stands in the way, then try again.",
  busy: "Try again when the agent's task is over, or cancel that.",
  merge_stopped: "Resolve what stands in the way, then try again. What was merged before stays merged.",
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
  // By its name, so that LangGraph isn't loaded where only errors are read.
  if (error instanceof Error && error.name === "GraphRecursionError") return "step_limit"
  return undefined
}

/** The reference's order. Numbers count only where they are called a status, for a path may hold any. */
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

/** The messages of an error and its causes, outermost first. Not for strangers' eyes. */
export function exceptionChain(error: unknown): string[] {
  return causes(error).map((link) => (link instanceof Error ? `${link.name}: ${link.message}` : String(link)))
}
