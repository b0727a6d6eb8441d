import { AppError } from "../../../errors.ts"
import type { Rule } from "../../../kernel/session-log.ts"
import type { DurableTool } from "../../harness/durable-tools.ts"
import { refused } from "../refusals.ts"
import { coordinatorTools } from "./coordinator-tools.ts"
import type { Member } from "./member.ts"

/** Tools that a program has itself, possibly under another name. It receives messages without a tool. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(["web_search", "web_fetch", "ask_human", "check_messages"])

/** Returns the coordinator's tools that a program calls over MCP. */
export function programCoordinatorTools(member: Member): DurableTool[] {
  return coordinatorTools(member).filter(({ name }) => !OF_PROGRAMS.has(name))
}

/** Returns the descriptions of these tools. `callTeamTool` calls them. */
export function describeCoordinatorTools(workerTypes: readonly string[]): DurableTool[] {
  // Tools use their member only when called, and none is called here.
  const agents = { choices: workerTypes.map((name) => ({ name })) }
  return programCoordinatorTools({ deps: {}, context: {}, harness: { provider: {} }, agents } as unknown as Member)
}

export const GOAL_REACHED = "The goal was already declared reached. There is nothing left to do."

/** Limit of pending calls. */
const MAX_CALLS = 20

/** Makes the team call a tool for its coordinator. A pending `finish` isn't started again. */
export function callTeamTool(call: { callId: string; name: string; args: unknown }): Rule {
  return ({ team }) => {
    if (!team?.coordinator) return refused("No program coordinates this team.")
    if (team.endedSeq !== null) return new AppError("run_ended", "The team has ended.")
    if (team.finishedSeq !== null) return refused(GOAL_REACHED)
    const { calls } = team.coordinator
    if (call.name === "finish" && calls.some(({ name }) => name === "finish")) return []
    if (calls.length >= MAX_CALLS) return refused(`${MAX_CALLS} calls wait for their answers. Wait for those first.`)
    return [{ type: "team_tool_called", call_id: call.callId, name: call.name, args: JSON.stringify(call.args) }]
  }
}
