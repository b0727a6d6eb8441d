import { AppError } from "../../errors.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { runOf } from "../../work/runs/state.ts"
import { type AgentState, openAgent } from "./state.ts"

/** The turn of an agent that uses its tools. Known by its token, never by what it says. */
export interface Caller {
  agentId: string
  runId: string
  /** The claim under which it works. */
  generation: number
}

/** The run of this agent that uses its tools now. Throws where it has lost its claim, or was asked to stop. */
export function asCaller(caller: Caller, rule: (agent: AgentState, state: SessionState) => ReturnType<Rule>): Rule {
  return inLiveSession((state) => {
    const run = runOf(state, caller.runId)
    const agent = openAgent(state, caller.agentId)
    const isCurrent = run?.status === "running" && run.generation === caller.generation
    if (!agent || !isCurrent || run.cancelReason !== null) {
      return new AppError("run_superseded", "Your turn is over, so you can do nothing more.")
    }
    try {
      return rule(agent, state)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  })
}
