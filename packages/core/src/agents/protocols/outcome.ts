import { describeExit } from "../../system-faults.ts"
import type { Outcome, Problem } from "../clis/schema.ts"
import { problemInStderr } from "./problems.ts"

export const INTERRUPTED = "The turn was interrupted because its runner stopped."

/** State of a turn after its process has exited. */
export interface EndedTurn {
  /** Outcome of the turn according to the CLI's protocol. Undefined if the protocol didn't report an end. */
  end: { type: "turn_completed" } | { type: "turn_failed"; problem: Problem } | undefined
  /** Failure that the agent was retrying when it ended. */
  retrying: Problem | undefined
  /** Last refusal by the model API itself, if the gateway has recorded one. */
  refusal?: Problem | undefined
  /** Defect in the model's last answer. It explains a failure that the program itself doesn't explain. */
  cut?: Problem | undefined
  /** Reason why the process was stopped. Undefined if it wasn't stopped. Output after the stop is ignored. */
  stopped: "cancelled" | "interrupted" | "parked" | "timeout" | "refused" | undefined
  exitCode: number | null
  signal: number | null
  /** Last part of the terminal output. */
  stderr: string
  /** True if the last message contains the requested summary. */
  summarised: boolean
}

/**
 * Returns a turn's outcome. Exit codes are unreliable, because some CLIs exit with 0 when they are killed. A turn
 * therefore counts as complete only if the protocol says so and the turn wasn't stopped.
 */
export function turnOutcome(turn: EndedTurn): Outcome {
  if (turn.stopped === "cancelled") return failed({ kind: "cancelled", message: "The agent was stopped." })
  if (turn.stopped === "interrupted") return failed({ kind: "interrupted", message: INTERRUPTED })
  if (turn.stopped === "parked") return { type: "needs_continuation" }
  const { refusal, cut } = turn
  if (turn.stopped === "refused" || turn.stopped === "timeout") {
    const known = refusal ?? turn.retrying
    return known ? fromProblem(known) : failed({ kind: "timeout", message: "The agent was silent for too long." })
  }
  if (turn.end?.type === "turn_completed") {
    return turn.summarised ? { type: "completed" } : { type: "needs_continuation" }
  }
  if (refusal) return fromProblem(refusal)
  if (turn.end) return fromProblem((turn.end.problem.kind === "unknown" && cut) || turn.end.problem)
  return fromProblem(problemInStderr(turn.stderr) ?? cut ?? { kind: "unknown", message: exitMessage(turn) })
}

function fromProblem(problem: Problem): Outcome {
  const { kind, message } = problem
  if (kind === "quota_exhausted" || kind === "context_full" || kind === "rate_limited" || kind === "billing") {
    return { type: "limit", kind, message, ...(problem.resets_at && { resets_at: problem.resets_at }) }
  }
  return kind === "auth" ? { type: "auth", message } : failed(problem)
}

function failed({ kind, message }: Problem): Outcome {
  return { type: "failed", problem: kind, message }
}

function exitMessage({ exitCode, signal, stderr }: EndedTurn): string {
  const last = stderr
    .split(/\r?\n/)
    .filter((line) => /\S/.test(line))
    .at(-1)
    ?.trim()
  return `The agent ${describeExit({ exitCode, signal })} before its turn was over.${last ? ` Its last output: ${last.slice(0, 300)}` : ""}`
}
