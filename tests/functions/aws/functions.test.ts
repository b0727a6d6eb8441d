import { on } from "node:events"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { WebSocket } from "ws"
import { itDeep } from "../../depth.ts"
import { startWebSocketGateway } from "../../emulators/websocket-gateway.ts"
import { framesOf } from "../server.ts"
import { type Answer, ask, awslambda, type Context, context, MASTER_KEY, ORIGIN, startAws, TOKEN } from "./lambda.ts"

// Time stops unless a test moves it. The entry points read the system clock at import, so tests can't inject one.
vi.hoisted(() => vi.useFakeTimers({ toFake: ["Date"] }))
// With the demo's typing pauses, a run takes ten seconds.
vi.mock("@switchyard/functions/demo-model", async () => {
  const { createDemoProvider } = await import("@switchyard/demo-model")
  return { createDemoModel: () => createDemoProvider({ paceMs: 0, sleep: async () => {} }) }
})

let aws: Awaited<ReturnType<typeof startAws>>
let api: unknown
let stream: unknown
let worker: (payload: unknown, context: Context) => Promise<void>
let sweep: (event: unknown, context: Context) => Promise<void>
let socket: (event: unknown, context: Context) => Promise<{ statusCode: number }>
let pump: (payload: unknown, context: Context) => Promise<void>
let gateway: Awaited<ReturnType<typeof startWebSocketGateway>>
/** Runs in progress. */
let working: Promise<void>[] = []
const written: string[] = []

beforeAll(async () => {
  aws = await startAws()
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value)
  vi.stubEnv("LANGSMITH_TRACING", "true")
  vi.stubEnv("LANGCHAIN_ENDPOINT", "http://127.0.0.1:1")
  vi.stubGlobal("awslambda", awslambda)
  api = (await import("@switchyard/functions/aws/api")).handler
  stream = (await import("@switchyard/functions/aws/stream")).handler
  worker = (await import("@switchyard/functions/aws/worker")).handler
  sweep = (await import("@switchyard/functions/aws/sweep")).handler
  gateway = await startWebSocketGateway()
  vi.stubEnv("CONNECTIONS", gateway.endpoint)
  vi.stubEnv("PUMP", "the-pump")
  socket = (await import("@switchyard/functions/aws/socket")).handler
  pump = (await import("@switchyard/functions/aws/socket-pump")).handler
  gateway.invokes((event) => socket(event, context()))
})
afterAll(async () => {
  await gateway.stop()
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  await aws.stop()
})

beforeEach(() => {
  working = []
  written.length = 0
  aws.invocations.length = 0
  aws.refuse(false)
  aws.invokes((payload) => working.push(worker(payload, context())))
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0)
})

const lines = (kind: string) => written.map((line) => JSON.parse(line)).filter((line) => line.kind === kind)
const prompt = (workspace_id: string) => ({
  user_prompt: "A static page about tea",
  workspace_id,
  model: "scripted/demo",
})
const withKey = { "x-api-key": "key-of-the-caller" }

describe("the functions, on emulators of what they stand on", () => {
  it("log no link by which others fire a trigger", async () => {
    for (const [method, path] of [
      ["POST", "/hooks/the-secret"],
      ["GET", "/hooks/the-secret/more"],
    ] as const) {
      for (const handler of [api, stream]) await ask(handler, method, `${path}?token=the-secret`)
    }
    expect(lines("request").map(({ path }) => path)).toEqual([
      ...["/hooks/…", "/hooks/…"],
      ...["/hooks/…/more", "/hooks/…/more"],
    ])
    expect(written.join("")).not.toContain("the-secret")
  })

  it("make a project of a prompt: streamed, executed by a worker, and taken home as a zip", async () => {
    const asked = { json: prompt("tea"), headers: withKey }
    const streamed = await ask(stream, "POST", "/stream?token=in-the-query", asked)
    await Promise.all(working)
    const named = { "content-type": "text/event-stream", "x-switchyard-version": "1.2.3" }
    expect(streamed).toMatchObject({ status: 200, headers: named })
    const run_id = streamed.headers["x-run-id"]
    expect(framesOf(streamed.text).at(-1)).toMatchObject({ event: "run_complete" })
    const payload = {
      run_id,
      sid: expect.any(String),
      expected_generation: 0,
      kind: "workflow",
      asked_at: expect.any(Number),
    }
    expect(aws.invocations).toEqual([{ url: "/2015-03-31/functions/the-worker/invocations", type: "Event", payload }])

    const run = await ask(api, "GET", `/v1/runs/${run_id}`)
    expect(JSON.parse(run.text)).toMatchObject({ run_id, status: "completed" })
    const link = await ask(api, "GET", "/workspace/download?workspace_id=tea&link=1", { headers: withKey })
    const zip = await fetch(JSON.parse(link.text).url)
    expect(
      Buffer.from(await zip.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK")

    await sweep({}, context())
    const request = {
      time: expect.any(String),
      kind: "request",
      request_id: expect.any(String),
      duration_ms: expect.any(Number),
      version: "1.2.3",
      owner: "admin",
      token_id: "admin",
    }
    expect(lines("request")).toEqual([
      { ...request, method: "POST", path: "/stream", status: 200 },
      { ...request, method: "GET", path: `/v1/runs/${run_id}`, status: 200 },
      { ...request, method: "GET", path: "/workspace/download", status: 200 },
    ])
    expect(lines("run")).toMatchObject([{ run_id, generation: 1, executor: expect.stringMatching(/^lambda-/) }])
    expect(lines("outcome")).toMatchObject([{ run_id, run_kind: "workflow", status: "completed", fault: false }])
    expect(lines("sweep")).toHaveLength(1)
    // A busy machine also logs stalls.
    expect(written).toHaveLength(6 + lines("stall").length)
    for (const secret of [TOKEN, ORIGIN, MASTER_KEY, "key-of-the-caller", "in-the-query"]) {
      expect(written.join("")).not.toContain(secret)
    }
  })

  it("hold a session's socket, over which one function takes messages and another sends events", async () => {
    await ask(api, "POST", "/workspace/session/touch", { json: { workspace_id: "talk" } })
    aws.invokes((payload) => working.push(pump(payload, context())))
    const headers = { "x-origin-secret": ORIGIN, authorization: `Bearer ${TOKEN}` }
    const client = new WebSocket(`${gateway.url}?path=/ws/talk`, { headers })
    const told: { type: string; data: { type?: string } }[] = []
    for await (const [text] of on(client, "message")) {
      told.push(JSON.parse(String(text)))
      if (told.length === 1) client.send(JSON.stringify({ type: "ping" }))
      if (told.some(({ type }) => type === "pong")) break
    }
    expect(told[0]).toMatchObject({ type: "event", session_id: "talk", data: { type: "session_opened" } })
    client.close()
    await on(client, "close").next()
    // The pump finds the socket closed at the next event or heartbeat.
    await ask(api, "PUT", "/workspace/file", { json: { workspace_id: "talk", path: "a.txt", content: "a" } })
    await Promise.all(working)
    const invoked = { url: "/2015-03-31/functions/the-pump/invocations", payload: { connection: expect.any(String) } }
    expect(aws.invocations).toMatchObject([invoked])
    expect(lines("socket")).toMatchObject([
      { route: "$connect", status: 200 },
      { route: "$disconnect", status: 200 },
    ])
    expect(lines("pump")).toHaveLength(1)
    expect(gateway.failed).toEqual([])
  })

  itDeep("end a stream in time, and the next one goes on where it ended, while the run doesn't notice", async () => {
    aws.invokes(() => {})
    const cut = await ask(stream, "POST", "/stream", { json: prompt("cut"), headers: withKey, remainingMs: 15_000 })
    const runId = cut.headers["x-run-id"]
    expect(framesOf(cut.text).map(({ event }) => event)).not.toContain("run_complete")
    const [{ payload }] = aws.invocations as [{ payload: unknown }]
    const [resumed] = await Promise.all([
      ask(stream, "GET", `/v1/runs/${runId}/stream`, {
        headers: { "last-event-id": framesOf(cut.text).at(-1)?.id ?? "" },
      }),
      worker(payload, context()),
    ])
    expect(framesOf(resumed.text).at(-1)).toMatchObject({ event: "run_complete" })
    expect(lines("error")).toEqual([])
  })

  it("lose no run that Lambda would not take: the sweep starts it", async () => {
    aws.refuse(true)
    const refused = await ask(api, "POST", "/v1/runs", { json: prompt("lost"), headers: withKey })
    const { run_id } = JSON.parse(refused.text)
    expect(working).toEqual([])
    expect(lines("error")).toHaveLength(1)

    aws.refuse(false)
    vi.setSystemTime(Date.now() + 60_000)
    await sweep({}, context())
    await Promise.all(working)
    const run = await ask(api, "GET", `/v1/runs/${run_id}`)
    expect(JSON.parse(run.text)).toMatchObject({ status: "completed" })
  })

  it("leave a run that there is no time for to a successor", async () => {
    aws.invokes((payload) => working.push(worker(payload, context(200_000))))
    const asked = await ask(api, "POST", "/v1/runs", { json: prompt("late"), headers: withKey })
    await Promise.all(working)
    const { run_id } = JSON.parse(asked.text)
    const events = await ask(api, "GET", `/v1/runs/${run_id}/events`)
    const types = JSON.parse(events.text).events.map(({ type }: { type: string }) => type)
    expect(types.slice(-1)).toEqual(["run_handed_over"])

    aws.invokes((payload) => working.push(worker(payload, context())))
    await sweep({}, context())
    await Promise.all(working)
    const run = await ask(api, "GET", `/v1/runs/${run_id}`)
    expect(JSON.parse(run.text)).toMatchObject({ status: "completed" })
  })

  it("put no agent to work where the stage has no place for one, say so, and change nothing", async () => {
    const made = await ask(api, "POST", "/api/v1/sessions", { json: {} })
    const { id } = JSON.parse(made.text)
    const asks = [
      [`/api/v1/sessions/${id}/tasks`, { task_description: "Do it.", coding_agent: "claude" }],
      [`/api/v1/sessions/${id}/worktree`, {}],
    ] as const
    const before = await ask(api, "GET", `/api/v1/sessions/${id}`)
    for (const [path, json] of asks) {
      const answer = await ask(api, "POST", path, { json })
      expect([path, answer.status]).toEqual([path, 501])
      expect(JSON.parse(answer.text).error).toMatchObject({
        code: "agents_unavailable",
        details: { hint: expect.stringContaining("docs/deploy.md") },
      })
    }
    expect((await ask(api, "GET", `/api/v1/sessions/${id}`)).text).toBe(before.text)
    expect(aws.invocations).toEqual([])
  })

  describe("with a workspace whose zip takes a while", () => {
    const { signal } = new AbortController()
    const MEGABYTES = 27

    /**
     * Writes more into a workspace than a request packs itself. Resolves to the blob store and the key of one stored
     * file.
     */
    async function fill(workspace: string): Promise<{ blobs: Blobs; oneOfThem: string }> {
      const files = Array.from({ length: MEGABYTES / 9 }, (_, file) => {
        const bytes = Buffer.alloc(9_000_000, String(file))
        return { op: "write" as const, path: workspacePath(`${file}.txt`), bytes }
      })
      const { openCloud } = await import("@switchyard/functions/aws/cloud")
      const { core, blobs } = await openCloud(process.env, { writer: "test" })
      const { session } = await core.sessions.touch("admin", workspace, { signal })
      await commitChanges({ blobs }, session, files, { signal })
      const [blob] = await Array.fromAsync(blobs.list(`s/${session.sid}/1/blobs/`, { signal }))
      return { blobs, oneOfThem: blob?.key ?? "" }
    }

    const download = (workspace: string) =>
      ask(api, "GET", `/workspace/download?workspace_id=${workspace}&link=1`, { headers: withKey })
    const poll = (answer: Answer) => ask(api, "GET", JSON.parse(answer.text).status_url, { headers: withKey })
    const work = () => aws.invokes((payload) => working.push(worker(payload, context())))

    it("say where to ask, have a worker make it once, and give the link when it is there", async () => {
      await fill("large")
      aws.invokes(() => {})
      const asked = await download("large")
      expect(asked).toMatchObject({ status: 202, headers: { "retry-after": "2" } })
      expect(asked.headers.location).toBe(JSON.parse(asked.text).status_url)
      expect((await download("large")).text).toBe(asked.text)
      expect((await poll(asked)).text).toBe(asked.text)
      expect(aws.invocations).toHaveLength(1)

      const [{ payload }] = aws.invocations as [{ payload: unknown }]
      await Promise.all([worker(payload, context()), worker(payload, context())])
      const made = await poll(asked)
      expect(made.status).toBe(200)
      const zip = Buffer.from(await (await fetch(JSON.parse(made.text).url)).arrayBuffer())
      expect([zip.subarray(0, 2).toString(), zip.includes("2.txt")]).toEqual(["PK", true])
      expect((await download("large")).status).toBe(200)
      expect(aws.invocations).toHaveLength(1)
      expect(
        lines("archive")
          .map(({ made }) => made)
          .sort(),
      ).toEqual([false, true])
      expect(lines("error")).toEqual([])
    })

    it("make up for a launch that is lost", async () => {
      await fill("lost-archive")
      aws.refuse(true)
      const asked = await download("lost-archive")
      expect(asked.status).toBe(202)
      await sweep({}, context())
      expect((await poll(asked)).status).toBe(202)

      aws.refuse(false)
      work()
      vi.setSystemTime(Date.now() + 31_000)
      await sweep({}, context())
      await Promise.all(working)
      expect((await poll(asked)).status).toBe(200)
    })

    it("say so when it can't be made, and try again for whoever asks after a while", async () => {
      const { blobs, oneOfThem } = await fill("unlucky-archive")
      const bytes = await readAll((await blobs.get(oneOfThem, { signal })) ?? (async function* () {})())
      await blobs.remove(oneOfThem, { signal })
      work()
      const asked = await download("unlucky-archive")
      for (let sweeps = 0; sweeps < 5; sweeps++) {
        await Promise.all(working)
        await sweep({}, context())
      }
      expect(aws.invocations).toHaveLength(3)
      expect(lines("error").filter(({ error }) => error.code === "workspace_error")).toHaveLength(3)
      for (const answer of [await poll(asked), await download("unlucky-archive")]) {
        expect(answer.status).toBe(500)
        expect(JSON.parse(answer.text).error).toMatchObject({ code: "archive_failed" })
      }

      vi.setSystemTime(Date.now() + 10 * 60_000)
      await blobs.put(oneOfThem, bytes, { signal })
      expect((await download("unlucky-archive")).status).toBe(202)
      await Promise.all(working)
      expect((await poll(asked)).status).toBe(200)
    })
  })

  it.each(["GET", "POST", "PUT", "DELETE"])(
    "answer 403 to a %s that didn't come by the Router, whoever it is from",
    async (method) => {
      for (const path of ["/health", "/v1/runs", "/stream", "/nothing"]) {
        const answer = await ask(api, method, path, { headers: { "x-origin-secret": "guessed" } })
        expect(answer.status).toBe(403)
      }
    },
  )

  it("answer 401 to whoever hasn't the token, except for what anyone may know", async () => {
    const anyone = { authorization: "" }
    for (const path of ["/v1/runs", "/workspace/tree", "/workspace/download", "/v1/me"]) {
      expect(await ask(api, "GET", path, { headers: anyone })).toMatchObject({ status: 401 })
    }
    expect(await ask(api, "POST", "/stream", { headers: anyone, json: prompt("x") })).toMatchObject({ status: 401 })
    expect(await ask(api, "GET", "/v1/runs", { headers: { authorization: `Bearer ${TOKEN}x` } })).toMatchObject({
      status: 401,
    })
    for (const path of ["/health", "/status", "/graph/schema", "/api/prompts", "/openapi.json", "/api/docs"]) {
      expect(await ask(api, "GET", path, { headers: anyone })).toMatchObject({ status: 200 })
    }
    expect(await ask(api, "GET", "/v1/runs")).toMatchObject({ status: 200 })
  })

  it("tell nobody what models are told, whatever the environment asks for", () => {
    expect(Object.keys(process.env).filter((name) => /^LANG(SMITH|CHAIN)_/.test(name))).toEqual([])
  })
})
