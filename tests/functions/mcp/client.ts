import { Client, type RequestOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { TestServer } from "../server.ts"

/** Protocol versions that clients speak. The legacy version has a handshake, and the newest has none. */
export const ERAS = ["legacy", { pin: "2026-07-28" }] as const
export type Era = (typeof ERAS)[number]

/** Connects an MCP client, which checks every answer against its tool's schema. */
export async function connect(
  server: TestServer,
  { secret = "", era = ERAS[0] as Era, fetch = globalThis.fetch } = {},
) {
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: era } })
  const headers: Record<string, string> = secret === "" ? {} : { authorization: `Bearer ${secret}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers }, fetch }),
  )
  await client.listTools()

  async function call(name: string, args: Record<string, unknown> = {}, options?: RequestOptions) {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args }, options)
    const [first] = content
    return { text: first?.type === "text" ? first.text : "", answer: structuredContent, isError: isError === true }
  }

  return {
    client,
    call,
    /** Calls a tool and returns its answer. Throws if the tool fails. */
    // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
    async answer(name: string, args: Record<string, unknown> = {}, options?: RequestOptions): Promise<any> {
      const { text, answer, isError } = await call(name, args, options)
      if (isError) throw new Error(`${name} failed: ${text}`)
      return answer
    },
    /** Calls a tool and returns its error. Throws if the tool succeeds. */
    async refusal(name: string, args: Record<string, unknown> = {}) {
      const { text, isError } = await call(name, args)
      if (!isError) throw new Error(`${name} was not refused: ${text}`)
      return JSON.parse(text).error
    },
    close: () => client.close(),
  }
}
