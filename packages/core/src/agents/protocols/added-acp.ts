import type { AgentTask } from "../clis/cli.ts"
import { TOOL_SERVER } from "../clis/own-tools.ts"
import type { AcpDialect } from "../clis/protocol.ts"
import type { AcpToolCalls } from "./acp-tool-calls.ts"
import { asObject, asObjects, asText, type JsonObject, type Reply } from "./json-protocol.ts"

/** Returns the mode that a session reports when it is opened. Some agents report their mode as an option. */
export function modeIn(result: JsonObject): string {
  return asText(asObject(result.modes).currentModeId) || asText(modeOption(result)?.currentValue)
}

/** Explains why it isn't certain that the agent asks before it acts. Undefined if its modes fit its settings. */
export function modeFault(result: JsonObject, { mode, added }: AcpDialect): string | undefined {
  const modes = [
    ...asObjects(asObject(result.modes).availableModes).map(({ id }) => asText(id)),
    ...asObjects(modeOption(result)?.options).map(({ value }) => asText(value)),
  ]
  const listed = modes
    .slice(0, 20)
    .map((name) => JSON.stringify(name.slice(0, 100)))
    .join(", ")
  if (mode === undefined && added?.alwaysAsks && modes.length === 0) return undefined
  if (mode !== undefined && modes.includes(mode)) return undefined
  const known = listed === "" ? "The agent reports no modes." : `The agent's modes are ${listed}.`
  return mode === undefined
    ? `Its settings don't say in which mode it asks, so it can only work in the mode bypass. ${known} See \`modes\`.`
    : `The agent has no mode ${JSON.stringify(mode)}. ${known}`
}

/** Explains what is wrong with the ID of a session. Undefined if the ID is fine. */
export function sessionIdFault(id: string | null): string | undefined {
  return /^[!-~]{1,200}$/.test(id ?? "") ? undefined : "The agent reported an invalid session ID."
}

/** Returns the failure that makes the runner start a new session, because the agent can't load one. */
export function lostSession(): Reply {
  const problem = { kind: "session_not_found" as const, message: "The agent can't load sessions." }
  return { events: [{ type: "turn_failed", problem }] }
}

/** Returns the MCP servers for an agent. Our tools are only reachable over HTTP. */
export function toolServers({ tools }: AgentTask, { mcpCapabilities }: JsonObject): object[] {
  if (!tools || asObject(mcpCapabilities).http !== true) return []
  const headers = [{ name: "Authorization", value: `Bearer ${tools.token}` }]
  return [{ type: "http", name: TOOL_SERVER, url: tools.bareUrl, headers }]
}

/**
 * Explains what the agent did without permission, after an update of one of its calls. Undefined if it did nothing that
 * needs permission.
 */
export function actedUnasked(
  { toolCallId, status }: JsonObject,
  calls: Pick<AcpToolCalls, "toolOf">,
  decided: ReadonlySet<string>,
): string | undefined {
  const id = asText(toolCallId)
  const tool = calls.toolOf(id)
  const isChange = tool === "bash" || tool === "write" || tool === "edit"
  if (status !== "completed" || !isChange || decided.has(id)) return undefined
  return `The agent used a tool (${tool}) without asking, although its mode requires it. It was stopped.`
}

function modeOption({ configOptions }: JsonObject): JsonObject | undefined {
  return asObjects(configOptions).find(({ id }) => id === "mode")
}
