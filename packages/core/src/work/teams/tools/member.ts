import { AppError } from "../../../errors.ts"
import type { Verdict } from "../../../kernel/session-log.ts"
import type { Message } from "../../../models/provider.ts"
import type { SessionState } from "../../../state.ts"
import type { HarnessContext } from "../../harness/context.ts"
import type { Decided, Effect } from "../../harness/durable-tools.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { teamOf } from "../refusals.ts"
import type { TeamAgents, WorkerCommand } from "../schema.ts"
import type { TeamState } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"

/** A member of a team in its loop: the coordinator, or a worker at its node. */
export interface Member {
  deps: TeamDeps
  context: RunContext<unknown>
  /** Its model. */
  harness: HarnessContext
  /** Its id, under which it writes to others. */
  id: string
  /** The node that it works on; the coordinator has none. */
  nodeId?: string
  messages: Message[]
  /** The programs that workers may be. */
  agents?: TeamAgents
  /** The commands that workers may be. */
  workerCommands?: readonly WorkerCommand[]
}

/** An effect that is decided on the team as it is at that moment. */
export function onBoard(
  decide: (team: TeamState) => Verdict,
  answer: (events: Exclude<Verdict, AppError>, team: TeamState) => string,
): Effect {
  return {
    decide(state: SessionState): Decided | AppError {
      const team = teamOf(state)
      if (team instanceof AppError) return team
      const verdict = decide(team)
      return verdict instanceof AppError ? verdict : { answer: answer(verdict, team), events: verdict }
    },
  }
}
