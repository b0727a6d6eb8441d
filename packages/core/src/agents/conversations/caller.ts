import { AppError } from "../../errors.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { runOf } from "../../work/runs/state.ts"
import { type AgentState, openAgent } from "./state.ts"

/**
 * Turn of an agent that is using the tools that we give it. The turn is identified by its token, never by what the
 * agent says.
 */
export interface Caller {
  agentId: string
  runId: string
  /** Number of the claim that the run is executed under. */
  generation: number
}

/**
 * Applies a rule on behalf of an agent that is using its tools in a run. Refuses if the run has lost its claim or was
 * asked to stop.
 */
export function inAgentTurn(caller: Caller, rule: (agent: AgentState, state: SessionState) => ReturnType<Rule>): Rule {
  return inLiveSession((state) => {
    const run = runOf(state, caller.runId)
    const agent = openAgent(state, caller.agentId)
    const isCurrent = run?.status === "running" && run.generation === caller.generation
    if (!agent || !isCurrent || run.cancelReason !== null) {
      return new AppError("run_superseded", "Your turn is over, so you can't do anything more.")
    }
    try {
      return rule(agent, state)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  })
}
