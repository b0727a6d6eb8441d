import { createMcpHandler, McpServer, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server"
import { parseJson } from "@switchyard/core/text/parse-json"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { authorizeAs } from "../http/authorize.ts"
import { errorEnvelope } from "../http/errors.ts"
import { mayLoosen } from "../http/permissions.ts"
import { modelKey, principal } from "../http/request.ts"
import { fileTools } from "./file-tools.ts"
import { questionTools } from "./question-tools.ts"
import { runTools } from "./run-tools.ts"
import { sessionTools } from "./session-tools.ts"
import type { Tool, ToolCall } from "./tool.ts"

const INSTRUCTIONS = `Switchyard builds projects from prompts and runs coding agents. start_run starts a run in a session, which contains the files.
Follow it with get_run and wait_seconds, as often as needed, until its status is completed, failed or cancelled. If a completed run has
a warning, something is missing from its result or unproven: tell the person you work for, or repair it. Agents ask before
doing anything that needs permission. get_run returns these questions, and the run continues once they are answered. Ask the person
you work for, and pass on their answer with answer_question.`

/**
 * Answers a single message from an MCP client. Refuses batches, because the protocol no longer supports them, and the
 * rate limit would count a batch as one request.
 */
export async function serveMcp(deps: AppDeps, c: Context): Promise<Response> {
  const message = parseJson(await c.req.text())
  if (message === undefined) return protocolError(ProtocolErrorCode.ParseError, "The body is not JSON.")
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return protocolError(ProtocolErrorCode.InvalidRequest, "The body is not a single JSON-RPC message.")
  const signal = AbortSignal.any([c.req.raw.signal, deps.stopping])
  const caller = { principal: principal(c), apiKey: modelKey(c), signal }
  const handler = createMcpHandler(() => createServer(deps, caller), {
    // Start the response to slow calls immediately, because proxies time out if nothing is sent.
    responseMode: "sse",
    // The tools never change, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  })
  const { url, headers } = c.req.raw
  return handler.fetch(new Request(url, { method: "POST", headers, signal }), { parsedBody: message })
}

/** Responds to a body that isn't a message. The response's `id` is null (JSON-RPC 2.0, section 5.1). */
function protocolError(code: ProtocolErrorCode, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status: 400 })
}

type Caller = Pick<ToolCall, "principal" | "apiKey" | "signal">

function createServer(deps: AppDeps, caller: Caller): McpServer {
  const server = new McpServer(
    { name: "switchyard", title: "Switchyard", version: deps.version },
    { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
  )
  const tools = { ...runTools(deps), ...questionTools(deps), ...sessionTools(deps), ...fileTools(deps) }
  for (const [name, tool] of Object.entries(tools)) {
    const { title, description, input: inputSchema, output: outputSchema, readOnly } = tool
    const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: !readOnly }
    const about = { title, description, inputSchema, outputSchema, annotations }
    server.registerTool(name, about, (input, context) => callTool(deps, tool, input, { ...caller, context }))
  }
  return server
}

/** Calls a tool. Returns errors as tool results, in the same envelope as HTTP responses. */
async function callTool(
  deps: AppDeps,
  tool: Tool,
  input: Record<string, unknown>,
  { context, ...caller }: Caller & { context: ServerContext },
) {
  try {
    await authorizeAs(deps, tool.route, caller.principal)
    const signal = AbortSignal.any([caller.signal, context.mcpReq.signal])
    const answer = await tool.call(input, {
      ...caller,
      mayLoosen: mayLoosen(caller.principal, tool.route),
      signal,
      report: reporter(context),
    })
    return { content: [{ type: "text" as const, text: JSON.stringify(answer) }], structuredContent: answer }
  } catch (error) {
    const { report, stopping, config } = deps
    const envelope = errorEnvelope(error, { report, stopping, verbose: config.verboseErrors })
    return { content: [{ type: "text" as const, text: JSON.stringify(envelope) }], isError: true }
  }
}

/** Returns a function that sends progress, if the client asked for it. */
function reporter({ mcpReq }: ServerContext): ToolCall["report"] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return async () => undefined
  return (progress) => mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...progress } })
}
