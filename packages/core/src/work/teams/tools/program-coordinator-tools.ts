import { AppError } from "../../../errors.ts"
import type { Rule } from "../../../kernel/session-log.ts"
import type { DurableTool } from "../../harness/durable-tools.ts"
import { refused } from "../refusals.ts"
import { coordinatorTools } from "./coordinator-tools.ts"
import type { Member } from "./member.ts"

/**
 * Tools that coordinating programs don't receive, because they have such tools themselves or, as with `check_messages`,
 * don't need them.
 */
const OF_PROGRAMS: ReadonlySet<string> = new Set(["web_search", "web_fetch", "ask_human", "check_messages"])

/** Returns the coordinator's tools that a program can call over MCP. */
export function programCoordinatorTools(member: Member): DurableTool[] {
  return coordinatorTools(member).filter(({ name }) => !OF_PROGRAMS.has(name))
}

/** Returns the coordinator's tools for their descriptions only. To call them, use `callTeamTool`. */
export function describeCoordinatorTools(workerTypes: readonly string[]): DurableTool[] {
  // A dummy member is enough, because tools use their member only when they are called.
  const agents = { choices: workerTypes.map((name) => ({ name })) }
  return programCoordinatorTools({ deps: {}, context: {}, harness: { provider: {} }, agents } as unknown as Member)
}

export const GOAL_REACHED = "The goal has already been declared reached. There is nothing left to do."

/** Maximum number of unanswered calls at a time. */
const MAX_CALLS = 20

/** Requests a tool call on behalf of the coordinating program. Does nothing if a `finish` call is already pending. */
export function callTeamTool(call: { callId: string; name: string; args: unknown }): Rule {
  return ({ team }) => {
    if (!team?.coordinator) return refused("No program coordinates this team.")
    if (team.endedSeq !== null) return new AppError("run_ended", "The team has ended.")
    if (team.finishedSeq !== null) return refused(GOAL_REACHED)
    const { calls } = team.coordinator
    if (call.name === "finish" && calls.some(({ name }) => name === "finish")) return []
    if (calls.length >= MAX_CALLS)
      return refused(`${MAX_CALLS} calls are still unanswered. Wait for their answers first.`)
    return [{ type: "team_tool_called", call_id: call.callId, name: call.name, args: JSON.stringify(call.args) }]
  }
}
