import type { Problem, ProblemKind } from "@switchyard/core/agents/clis/schema"
import { problemInStderr } from "@switchyard/core/agents/protocols/problems"
import { ModelError, type ModelErrorType, type UsedUp } from "@switchyard/core/models/errors"
import { modelProviders } from "@switchyard/core/models/providers/providers"
import { describeExit } from "@switchyard/core/system-faults"
import type { Exit } from "./start-program.ts"

const { install, login } = modelProviders["claude-code"].program ?? { install: "", login: "" }

const TYPES: Partial<Record<ProblemKind, [ModelErrorType, UsedUp?]>> = {
  auth: ["auth_error"],
  billing: ["rate_limit", "credit"],
  quota_exhausted: ["rate_limit", "quota"],
  rate_limited: ["rate_limit"],
  context_full: ["context_limit"],
  model_not_found: ["invalid_request"],
  overloaded: ["connection_error"],
  network: ["connection_error"],
  timeout: ["connection_error"],
}

/** Converts an error reported by Claude Code to a `ModelError`. For login errors, adds instructions for logging in. */
export function toModelError({ kind, message, resets_at }: Problem): ModelError {
  const [type, usedUp] = TYPES[kind] ?? ["provider_error"]
  const retryAfterMs = resets_at ? Math.max(0, Date.parse(resets_at) - Date.now()) : undefined
  const way = kind === "auth" ? ` Run \`${login}\` on the machine of the server, then start the run again.` : ""
  return new ModelError(type, `Claude Code: ${message}${/[.!?]$/.test(message) ? "" : "."}${way}`, {
    retryAfterMs,
    ...(usedUp && { usedUp }),
  })
}

/** Returns the error for a program that exited without an answer. */
export function explainExit({ exitCode, signal, stderr }: Exit, retrying: Problem | undefined): ModelError {
  const [, option] = /unknown option '([^']{1,100})'/.exec(stderr) ?? []
  if (option !== undefined) {
    const message = `The installed Claude Code is too old to serve as a model: it doesn't know ${option}. Run \`claude update\`.`
    return new ModelError("provider_error", message)
  }
  const known = problemInStderr(stderr) ?? retrying
  if (known) return toModelError(known)
  const last = stderr.trim().split("\n").at(-1)?.trim().slice(0, 300)
  const message = `Claude Code ${describeExit({ exitCode, signal })} without an answer.`
  return new ModelError("provider_error", last ? `${message} Its last output: ${last}` : message)
}

/** Returns the error for a program that was uninstalled after the request was accepted. */
export function notInstalled(): ModelError {
  return new ModelError("provider_error", `Claude Code isn't on the PATH any more. Install it with \`${install}\`.`)
}
