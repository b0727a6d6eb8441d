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

/** A working member of a team: the coordinator, or a worker with its node. */
export interface Member {
  deps: TeamDeps
  context: RunContext<unknown>
  /** Access to the member's model. */
  harness: HarnessContext
  /** ID of the member, which is also the author of its messages. */
  id: string
  /** Node of a worker. Absent for the coordinator. */
  nodeId?: string
  messages: Message[]
  /** Programs that may be added as workers. */
  agents?: TeamAgents
  /** Commands that may be added as workers. */
  workerCommands?: readonly WorkerCommand[]
}

/** A member's run, with its dependencies. */
export type MemberRun = Pick<Member, "deps" | "context">

/** Creates a tool's effect that depends on the team's current state. */
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
