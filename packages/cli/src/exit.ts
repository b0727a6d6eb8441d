import type { RunStatus } from "@switchyard/core/work/runs/schema"
import { Interrupted, Refused, Unreachable, UsageError } from "./errors.ts"

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  unreachable: 4,
  timedOut: 5,
  interrupted: 130,
} as const

export const EXIT_HELP = `
Exit codes:
  0    done: the run completed, or the question was answered
  1    the run failed, or the server refused
  2    bad usage, or a directory that is not empty
  3    the run was cancelled
  4    the server could not be reached
  5    --timeout passed
  130  interrupted; a run that was going may go on

\`run\` and \`events --follow\` end as the run ended.`

export function exitCodeOf(status: RunStatus): number {
  if (status === "completed") return EXIT.done
  return status === "cancelled" ? EXIT.cancelled : EXIT.failed
}

// What the caller typed is at fault, though only the server could tell.
const USAGE_CODES = ["validation_error", "invalid_request", "workspace_validation_error"]

export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof Refused) return USAGE_CODES.includes(error.code) ? EXIT.usage : EXIT.failed
  if (error instanceof Unreachable) return EXIT.unreachable
  if (error instanceof Interrupted) return EXIT.interrupted
  return EXIT.failed
}
