import { request } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { AppError } from "@switchyard/core/errors"
import { openToolEndpoint, type ToolEndpoint } from "@switchyard/runner/tools/endpoint"
import { serveTools } from "@switchyard/runner/tools/serve-tools"
import { agentTool } from "@switchyard/runner/tools/tool"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as z from "zod"
import { never } from "../../settings.ts"

let endpoint: ToolEndpoint
const reported: unknown[] = []
const report = (error: unknown) => reported.push(error)
beforeAll(async () => {
  endpoint = await openToolEndpoint({ report })
})
afterAll(() => endpoint[Symbol.asyncDispose]())

/** Opens an agent's endpoint, with tools that return `name`, refuse, fail, or wait for their signal. */
function open(name: string, signal = never, onWait = () => {}) {
  const whoami = agentTool({
    title: "Who am I",
    description: "Tells the name.",
    readOnly: true,
    input: z.object({ name: z.string().optional() }),
    call: async () => ({ name }),
  })
  const refuses = agentTool({
    ...whoami,
    call: () => Promise.reject(new AppError("agent_not_found", "No such agent.")),
  })
  const breaks = agentTool({ ...whoami, call: () => Promise.reject(new Error("sk-secret")) })
  const waits = agentTool({
    ...whoami,
    call: async (_, options) => {
      onWait()
      await new Promise((_resolve, reject) => {
        options.signal.addEventListener("abort", () => reject(options.signal.reason))
      })
      return {}
    },
  })
  return endpoint.open(serveTools({ tools: { whoami, refuses, breaks, waits }, signal, report }))
}

async function connect(url: string, headers: Record<string, string> = {}, mode: "legacy" | { pin: string } = "legacy") {
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const [first] = content
  return { text: first?.type === "text" ? first.text : "", isError: isError === true }
}

const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })

function post(url: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) {
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }
  return fetch(url, { method: "POST", body, headers: all })
}

describe("the tools of an agent", () => {
  it.each(["legacy", { pin: "2026-07-28" }] as const)("are served to the protocol's own client (%o)", async (mode) => {
    using address = open("anna")
    const client = await connect(address.url, {}, mode)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["whoami", "refuses", "breaks", "waits"])
    expect(await call(client, "whoami")).toEqual({ text: '{"name":"anna"}', isError: false })
    await client.close()
  })

  it("know their caller by the token, in the path or as a bearer's, and by nothing that it says", async () => {
    using anna = open("anna")
    using ben = open("ben")
    expect(anna.url).not.toBe(ben.url)
    expect(anna.bareUrl).not.toContain(anna.token)
    const client = await connect(anna.url, { authorization: `Bearer ${ben.token}` })
    expect((await call(client, "whoami", { name: "ben" })).text).toBe('{"name":"anna"}')
    const other = await connect(ben.bareUrl, { authorization: `Bearer ${ben.token}` })
    expect((await call(other, "whoami")).text).toBe('{"name":"ben"}')
    await Promise.all([client.close(), other.close()])
  })

  it("are nobody's without a token, with a wrong one, or once the task is over", async () => {
    const closed = open("anna")
    closed[Symbol.dispose]()
    const wrong = closed.url.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
    for (const url of [closed.bareUrl, `${closed.bareUrl}/`, wrong, closed.url, `${closed.bareUrl}/../mcp`]) {
      expect((await post(url, initialize)).status).toBe(404)
    }
    expect((await post(closed.bareUrl, initialize, { authorization: "Bearer x" })).status).toBe(404)
  })

  it("say what is wrong, and never what went wrong inside", async () => {
    using address = open("anna")
    const client = await connect(address.url)
    expect(await call(client, "refuses")).toEqual({ text: "No such agent.", isError: true })
    expect(await call(client, "breaks")).toEqual({ text: "Something went wrong.", isError: true })
    expect(reported.splice(0)).toEqual([new Error("sk-secret")])
    await client.close()
  })

  it("refuse 10 MB, what is no JSON, other methods, browsers and other names of this machine, and go on", async () => {
    using address = open("anna")
    const huge = await post(address.url, "x".repeat(10 * 1024 * 1024)).then(
      ({ status }) => status,
      // The server may close the connection while the client still sends the rest.
      () => 413,
    )
    expect(huge).toBe(413)
    const batch = `[${initialize}]`
    const wrong = [
      ["{", -32700],
      ["", -32700],
      ["1", -32600],
      ["null", -32600],
      ["{}", -32600],
      [batch, -32600],
      [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"caf\u00e9"}}}', "latin1"), -32700],
    ] as const
    for (const [body, code] of wrong) {
      const refused = await post(address.url, body)
      expect([refused.status, await refused.json()], String(body)).toMatchObject([400, { id: null, error: { code } }])
    }
    expect((await fetch(address.url)).status).toBe(405)
    expect((await post(address.url, initialize, { origin: "http://evil.example" })).status).toBe(403)
    expect(await statusAs(address.url, "evil.example")).toBe(403)
    expect((await post(address.url, initialize)).status).toBe(200)
  })

  it("stop waiting when the caller's task is over", async () => {
    const over = new AbortController()
    const begun = Promise.withResolvers<void>()
    using address = open("anna", over.signal, begun.resolve)
    const client = await connect(address.url)
    const waiting = call(client, "waits")
    await begun.promise
    over.abort()
    expect(await waiting).toMatchObject({ isError: true })
    expect(reported).toEqual([])
    await client.close()
  })
})

/** Resolves to the status of a request that names another host. */
function statusAs(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers: { host } }, (answer) => resolve(answer.resume().statusCode))
    asked.on("error", reject)
    asked.end(initialize)
  })
}
