import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from "@modelcontextprotocol/client"
import { fromJsonSchema } from "@modelcontextprotocol/server"
import type { SetupServer } from "@switchyard/core/agents/setup/read-servers"
import { AppError } from "@switchyard/core/errors"
import { WAIT_MS } from "./limits.ts"
import type { AgentTool } from "./tool.ts"

export interface OwnServersDeps {
  /** Creates the connection to a server that is a command. Throws if the server can't be started. */
  openCommand: (server: SetupServer & { transport: "command" }) => Promise<Transport>
  /** Throws if the runner may not connect to this host. */
  checkHost: (host: string) => Promise<void>
  /** Called once for each server that can't be used. */
  failed: (server: string, reason: string) => void
}

/** Connections to the MCP servers of an owner's own setup, for one task. */
export interface OwnServers extends AsyncDisposable {
  /** Returns the servers' tools, by the names that agents see. Connects on the first call. */
  tools(): Promise<Record<string, AgentTool>>
}

/** Time limit for connecting to a server and listing its tools. */
const CONNECT_MS = 20_000
const MAX_TOOLS = 64
/** Maximum number of pages of a list of tools. A server with more pages is left out. */
const MAX_PAGES = 5
const MAX_DESCRIPTION_CHARS = 2000
const MAX_SCHEMA_CHARS = 20_000
const MAX_RESULT_CHARS = 100_000
/** Programs put a prefix before a tool's name, and models accept at most 64 characters. */
const MAX_NAME_CHARS = 44

/** Accepts every value. Compiling a schema from outside would run code made from it, and servers check their own input. */
const UNCHECKED = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
}

/** Opens an owner's own MCP servers. Agents reach only their tools, never their processes, variables and headers. */
export function openOwnServers(deps: OwnServersDeps, servers: SetupServer[]): OwnServers {
  const clients: Client[] = []
  let connecting: Promise<Record<string, AgentTool>> | undefined

  async function connect(server: SetupServer): Promise<[name: string, tool: AgentTool][]> {
    const limits = { listMaxPages: MAX_PAGES, jsonSchemaValidator: UNCHECKED }
    const client = new Client({ name: "switchyard", version: "1" }, { capabilities: {}, ...limits })
    // Errors of a transport also end the call that is waiting for it.
    client.onerror = () => {}
    clients.push(client)
    try {
      const transport = server.transport === "command" ? await deps.openCommand(server) : await remote(server)
      const limit = { signal: AbortSignal.timeout(CONNECT_MS), timeout: CONNECT_MS }
      await client.connect(transport, limit)
      const { tools } = await client.listTools(undefined, limit)
      const found = tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).length <= MAX_SCHEMA_CHARS)
      return found
        .slice(0, MAX_TOOLS)
        .map((tool) => [toolName(server.name, tool.name), toolOf(client, server.name, tool)])
    } catch (error) {
      await client.close().catch(() => {})
      deps.failed(server.name, error instanceof AppError ? error.message : "it doesn't answer as an MCP server")
      return []
    }
  }

  async function remote({ url, headers }: SetupServer & { transport: "url" }): Promise<Transport> {
    await deps.checkHost(new URL(url).hostname)
    // A redirect would send the headers, which may be secret, to another server.
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers, redirect: "error" } })
  }

  return {
    tools() {
      connecting ??= Promise.all(servers.map(connect)).then((found) => Object.fromEntries(found.flat()))
      return connecting
    },
    async [Symbol.asyncDispose]() {
      await connecting
      await Promise.all(clients.map((client) => client.close().catch(() => {})))
    },
  }
}

function toolName(server: string, tool: string): string {
  return `${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`.slice(0, MAX_NAME_CHARS)
}

function toolOf(client: Client, server: string, { name, description = "", inputSchema }: Tool): AgentTool {
  const input = fromJsonSchema(inputSchema as never, UNCHECKED)
  return {
    title: name.slice(0, 100),
    description: `Tool of the MCP server “${server}”: ${description.slice(0, MAX_DESCRIPTION_CHARS)}`,
    // The server's own word for this isn't trusted.
    readOnly: false,
    input: input as never,
    async call(given, { signal }) {
      const answer = await client.callTool({ name, arguments: given }, { signal, timeout: WAIT_MS }).catch((error) => {
        if (signal.aborted) throw error
        throw new AppError("invalid_request", `The MCP server “${server}” didn't answer.`)
      })
      const parts = answer.content.map((part) => (part.type === "text" ? part.text : `(${part.type} left out)`))
      const text = parts.join("\n").slice(0, MAX_RESULT_CHARS)
      return answer.isError ? `The tool failed: ${text}` : text
    },
  }
}
