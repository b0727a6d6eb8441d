import { dirname, join } from "node:path"
import type { ModelProvider } from "@switchyard/core/models/provider"
import type { Records } from "@switchyard/core/storage/records"
import type { Stores } from "@switchyard/functions/local/local-core"
import { afterEach, expect, it, vi } from "vitest"
import { modelFor } from "../core/work/workflow/model.ts"
import { itDeep } from "../depth.ts"
import { startUpstream } from "../runner/gateway/upstream.ts"
import { WAIT_MS } from "../settings.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const FILES = ["index.html", "README.md"]
const EACH = { input: 900, cacheRead: null, cacheWrite: null, output: 100 }

/** Creates a model that reports 1,000 tokens per answer. `calls` lists its answers. */
function counted() {
  const inner = modelFor(FILES)
  const calls: string[] = []
  const provider: ModelProvider = {
    name: inner.name,
    async *stream(request, options) {
      calls.push(request.output?.name ?? "file")
      for await (const event of inner.stream(request, options)) {
        if (event.type === "end") yield { type: "usage", usage: EACH }
        if (event.type !== "usage") yield event
      }
    },
  }
  return { provider, calls }
}

let server: TestServer
afterEach(() => server.close())

const budget = (json: object) => server.call("PUT", "/api/v1/config/budget", { json })
const begin = () => server.call("POST", "/v1/runs", { json: { user_prompt: "A page" } })
const statusOf = async (run: string) => (await server.call("GET", `/v1/runs/${run}`)).body.status
const refused = { status: 403, body: { error: { code: "budget_reached" } } }

it("keeps a run from calling its model once the budget is used up, and lets it go on without doing anything twice", async () => {
  const { provider, calls } = counted()
  server = await startServer({ scripted: provider })
  const whole = (await begin()).body.run_id
  expect(await server.ended(whole)).toMatchObject({ status: "completed" })
  const needed = calls.splice(0)
  const counts = async () => (await server.call("GET", "/api/v1/config/budget")).body.day.tokens
  await vi.waitFor(async () => expect(await counts()).toBe(needed.length * 1000), { timeout: WAIT_MS })

  await budget({ day_tokens: needed.length * 1000 + 2000 })
  const { run_id } = (await begin()).body
  // Accepts each of these states, so that the test fails at once if the run wrongly completes.
  const settled = async () => expect(await statusOf(run_id)).toMatch(/parked|completed|failed/)
  await vi.waitFor(settled, { timeout: WAIT_MS })
  expect(await statusOf(run_id)).toBe("parked")
  expect(calls).toEqual(needed.slice(0, 2))
  expect(await server.call("POST", `/v1/runs/${run_id}/resume`, { json: {} })).toMatchObject(refused)

  // A budget equal to the usage leaves no room.
  await budget({ day_tokens: (needed.length + 2) * 1000 })
  expect(await statusOf(run_id)).toBe("parked")
  // Sent twice at once, like the retry of a client that timed out.
  const [{ body }] = await Promise.all([budget({ day_tokens: null }), budget({ day_tokens: null })])
  expect(body).toMatchObject({ reached: null, day: { tokens: (needed.length + 2) * 1000 } })
  expect(await server.ended(run_id)).toMatchObject({ status: "completed" })
  const { text } = await server.call("GET", `/v1/runs/${run_id}/events`)
  expect(text.match(/"type":"run_(parked|resumed)"/g)).toEqual(['"type":"run_parked"', '"type":"run_resumed"'])
  expect([...calls].sort()).toEqual([...needed].sort())
  await vi.waitFor(async () => expect(await counts()).toBe(needed.length * 2000), { timeout: WAIT_MS })
})

it("wakes a run for which the budget is raised just before it is listed as waiting", async () => {
  const { provider } = counted()
  const raised: unknown[] = []
  const wrapStores = (stores: Stores): Stores => {
    const put: Records["put"] = async (key, ...rest) => {
      const isFirst = key.partition.startsWith("budget-waits/") && raised.push(key) === 1
      if (isFirst) await budget({ day_tokens: null })
      return stores.records.put(key, ...rest)
    }
    return { ...stores, records: { ...stores.records, put } }
  }
  server = await startServer({ scripted: provider, wrapStores })
  await budget({ day_tokens: 2000 })
  const { run_id } = (await begin()).body
  expect(await server.ended(run_id)).toMatchObject({ status: "completed" })
})

it.each([
  ["day_tokens", 10_000],
  ["day_tokens", 10_500],
] as const)("lets 40 runs at once pass a limit by no more than one call (%s: %i)", async (name, limit) => {
  const { provider, calls } = counted()
  server = await startServer({ scripted: provider, env: { RATE_LIMIT_RUNS_PER_MINUTE: "0" } })
  await budget({ [name]: limit })
  const chat = async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { json: {} })).body
    const json = { message: "Hello", model: "scripted/test" }
    return server.call("POST", `/api/v1/sessions/${id}/chat`, { json })
  }
  const team = () => server.call("POST", "/api/v1/teams", { json: { goal: "A page", model: "scripted/test" } })
  const all = [
    ...Array.from({ length: 30 }, chat),
    ...Array.from({ length: 5 }, begin),
    ...Array.from({ length: 5 }, team),
  ]
  const started = (await Promise.all(all)).flatMap(({ status, body }) => (status < 300 ? [body.run_id as string] : []))
  expect(started.length).toBeGreaterThanOrEqual(10)
  const settled = async () => {
    const statuses = await Promise.all(started.map(statusOf))
    for (const status of statuses) expect(status).toMatch(/parked|completed|failed/)
  }
  await vi.waitFor(settled, { timeout: WAIT_MS })
  const used = (await server.call("GET", "/api/v1/config/budget")).body.day.tokens
  expect(used).toBe(calls.length * 1000)
  expect(used).toBeGreaterThanOrEqual(limit)
  expect(used - limit).toBeLessThan(1000)
})

it("asks a person where a session's budget is used up, and goes on as the answer says, or as it is changed", async () => {
  const { provider, calls } = counted()
  server = await startServer({ scripted: provider })
  const session = (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id
  const path = `/api/v1/sessions/${session}/budget`
  expect((await server.call("PUT", path, { json: { tokens: 1000 } })).body).toMatchObject({ usd: null, tokens: 1000 })
  const json = { user_prompt: "A page", workspace_id: session }
  const { run_id } = (await server.call("POST", "/v1/runs", { json })).body
  const ask = async () => (await server.call("GET", `/api/v1/sessions/${session}/questions`)).body.questions[0]
  const asked = () => vi.waitFor(async () => (await ask()) ?? expect.unreachable(), { timeout: WAIT_MS })
  const parked = () => vi.waitFor(async () => expect(await statusOf(run_id)).toBe("parked"), { timeout: WAIT_MS })

  const first = await asked()
  await parked()
  expect(calls).toHaveLength(1)
  expect(first.question.questions[0].options[0].label).toBe("Up to 2,000 tokens")
  const answer = `/api/v1/sessions/${session}/questions/${first.question_id}/answer`
  expect((await server.call("POST", answer, { json: { choice: "allow" } })).status).toBe(200)

  await vi.waitFor(async () => expect((await asked()).question_id).not.toBe(first.question_id), { timeout: WAIT_MS })
  await parked()
  expect(calls).toHaveLength(2)
  const { body } = await server.call("PUT", path, { json: { tokens: null } })
  expect(body).toMatchObject({ tokens: null, used: { tokens: 2000, usd: 0 }, reached: null })
  expect(await server.ended(run_id)).toMatchObject({ status: "completed" })
  expect(await ask()).toBeUndefined()
  expect((await server.call("PUT", `/v1/runs/${run_id}/budget`, { json: { usd: 1 } })).status).toBe(409)
})

it.each(["/v1/runs", "/stream"])(
  "gives a run the budget that its request names, before its first call: %s",
  async (path) => {
    const { provider, calls } = counted()
    server = await startServer({ scripted: provider })
    const json = { user_prompt: "A page", budget: { tokens: 1500 }, workspace_id: "with-budget" }
    void server.call("POST", path, { json })
    const asked = async () => (await server.call("GET", "/api/v1/questions?wait=50")).body.questions
    await vi.waitFor(async () => expect(await asked()).toHaveLength(1), { timeout: WAIT_MS })
    const [{ run_id }] = await asked()
    expect(calls).toHaveLength(2)
    const { body: status } = await server.call("GET", `/v1/runs/${run_id}/budget`)
    expect(status).toMatchObject({ usd: null, tokens: 1500, reached: "tokens", used: { tokens: 2000 } })
    // The budget is in the batch that created the run, so a process that dies can't leave a run without its budget.
    const { body } = await server.call("GET", "/api/v1/sessions/with-budget/events?limit=5")
    const batches = body.events.map(({ type, event_id }: Record<string, string>) => [type, event_id?.split("_").at(-2)])
    const [, created] = batches.find(([type]: string[]) => type === "run_created")
    expect(batches).toContainEqual(["budget_set", created])
    await server.call("PUT", `/v1/runs/${run_id}/budget`, { json: { tokens: null } })
    expect(await server.ended(run_id)).toMatchObject({ status: "completed" })
  },
)

it("refuses a budget that is none before anything is made of it", async () => {
  server = await startServer({})
  for (const wrong of [{ tokens: -1 }, { usd: "2" }, { euro: 2 }, 5]) {
    const json = { user_prompt: "A page", budget: wrong }
    expect((await server.call("POST", "/v1/runs", { json })).status).toBe(422)
  }
  expect((await server.call("GET", "/v1/runs")).body.runs).toEqual([])
})

it("refuses a chat's turn where the session's budget is used up, before anything is made of it or used", async () => {
  const { provider, calls } = counted()
  server = await startServer({ scripted: provider })
  const session = (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id
  const path = `/api/v1/sessions/${session}`
  await server.call("PUT", `${path}/budget`, { json: { tokens: 1000 } })
  const ask = (message: string) => server.call("POST", `${path}/chat`, { json: { message, model: "scripted/test" } })
  const first = await ask("One")
  await server.ended(first.body.run_id)
  const details = { limit: "tokens", maximum: 1000, scope: "session" }
  expect(await ask("Two")).toMatchObject({ status: 403, body: { error: { code: "budget_reached", details } } })
  expect(calls).toHaveLength(1)
  const { messages } = (await server.call("GET", `${path}/chat`)).body
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"])
  expect((await server.call("GET", `${path}/questions`)).body.questions).toEqual([])
  expect((await server.call("GET", `${path}/budget`)).body.used.tokens).toBe(1000)
  await server.call("PUT", `${path}/budget`, { json: { tokens: null } })
  expect((await ask("Two")).status).toBe(202)
})

it("asks before an agent's turn where the session's budget is used up, and begins it once there is room", async () => {
  server = await startServer()
  const session = (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id
  const path = `/api/v1/sessions/${session}`
  await server.call("PUT", `${path}/budget`, { json: { tokens: 0 } })
  const json = { coding_agent: "mock", task_description: 'Write it. mock: {"files":{"a.txt":"a"}}' }
  const { task_id } = (await server.call("POST", `${path}/tasks`, { json })).body
  await vi.waitFor(async () => expect(await statusOf(task_id)).toBe("parked"), { timeout: WAIT_MS })
  const ask = async () => (await server.call("GET", `${path}/questions`)).body.questions
  await vi.waitFor(async () => expect(await ask()).toMatchObject([{ run_id: task_id }]), { timeout: WAIT_MS })
  await server.call("PUT", `${path}/budget`, { json: { tokens: null } })
  expect(await server.ended(task_id)).toMatchObject({ status: "completed" })
  const { events } = (await server.call("GET", `${path}/events?limit=1000&event_types=agent_turn_started,user_message`))
    .body
  expect(events.map(({ type }: { type: string }) => type)).toEqual(["user_message", "agent_turn_started"])
  expect(events[0].content).toBe(json.task_description)

  const asked = { kind: "agent", coding_agent: "mock", user_prompt: json.task_description, workspace_id: session }
  const { run_id } = (await server.call("POST", "/v1/runs", { json: { ...asked, budget: { tokens: 0 } } })).body
  await vi.waitFor(async () => expect(await statusOf(run_id)).toBe("parked"), { timeout: WAIT_MS })
  await server.call("PUT", `/v1/runs/${run_id}/budget`, { json: { tokens: null } })
  expect(await server.ended(run_id)).toMatchObject({ status: "completed" })
})

it.each(["session", "owner"])(
  "lets an agent pass the budget of its %s by one request to its model, however many it sends, and goes on once there is room",
  async (whose) => {
    const usage = { input_tokens: 900, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 100 }
    await using upstream = await startUpstream((_, response) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ type: "message", content: [{ type: "text", text: "Yes." }], usage }))
    })
    server = await startServer({ env: { ALLOWED_HOSTS: "127.0.0.1" } })
    const account = { name: "metered", provider: "mock", api_key: "mock-key", base_url: upstream.url }
    expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBe(201)
    const session = (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id
    const path = `/api/v1/sessions/${session}`
    const change = (tokens: number | null) =>
      whose === "owner" ? budget({ day_tokens: tokens }) : server.call("PUT", `${path}/budget`, { json: { tokens } })
    const used = async () => {
      const { body } = await server.call("GET", whose === "owner" ? "/api/v1/config/budget" : `${path}/budget`)
      return (body.day ?? body.used).tokens
    }
    await change(2500)
    const task_description = 'Write it. mock: {"calls":12,"calls_at_once":4,"files":{"a.txt":"a"}}'
    const json = { coding_agent: "metered", task_description }
    const { task_id } = (await server.call("POST", `${path}/tasks`, { json })).body
    const settled = async () => expect(await statusOf(task_id)).toMatch(/parked|completed|failed/)
    await vi.waitFor(settled, { timeout: WAIT_MS })
    expect(await statusOf(task_id)).toBe("parked")
    expect(upstream.asked).toHaveLength(3)
    expect(await used()).toBe(3000)
    // An owner's budget raises no question. The run resumes when the budget is raised or the day is over.
    const asked = whose === "owner" ? [] : [{ run_id: task_id }]
    expect((await server.call("GET", `${path}/questions`)).body.questions).toMatchObject(asked)
    await change(null)
    expect(await server.ended(task_id)).toMatchObject({ status: "completed" })
    // The agent resumes in its own session. It receives its task again and repeats its requests.
    expect(upstream.asked).toHaveLength(15)
    await vi.waitFor(async () => expect(await used()).toBe(15_000), { timeout: WAIT_MS })
  },
)

itDeep("asks before work that failed its checks goes back to its agent, which then goes on", async () => {
  server = await startServer()
  const check =
    'import { existsSync } from "node:fs"\nimport { test } from "node:test"\ntest("is there", () => { if (!existsSync("b.txt")) throw Error("no") })\n'
  const files = { "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n', "a.test.js": check }
  const { folder: repository } = makeRepository(join(dirname(server.folder), "theirs"), files)
  const session = (await server.call("POST", "/api/v1/sessions", { json: { repository } })).body.id
  const path = `/api/v1/sessions/${session}`
  await server.call("PUT", `${path}/budget`, { json: { tokens: 100 } })
  const task_description = 'Write it. mock: {"files":{"a.txt":"a"},"later":[{"b.txt":"b"}]}'
  const json = { coding_agent: "mock", task_description, verify: true, consent: true }
  const { task_id } = (await server.call("POST", `${path}/tasks`, { json })).body
  await vi.waitFor(async () => expect(await statusOf(task_id)).toBe("parked"), { timeout: WAIT_MS })
  const ask = async () => (await server.call("GET", `${path}/questions`)).body.questions[0]
  const { question_id } = await vi.waitFor(async () => (await ask()) ?? expect.unreachable(), { timeout: WAIT_MS })
  await server.call("POST", `${path}/questions/${question_id}/answer`, { json: { choice: "allow" } })
  expect(await server.ended(task_id)).toMatchObject({ status: "completed", verdict: { status: "passed" } })
  const { events } = (
    await server.call("GET", `${path}/events?limit=1000&event_types=user_message,verification_attempt`)
  ).body
  expect(events.map(({ type, passed }: { type: string; passed?: boolean }) => passed ?? type)).toEqual([
    ...["user_message", false, "user_message", true],
  ])
  expect(events[2].content).toContain("Find the cause, repair it")
})

it("refuses whatever would ask a model before anything is made of it, and says when it will not", async () => {
  server = await startServer()
  const session = (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id
  const { body } = await budget({ day_tokens: 0, month_usd: 0 })
  expect(body.reached).toMatchObject({ limit: "month_usd" })
  const task = { coding_agent: "mock", task_description: "Do it." }
  const requests: [string, object][] = [
    ["/v1/runs", { user_prompt: "A page" }],
    ["/stream", { user_prompt: "A page" }],
    [`/api/v1/sessions/${session}/tasks`, task],
    [`/api/v1/sessions/${session}/chat`, { message: "Hello" }],
    [`/api/v1/teams`, { goal: "A page" }],
  ]
  for (const [path, json] of requests)
    expect([path, await server.call("POST", path, { json })]).toMatchObject([path, refused])
  expect((await server.call("GET", "/api/v1/sessions")).body.sessions).toHaveLength(1)
  await budget({ day_tokens: null, month_usd: null })
  expect((await begin()).status).toBe(201)
})

it("keeps what isn't named, and takes nothing that is no amount", async () => {
  server = await startServer()
  await budget({ day_usd: 5, month_tokens: 1_000_000 })
  expect((await budget({ day_usd: 6 })).body).toMatchObject({ day_usd: 6, month_tokens: 1_000_000, month_usd: null })
  for (const json of [{ day_usd: -1 }, { month_tokens: 1.5 }, { year_usd: 1 }]) {
    expect((await budget(json)).status).toBe(422)
  }
})

it("refuses a limit in dollars for a model without a price, and names the way out", async () => {
  server = await startServer({ scripted: counted().provider })
  const model = "anthropic/claude-of-no-list"
  const keyed = { model, api_key: "sk-ant-mine" }
  const message = `No price is known for ${model}, so a limit in dollars has no effect. Limit tokens instead.`
  const unpriced = { body: { error: { code: "invalid_request", message, details: { model, limit: "usd" } } } }
  const run = { ...keyed, user_prompt: "A page" }
  expect(await server.call("POST", "/v1/runs", { json: { ...run, budget: { usd: 5 } } })).toMatchObject(unpriced)
  const team = { ...keyed, goal: "A page", budget: { usd: 5, tokens: 1000 } }
  expect(await server.call("POST", "/api/v1/teams", { json: team })).toMatchObject(unpriced)
  expect((await server.call("GET", "/api/v1/sessions")).body.sessions).toEqual([])
})

it("estimates what a build will cost with a model that has a price, and refuses what isn't a model", async () => {
  server = await startServer({})
  const estimate = (model: string) => server.call("GET", `/api/v1/usage/estimate?model=${encodeURIComponent(model)}`)
  const priced = await estimate("anthropic/claude-sonnet-5")
  expect(priced).toMatchObject({ status: 200, body: { model: "anthropic/claude-sonnet-5", builds: 0 } })
  expect(priced.body.usd.high).toBeGreaterThan(priced.body.usd.low)
  expect(await estimate("local/qwen")).toMatchObject({ status: 200, body: { usd: null } })
  expect(await estimate("codex/gpt-5")).toMatchObject({
    status: 422,
    body: { error: { code: "invalid_request" } },
  })
  // Without a model, this server uses the demo model, which is free.
  expect(await server.call("GET", "/api/v1/usage/estimate")).toMatchObject({ body: { usd: { low: 0, high: 0 } } })
})
