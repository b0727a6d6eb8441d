import type { Run } from "@switchyard/core/work/runs/schema"
import { Interrupted, Refused, Unreachable, UsageError } from "./errors.ts"

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unreachable: 4,
  timedOut: 5,
  notVerified: 6,
  warned: 7,
  interrupted: 130,
} as const

export const EXIT_HELP = `
Exit codes:
  0    success
  1    the run failed, or the server rejected the request
  2    invalid usage, or the directory isn't empty
  3    the run was cancelled
  4    the server couldn't be reached
  5    --timeout expired
  6    with --verify, --check or evidence: the work isn't verified
  7    the run completed, but with a warning about its result
  130  interrupted; the run may still be in progress (after Ctrl-C, npx always exits with 130)

\`run\` and \`events --follow\` exit with the run's result.`

/** Returns the exit code for a finished run. A result with a warning isn't a success, so that pipelines stop. */
export function exitCodeOf({ status, warning }: Pick<Run, "status" | "warning">): number {
  if (status === "completed") return warning === null ? EXIT.done : EXIT.warned
  return status === "cancelled" ? EXIT.cancelled : EXIT.failed
}

// Error codes for invalid arguments that only the server can detect.
const USAGE_CODES = ["validation_error", "invalid_request", "workspace_validation_error"]

export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof Refused) return USAGE_CODES.includes(error.code) ? EXIT.usage : EXIT.failed
  if (error instanceof Unreachable) return EXIT.unreachable
  if (error instanceof Interrupted) return EXIT.interrupted
  return EXIT.failed
}
