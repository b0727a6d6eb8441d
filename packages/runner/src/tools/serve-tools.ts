import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import { AppError } from "@switchyard/core/errors"
import { shownMessage } from "@switchyard/core/system-faults"
import type { ServeCaller } from "./endpoint.ts"
import type { AgentTool } from "./tool.ts"

const INSTRUCTIONS = `You are one of several agents in a Switchyard session, each with a name and a conversation. list_agents lists them.
ask_agent asks another agent and waits for its answer. tell_agent sends a message that needs no answer. Messages of other agents reach you
with their names. If an agent asked you something, the last text of your turn is your answer. If you are asked to start or to ask another
agent, use these tools.`

export interface ServeToolsOptions {
  tools: { [name: string]: AgentTool }
  /** Aborts when the caller's task is over. */
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Serves one caller's tools over stateless MCP. */
export function serveTools({ tools, signal, report }: ServeToolsOptions): ServeCaller {
  return (request, message) => {
    const following = AbortSignal.any([request.signal, signal])
    const handler = createMcpHandler(() => createServer(tools, following, report), {
      // Start streaming immediately if a call is slow.
      responseMode: "sse",
      // The tools never change, so clients don't need subscriptions.
      maxSubscriptions: 0,
    })
    return handler.fetch(request, { parsedBody: message })
  }
}

function createServer(
  tools: ServeToolsOptions["tools"],
  signal: AbortSignal,
  report: ServeToolsOptions["report"],
): McpServer {
  const server = new McpServer(
    { name: "switchyard", title: "Switchyard", version: "1" },
    { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
  )
  for (const [name, tool] of Object.entries(tools)) {
    const { title, description, readOnly, input: inputSchema } = tool
    const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false }
    server.registerTool(name, { title, description, inputSchema, annotations }, (input, { mcpReq }) =>
      callTool(tool, input, AbortSignal.any([signal, mcpReq.signal]), report),
    )
  }
  return server
}

/** Calls a tool. Returns refusals as results, because the model must see the reason. */
async function callTool(
  tool: AgentTool,
  input: Record<string, unknown>,
  signal: AbortSignal,
  report: ServeToolsOptions["report"],
) {
  try {
    const answer = await tool.call(input, { signal })
    return { content: [{ type: "text" as const, text: typeof answer === "string" ? answer : JSON.stringify(answer) }] }
  } catch (error) {
    if (!(error instanceof AppError) && !signal.aborted) report(error)
    return { content: [{ type: "text" as const, text: shownMessage(error) }], isError: true }
  }
}
