import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { Scope } from "@switchyard/core/people/access/schema"
import type { AppDeps } from "@switchyard/functions/deps"
import { scopeOf } from "@switchyard/functions/http/permissions"
import { fileTools } from "@switchyard/functions/mcp/file-tools"
import { questionTools } from "@switchyard/functions/mcp/question-tools"
import { runTools } from "@switchyard/functions/mcp/run-tools"
import { sessionTools } from "@switchyard/functions/mcp/session-tools"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { contentOf, modelFor, subjectOf } from "../../core/work/workflow/model.ts"
import { toolAnswer } from "../../fixtures/scripted-model.ts"
import { endpoints } from "../described.ts"
import { startServer, type TestServer } from "../server.ts"
import { connect, ERAS } from "./client.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const env = { AUTH_MODE: "token", ADMIN_TOKEN, RATE_LIMIT_RUNS_PER_MINUTE: "1000" }

let server: TestServer
let ada: string
beforeAll(async () => {
  server = await startServer({ env })
  ada = await tokenOf("ada", ["read", "run"])
})
afterAll(() => server.close())

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

async function tokenOf(owner: string, scopes: Scope[]): Promise<string> {
  const json = { name: "x", owner, scopes }
  return (await server.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })).body.secret
}

/** Returns the error for a request whose message isn't read. */
const refusal = (code: string, number = -32_000) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: number, message: expect.any(String), data: expect.objectContaining({ code }) },
})

/** Posts a raw body, which the MCP client can't do. */
const post = (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = bearer(ada)) =>
  fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body,
  })

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

/** Task in which the mock agent asks before it writes a file. */
const askingTask = { kind: "agent", coding_agent: "mock", prompt: 'Do it. mock: {"files": {"a.txt": "1\\n2\\n"}}' }

describe.each(ERAS)("a client that speaks %o", (era) => {
  it("builds a project, follows it, reads its files and is given the zip", async () => {
    const { answer, close } = await connect(server, { secret: ada, era })
    const started = await answer("start_run", { prompt: "A page" })
    let run = started
    while (run.ended_at === null) run = await answer("get_run", { run_id: started.run_id, wait_seconds: 50 })
    expect(run).toMatchObject({ status: "completed", questions: [], progress: { step: 2, total: 2 } })
    const session_id = run.workspace_id
    const { files, next } = await answer("list_files", { session_id })
    expect([files.map(({ path }: { path: string }) => path), next]).toEqual([["README.md", "index.html"], null])
    const page = await answer("list_files", { session_id, limit: 1 })
    expect(page).toMatchObject({ files: [{ path: "README.md" }], next: "README.md" })
    expect((await answer("list_files", { session_id, after: page.next })).files).toMatchObject([{ path: "index.html" }])
    const { content, total_lines } = await answer("read_file", { session_id, path: "index.html" })
    expect(content.split("\n").length).toBeGreaterThanOrEqual(total_lines)
    const { link } = await answer("get_zip", { session_id })
    const zip = Buffer.from(await (await fetch(link.url)).arrayBuffer())
    expect(zip.subarray(0, 2).toString()).toBe("PK")
    const { sessions } = await answer("list_sessions", { limit: 1 })
    expect(sessions).toMatchObject([{ id: session_id, status: "done" }])
    await close()
  })

  it("is told the progress of what it waits for", async () => {
    const gates = { "a.txt": Promise.withResolvers<void>(), "b.txt": Promise.withResolvers<void>() }
    const scripted = modelFor(Object.keys(gates), (request) => {
      const path = subjectOf(request) as keyof typeof gates
      const written = toolAnswer("write_file", { path, content: contentOf(path) })
      return path in gates ? [gates[path].promise, ...written] : undefined
    })
    const gated = await startServer({ scripted })
    const { answer, close } = await connect(gated, { era })
    const { run_id } = await answer("start_run", { prompt: "A page" })
    const told: object[] = []
    const waiting = answer("get_run", { run_id, wait_seconds: 50 }, { onprogress: (one) => told.push(one) })
    gates["a.txt"].resolve()
    await expect.poll(async () => (await answer("get_run", { run_id })).progress).toEqual({ step: 1, total: 2 })
    gates["b.txt"].resolve()
    expect((await waiting).status).toBe("completed")
    expect(told.at(-1)).toEqual({ progress: 2, total: 2, message: "2 of 2 steps are done." })
    await close()
    await gated.close()
  })

  it("answers what an agent asks, and the agent goes on", async () => {
    const { answer, refusal, close } = await connect(server, { secret: ada, era })
    const { run_id, workspace_id: session_id } = await answer("start_run", askingTask)
    const waiting = await answer("get_run", { run_id, wait_seconds: 50 })
    expect(waiting).toMatchObject({ ended_at: null, questions: [{ session_id, question: { paths: ["a.txt"] } }] })
    const [{ question_id }] = waiting.questions
    expect((await answer("list_questions", { session_id })).questions).toEqual(waiting.questions)
    expect((await answer("list_questions")).questions).toEqual(waiting.questions)
    const given = { session_id, question_id, choice: "allow" }
    expect(await answer("answer_question", given)).toEqual({ question_id, answered: true })
    expect(await refusal("answer_question", given)).toMatchObject({
      code: "question_answered",
      details: { choice: "allow", by: "ada" },
    })
    let run = waiting
    while (run.ended_at === null) run = await answer("get_run", { run_id, wait_seconds: 50 })
    expect(run.status).toBe("completed")
    const lines = await answer("read_file", { session_id, path: "a.txt", from_line: 2, lines: 5 })
    expect(lines).toMatchObject({ content: "2\n", from_line: 2, total_lines: 2 })
    await close()
  })

  it("cancels a run, and starts one run however often it asks with one key", async () => {
    const { answer, refusal, close } = await connect(server, { secret: ada, era })
    const idempotency_key = `once-${JSON.stringify(era)}`
    const again = { ...askingTask, idempotency_key }
    const [first, second] = await Promise.all([answer("start_run", again), answer("start_run", again)])
    expect(first.run_id).toBe(second.run_id)
    expect(await refusal("start_run", { ...again, prompt: "Something else" })).toMatchObject({
      code: "idempotency_conflict",
    })
    await answer("cancel_run", { run_id: first.run_id })
    let run = first
    while (run.ended_at === null) run = await answer("get_run", { run_id: first.run_id, wait_seconds: 50 })
    expect(run).toMatchObject({ status: "cancelled", cancel_requested: true })
    await close()
  })

  it("can't do what its token may not, and is told so", async () => {
    const reader = await connect(server, { secret: await tokenOf("ada", ["read"]), era })
    const changes = { start_run: { prompt: "A page" }, cancel_run: { run_id: "run_x" } }
    const answering = { session_id: "x", question_id: "que_x", choice: "allow" }
    for (const [name, args] of Object.entries({ ...changes, answer_question: answering })) {
      expect(await reader.refusal(name, args), name).toMatchObject({ code: "forbidden", details: { scope: "run" } })
    }
    expect((await reader.answer("list_sessions", { limit: 1 })).sessions).toHaveLength(1)
    await reader.close()
    const runner = await connect(server, { secret: await tokenOf("ada", ["run"]), era })
    for (const name of ["list_sessions", "list_questions"]) {
      expect(await runner.refusal(name), name).toMatchObject({ code: "forbidden", details: { scope: "read" } })
    }
    await runner.close()
  })

  it("is told of what is another's as of what isn't there, and changes nothing of it", async () => {
    const hers = await connect(server, { secret: ada, era })
    const { run_id, workspace_id: session_id } = await hers.answer("start_run", askingTask)
    const { questions } = await hers.answer("get_run", { run_id, wait_seconds: 50 })
    const { question_id } = questions[0]
    const mallory = await connect(server, { secret: await tokenOf("mallory", ["read", "run"]), era })
    const asked = [
      ["get_run", { run_id }],
      ["get_run", { run_id, wait_seconds: 50 }],
      ["cancel_run", { run_id }],
      ["list_questions", { session_id }],
      ["answer_question", { session_id, question_id, choice: "allow" }],
      ["list_files", { session_id }],
      ["read_file", { session_id, path: "a.txt" }],
      ["get_zip", { session_id }],
    ] as const
    for (const [name, args] of asked) {
      const nowhere = Object.entries(args).map(([key, value]) => [
        key,
        /_id$/.test(key) ? `${value}`.replace(/.$/, "-") : value,
      ])
      const [told, elsewhere] = [
        await mallory.refusal(name, args),
        await mallory.refusal(name, Object.fromEntries(nowhere)),
      ]
      expect(told.code, name).toMatch(/_not_found$/)
      expect([told.code, told.message], name).toEqual([elsewhere.code, elsewhere.message])
    }
    expect(await mallory.answer("list_questions")).toEqual({ questions: [] })
    expect(await mallory.answer("list_sessions", {})).toEqual({ sessions: [], total: 0, next: null, open_questions: 0 })
    expect((await hers.answer("get_run", { run_id })).questions).toMatchObject([{ question_id }])
    await hers.answer("cancel_run", { run_id })
    await Promise.all([hers.close(), mallory.close()])
  })

  it("gets the product's words for what it can't ask", async () => {
    const { call, refusal, close } = await connect(server, { secret: ada, era })
    const hostile = "../../../etc/passwd"
    expect(await refusal("start_run", { prompt: " " })).toMatchObject({ code: "invalid_request" })
    expect(await refusal("start_run", { prompt: "A page", session_id: hostile })).toMatchObject({
      code: "invalid_request",
    })
    expect(await refusal("start_run", { prompt: "A page", model: "none/at-all" })).toMatchObject({
      code: "invalid_request",
    })
    expect(await refusal("start_run", { prompt: "Do it.", kind: "agent" })).toMatchObject({ code: "invalid_request" })
    expect(await refusal("list_files", { session_id: hostile })).toMatchObject({ code: "session_not_found" })
    const { workspace_id: session_id, run_id } = JSON.parse((await call("start_run", { prompt: "A page" })).text)
    expect(await refusal("read_file", { session_id, path: hostile })).toMatchObject({
      code: "workspace_validation_error",
    })
    expect(await refusal("read_file", { session_id, path: "none.txt" })).toMatchObject({ code: "workspace_not_found" })
    // The MCP SDK rejects arguments that don't match a tool's schema.
    for (const [name, args] of [
      ["start_run", {}],
      ["start_run", { prompt: "\ud800" }],
      ["start_run", { prompt: 1 }],
      ["start_run", { prompt: "A page", kind: "check" }],
      ["get_run", { run_id, wait_seconds: 51 }],
      ["get_run", { run_id: "x".repeat(101) }],
      ["list_sessions", { before: "not a page" }],
      ["list_files", { session_id, limit: 1001 }],
      ["answer_question", { session_id, question_id: "q", choice: "perhaps" }],
    ] as const) {
      const { text, isError } = await call(name, args)
      expect([isError, text.slice(0, 300)], name).toEqual([true, expect.stringContaining("Invalid arguments")])
    }
    await server.ended(run_id, { headers: bearer(ada) })
    expect(server.reported).toEqual([])
    await close()
  })
})

describe("/mcp", () => {
  it("lets nobody in without a token, and no page without its origin", async () => {
    for (const headers of [{}, bearer("garbled"), { cookie: "switchyard=x" }] as Record<string, string>[]) {
      const response = await post(message("tools/list"), headers)
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toBe("Bearer")
      expect(await response.json()).toEqual(refusal("unauthorized"))
    }
    for (const origin of ["https://example.org", "null"]) {
      const response = await post(message("tools/list"), { ...bearer(ada), origin })
      expect([response.status, await response.json()], origin).toEqual([403, refusal("forbidden")])
    }
    expect((await post(message("tools/list"), { ...bearer(ada), origin: server.url })).status).toBe(200)
    await expect(connect(server, { secret: "garbled" })).rejects.toThrow()
  })

  it("takes one message at a time, and answers what is none with the protocol's errors", async () => {
    const batch = `[${Array.from({ length: 1000 }, () => message("tools/list")).join(",")}]`
    const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`
    const none = [batch, "null", "[]", "1", '"x"', "{}", '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","params":[]}']
    for (const [code, bodies] of [[-32700, ["", "{", deep, "a=1"]] as const, [-32600, none] as const]) {
      for (const body of bodies) {
        const response = await post(body)
        expect([response.status, await response.json()], body.slice(0, 40)).toEqual([
          400,
          { jsonrpc: "2.0", id: null, error: { code, message: expect.any(String) } },
        ])
      }
    }
    const large = await post(message("tools/call", { name: "x".repeat(5 * 1024 * 1024) }))
    expect([large.status, await large.json()]).toEqual([413, refusal("payload_too_large")])
    const latin = await post(Buffer.from(message("tools/call", { name: "café" }), "latin1"))
    expect([latin.status, await latin.json()]).toEqual([422, refusal("validation_error", -32_700)])
    const text = await post(message("tools/list"), { ...bearer(ada), "content-type": "text/plain" })
    expect([text.status, (await text.json()).jsonrpc]).toEqual([415, "2.0"])
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await fetch(`${server.url}/mcp`, { method, headers: bearer(ada) })
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
      expect(await response.json()).toEqual(refusal("method_not_allowed"))
    }
  })

  it("answers an unknown method by its id, and a notification or a late result not at all", async () => {
    const unknown = await (await post(message("tools/none"))).text()
    expect(JSON.parse(unknown.match(/\{.*\}/)?.[0] ?? "")).toMatchObject({ id: 1, error: { code: -32601 } })
    for (const silent of [{ method: "notifications/cancelled" }, { method: "none" }, { id: 7, result: {} }]) {
      const response = await post(JSON.stringify({ jsonrpc: "2.0", ...silent }))
      expect([response.status, await response.text()]).toEqual([202, ""])
    }
  })

  it("serves a client that comes with the session of a server from before", async () => {
    const client = new Client({ name: "test", version: "0" })
    const requestInit = { headers: { ...bearer(ada), "mcp-session-id": "gone" } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
    expect((await client.listTools()).tools.length).toBeGreaterThan(8)
    await client.close()
  })

  it("knows no tool of that name, nor anything that every object has", async () => {
    const { client, close } = await connect(server, { secret: ada })
    for (const name of ["rm", "__proto__", "constructor", "toString", ""]) {
      await expect(client.callTool({ name, arguments: {} }), name).rejects.toThrow()
    }
    expect(server.reported).toEqual([])
    await close()
  })

  it("keeps no stream open for what never changes", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    }
    const params = { _meta: meta, notifications: { toolsListChanged: true } }
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" }
    const response = await post(message("subscriptions/listen", params), { ...bearer(ada), ...headers })
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("limit") } })
  })

  it("counts what it starts against the rate limit of runs", async () => {
    const slow = await startServer({ env: { ...env, RATE_LIMIT_RUNS_PER_MINUTE: "2" } })
    const json = { name: "x", owner: "ada", scopes: ["run"] }
    const { secret } = (await slow.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })).body
    const { call, close } = await connect(slow, { secret })
    const answers = []
    for (let at = 0; at < 3; at++) answers.push(await call("start_run", { prompt: "A page" }))
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, true])
    expect(JSON.parse(answers[2]?.text ?? "").error).toMatchObject({
      code: "rate_limited",
      details: { retry_after_seconds: expect.any(Number) },
    })
    await close()
    await slow.close()
  })

  it("ends what it waits for when the client goes away", async () => {
    const gone = new AbortController()
    const { answer, close } = await connect(server, { secret: ada })
    const { run_id, questions } = await answer("start_run", askingTask)
    expect(questions).toEqual([])
    const waiting = answer("get_run", { run_id, wait_seconds: 50 }, { signal: gone.signal })
    gone.abort()
    await expect(waiting).rejects.toThrow()
    await answer("cancel_run", { run_id })
    await close()
  })
})

describe("every tool", () => {
  it("has the scope of a route that there is", () => {
    const tools = [runTools, questionTools, sessionTools, fileTools].flatMap((make) =>
      Object.entries(make({} as AppDeps)),
    )
    expect(tools.length).toBeGreaterThan(8)
    for (const [name, { route, readOnly }] of tools) {
      expect(endpoints.map(({ method, path }) => `${method} ${path}`)).toContain(route)
      expect(scopeOf(route), name).toBe(readOnly ? "read" : "run")
    }
  })

  it("says what it takes and what it answers, in a schema that a client can check", async () => {
    const { client, close } = await connect(server, { secret: ada })
    const { tools } = await client.listTools()
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(
        [title, description].every((text) => (text?.length ?? 0) > 5),
        name,
      ).toBe(true)
      expect([inputSchema.type, outputSchema?.type], name).toEqual(["object", "object"])
      expect(annotations?.readOnlyHint, name).toBe(/^(get|list|read)_/.test(name))
      expect(JSON.stringify(inputSchema).length, name).toBeLessThan(6000)
    }
    await close()
  })
})
