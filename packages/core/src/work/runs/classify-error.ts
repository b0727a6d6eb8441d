import * as z from "zod"
import { AppError, type ErrorCode, errorChain } from "../../errors.ts"
import { ModelError, type ModelErrorType, type UsedUp } from "../../models/errors.ts"
import { systemFault } from "../../system-faults.ts"

/** Reason for the failure of a run, as shown to clients. */
export interface Failure {
  /** Type of the model error or system fault, or the code of an `AppError`. */
  error_type: string
  /** Undefined if the cause of the failure is unknown. */
  message: string | undefined
  hint: string
}

/**
 * Maps any error to a failure with a hint on how to resolve it. `unknown_error` is only for unforeseen errors, which
 * come neither from our code nor from a provider, and aren't known faults of the system, the network or AWS.
 */
export function classifyError(error: unknown): Failure {
  const chain = errorChain(error)
  const told = chain.find((link) => link instanceof AppError)
  const own = (name: "error_type" | "hint") =>
    chain.map((link) => detailOf(link, name)).find((text) => text !== undefined)
  const { error_type, message, hint } = failureOf(chain, told)
  return { error_type: own("error_type") ?? error_type, message: told?.message ?? message, hint: own("hint") ?? hint }
}

function failureOf(chain: unknown[], told: AppError | undefined): Omit<Failure, "message"> & Partial<Failure> {
  for (const link of chain) {
    const cause = structuredCause(link)
    if (cause) return { error_type: typeOf(cause), hint: hints[cause] }
    const fault = systemFault(link)
    if (fault) return { error_type: fault.type, message: fault.message, hint: fault.hint }
  }
  if (told && told.code !== "internal_error") {
    const type = told.code === "workflow_error" ? "incomplete" : told.code
    return { error_type: type, hint: codeHints[told.code] ?? DEFAULT_HINT }
  }
  const cause = textCause(chain)
  return { error_type: typeOf(cause), hint: hints[cause] }
}

/** Returns a detail of an `AppError`. Undefined for other errors. */
function detailOf(error: unknown, name: "error_type" | "hint"): string | undefined {
  const detail = error instanceof AppError ? error.details?.[name] : undefined
  return typeof detail === "string" ? detail : undefined
}
/**
 * Cause of a failure that has no error code of its own. Causes are more specific than types, because each cause has its
 * own hint.
 */
type Cause = ModelErrorType | UsedUp | "plan_limit" | "sealed" | "step_limit" | "beyond_demo" | "unknown_error"

function typeOf(cause: Cause): ModelErrorType | "unknown_error" {
  if (cause === "step_limit" || cause === "beyond_demo") return "invalid_request"
  if (cause === "sealed") return "auth_error"
  if (cause === "plan_limit") return "context_limit"
  return cause === "credit" || cause === "quota" ? "rate_limit" : cause
}

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
  plan_limit:
    "The request is too large for the account's plan, even with less of the project's files. Choose a model or a plan with a higher limit, or shorten the prompt.",
  invalid_request:
    "The request or the model's answer failed validation. Check the input and the model name, then run again.",
  provider_error:
    "The model provider reported an error of its own. If the message doesn't help, look at the provider's status page, or choose another model.",
  unknown_error: "The cause is unknown. See the run details and the server log.",
  beyond_demo:
    "For anything else, use a real model: add a key in the studio, or set GROQ_API_KEY on the server and restart it. With OPENAI_API_KEY, ANTHROPIC_API_KEY or LOCAL_BASE_URL set, choose one of that provider's models for the run.",
  step_limit: "The run needed more steps than recursion_limit allows. Raise the limit, or ask for fewer files.",
} satisfies Record<Cause, string>

/** Error codes that clients receive as the type of a model error. */
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
}

export const NOT_VERIFIED_HINT =
  "The work is kept on its branch. Read the check results. Then give the agent another task, or finish the work yourself. If tests had to change, allow it in the task."

/** Hints on how to resolve errors with other codes. Their messages already name the cause. */
const codeHints: Partial<Record<ErrorCode, string>> = {
  workflow_error:
    "The model didn't finish. The files it wrote are kept. Resume the run to continue from there, with a stronger model if you like.",
  not_verified: NOT_VERIFIED_HINT,
  task_unfinished:
    "The agent gave up. Its work is kept on its branch. Fix what blocked it, then give it the task again.",
  task_invalid: "The task can't be done as given. Fix the problem described in the message, then send the task again.",
  agent_failed:
    "The agent's program failed. Its work is kept on its branch. Read its last output, then give it the task again, with another agent if it fails again.",
  agents_unavailable: "Follow the message on the server's machine, or choose another agent. Then send the task again.",
  setup_failed:
    "Open a shell in the worktree to see what is missing, fix the repository's setup in the settings or its `.switchyard/setup.yaml`, and try again.",
  worktree_busy: "Try again when the agent's task is finished, or cancel the task.",
  merge_stopped: "Fix the problem described in the message, then try again. Earlier merges are kept.",
  budget_reached: "Raise the budget, or wait until it starts again.",
  storage_unavailable:
    "Try again in a minute. If it happens again, check the disk's space, or AWS's limits and health.",
  storage_damaged: "Restore the server's data folder from a backup. Other sessions are not affected.",
  git_error: "The details and the log have git's output. Check the repository in a terminal, then try again.",
  command_interrupted: "The command may have taken effect anyway. Check the worktree before you try again.",
}
const DEFAULT_HINT = "Fix the problem described in the message, then try again."

function structuredCause(error: unknown): Cause | undefined {
  if (error instanceof ModelError && error.isBeyondDemo) return "beyond_demo"
  if (error instanceof ModelError && error.errorType === "context_limit" && error.limit) return "plan_limit"
  if (error instanceof ModelError) return error.usedUp ?? error.errorType
  if (error instanceof AppError) return appErrors[error.code]
  if (error instanceof z.core.$ZodError) return "invalid_request"
  // Compare the name, because importing the class would load LangGraph.
  if (error instanceof Error && error.name === "GraphRecursionError") return "step_limit"
  return undefined
}

/**
 * Patterns in error messages, in order of priority. A status code matches only after the word "status", because a path
 * may contain any number.
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

/** Returns the messages of an error and its causes, outermost first. Must only be shown to the operator. */
export function exceptionChain(error: unknown): string[] {
  return errorChain(error).map((link) => (link instanceof Error ? `${link.name}: ${link.message}` : String(link)))
}
