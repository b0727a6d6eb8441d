import { sessionKey } from "@switchyard/core/ids"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { claimRun, endRun } from "@switchyard/core/work/runs/rules"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { modelFor, subjectOf } from "../../../core/work/workflow/model.ts"
import { textAnswer } from "../../../fixtures/scripted-model.ts"
import { framesOf, heldModel, startServer, type TestServer } from "../../server.ts"

const never = new AbortController().signal
const REQUEST = { user_prompt: "A page" }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

async function completed(on = server): Promise<{ run_id: string; workspace_id: string }> {
  const run = await on.run(REQUEST)
  expect(run.status).toBe("completed")
  return run
}

/** Adds 60 ended runs to the session, more than its state remembers. */
async function sixtyRuns(workspaceId: string): Promise<void> {
  const core = server.core()
  const sid = sessionKey("local", workspaceId)
  const session = await openSessionLog({ ...core.executor, writer: "test" }, sid, { signal: never })
  const kind = "workflow" as const
  const run = {
    owner: "local",
    sid,
    sessionId: workspaceId,
    model: "scripted/demo",
    kind,
    input: { user_prompt: "A page" },
  }
  for (let i = 0; i < 60; i++) {
    const { runId } = await core.runs.start({ ...run, input: { ...run.input, recursion_limit: 25 } }, { signal: never })
    await session.decide(claimRun(runId, "exe_test", 0), { signal: never })
    await session.decide(endRun(runId, 1, Date.now(), { type: "run_completed" }), { signal: never })
  }
}

describe("POST /v1/runs", () => {
  it("starts a run in a session of its own, and says where to hear of it", async () => {
    const { status, body } = await server.call("POST", "/v1/runs", { json: REQUEST })
    expect(status).toBe(201)
    expect(body.workspace_id).toMatch(/^[0-9a-f]{32}$/)
    expect(["queued", "running"]).toContain(body.status)
    for (const link of [body.links.stream, body.links.events]) expect((await server.call("GET", link)).status).toBe(200)
    expect((await server.call("GET", body.links.download)).status).toBe(302)
  })

  it("waits for the end if it is asked to", async () => {
    let askedAt = performance.now()
    let { body } = await server.call("POST", "/v1/runs?wait=50", { json: REQUEST })
    // On a busy machine, a run may take longer than one request waits. Each request then waits its full time.
    while (body.ended_at === null) {
      expect(performance.now() - askedAt).toBeGreaterThan(49_000)
      askedAt = performance.now()
      body = (await server.call("GET", `/v1/runs/${body.run_id}?wait=50`)).body
    }
    expect(body).toMatchObject({ status: "completed", error: null, cancel_requested: false })
    expect(body.workspace_version).toBeGreaterThan(0)
    expect(Date.parse(body.ended_at)).toBeGreaterThanOrEqual(Date.parse(body.created_at))
  })

  it.each([
    ["body", { workspace_id: "named-b" }, "", undefined],
    ["query", { workspace_id: "" }, "?workspace_id=named-q", undefined],
    ["header", {}, "", { "x-workspace-id": "named-h" }],
  ])("works in the session that the %s names", async (from, json, query, headers) => {
    const { body } = await server.call("POST", `/v1/runs${query}`, { json: { ...REQUEST, ...json }, headers })
    expect(body.workspace_id).toBe(`named-${from[0]}`)
  })

  it("waits for any part of a second", async () => {
    const created = await server.call("POST", "/v1/runs?wait=0.3333", { json: REQUEST })
    expect(created.status).toBe(201)
    const waited = await server.call("GET", `/v1/runs/${created.body.run_id}?wait=0.0001`)
    expect([waited.status, server.reported]).toEqual([200, []])
  })

  it.each(["-1", "51", "soon", "1e9"])("never waits for %s seconds", async (wait) => {
    const { status, body } = await server.call("POST", `/v1/runs?wait=${wait}`, { json: REQUEST })
    expect([status, body.error.code]).toEqual([422, "validation_error"])
  })
})

describe("an Idempotency-Key", () => {
  const post = (key: string, json: object) =>
    server.call("POST", "/v1/runs", { json: { ...REQUEST, ...json }, headers: { "idempotency-key": key } })
  const run = (key: string, json: object) =>
    server.run({ ...REQUEST, ...json }, { headers: { "idempotency-key": key } })

  it("gives the same run to everyone who brings it, at once or later", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post("same", {})))
    const later = await run("same", {})
    for (const { status, body } of answers) expect([status, body.run_id]).toEqual([201, later.run_id])
    expect(later.status).toBe("completed")
    const again = await post("same", { api_key: "another-key" })
    expect(again.body).toMatchObject({ run_id: later.run_id, status: "completed" })
  })

  it("still finds its run when sixty others came after it, as does whatever else names the run", async () => {
    const workspace_id = "busy"
    const first = await run("long ago", { workspace_id })
    await sixtyRuns(workspace_id)
    const { run_id } = first
    expect((await post("long ago", { workspace_id })).body).toEqual(first)
    expect((await server.call("GET", `/v1/runs/${run_id}`)).body).toEqual(first)
    expect((await server.call("POST", `/v1/runs/${run_id}/cancel`)).body).toEqual(first)
    expect((await server.call("GET", `/v1/runs/${run_id}/events`)).body.status).toBe("completed")
    const seen: string[] = []
    for (let before = ""; before !== null && !seen.includes(run_id); ) {
      const { body } = await server.call("GET", `/v1/runs?limit=50${before && `&before=${before}`}`)
      seen.push(...body.runs.map((run: { run_id: string }) => run.run_id))
      before = body.next
    }
    expect(seen).toContain(run_id)
  })

  it("refuses a cursor of another list, in place of an empty page", async () => {
    for (const before of ["NaN", "zzz", "000000001795791202458/de44c30f371c91c2a329ee836db4323b", "%00"]) {
      expect((await server.call("GET", `/v1/runs?before=${before}`)).status).toBe(422)
    }
  })

  it("refuses another request than it came with first", async () => {
    await run("other", { workspace_id: "idem" })
    for (const json of [{}, { workspace_id: "idem2" }, { workspace_id: "idem", user_prompt: "A cli" }]) {
      const { status, body } = await post("other", json)
      expect([status, body.error.code]).toEqual([409, "idempotency_conflict"])
    }
    expect((await post("other", { workspace_id: " idem " })).status).toBe(201)
  })

  it("is not used up by a request that was refused", async () => {
    expect((await post("refused", { user_prompt: " " })).status).toBe(422)
    expect((await post("refused", {})).status).toBe(201)
  })

  it("brings no run back that was deleted with its session", async () => {
    const { run_id } = await run("deleted", { workspace_id: "gone" })
    await server.call("DELETE", "/workspace/session?workspace_id=gone")
    const again = await post("deleted", { workspace_id: "gone" })
    expect(again).toMatchObject({
      status: 404,
      body: { error: { code: "run_not_found", details: { run_id } } },
    })
  })

  it.each(["", "x".repeat(256)])("is refused where it is none (%#)", async (key) => {
    expect((await post(key, {})).status).toBe(422)
  })
})

describe("GET /v1/runs", () => {
  it("lists runs page by page, newest first, and no more pages than there are", async () => {
    const own = await startServer()
    try {
      const ids: string[] = []
      for (let i = 0; i < 5; i++) ids.unshift((await completed(own)).run_id)
      const seen: string[] = []
      let before = ""
      for (let page = 0; page < 10; page++) {
        const { body } = await own.call("GET", `/v1/runs?limit=2${before && `&before=${before}`}`)
        seen.push(...body.runs.map((run: { run_id: string }) => run.run_id))
        before = body.next
        if (before === null) break
      }
      expect(seen).toEqual(ids)
      expect((await own.call("GET", "/v1/runs?limit=5")).body.next).toBeNull()
    } finally {
      await own.close()
    }
  })

  it.each(["limit=0", "limit=101", "limit=x", "limit=1.5", "before=", "limit=1&limit=2"])(
    "refuses %s",
    async (query) => {
      expect((await server.call("GET", `/v1/runs?${query}`)).status).toBe(422)
    },
  )
})

describe("a run that isn't the caller's", () => {
  it("does not exist, whatever is asked of it", async () => {
    const core = server.core()
    const theirs = {
      kind: "workflow" as const,
      owner: "someone",
      sid: sessionKey("someone", "theirs"),
      sessionId: "theirs",
      model: "scripted/demo",
    }
    const input = { user_prompt: "Secret", recursion_limit: 100 }
    const { runId } = await core.runs.start({ ...theirs, input }, { signal: never })
    const unknown = ["nothing", "__proto__", "constructor", "%00", "%ff", "%F0%9F%A6%8A", "..%2f.."]
    for (const id of [runId, ...unknown]) {
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "?wait=1"],
        ["GET", "/events"],
        ["GET", "/stream"],
        ["POST", "/cancel"],
        ["POST", "/resume"],
      ] as const) {
        const { status, body } = await server.call(method, `/v1/runs/${id}${path}`)
        expect([status, body.error.code]).toEqual([404, "run_not_found"])
      }
    }
    expect((await server.call("GET", "/v1/runs?limit=100")).text).not.toContain(runId)
    expect((await core.runs.get("someone", runId, { signal: never })).run.cancelReason).toBeNull()
    const mine = await server.call("GET", "/workspace/files?workspace_id=theirs")
    expect(mine.body.files).toEqual({})
  })
})

describe("a run's events", () => {
  it("come page by page, in the order of their seq, each once", async () => {
    const { run_id, workspace_id } = await completed()
    const whole = (await server.call("GET", `/v1/runs/${run_id}/events`)).body
    expect(whole.status).toBe("completed")
    expect(whole.events[0]).toMatchObject({ type: "run_created", run_id, session_id: workspace_id })
    expect(whole.events.at(-1)).toMatchObject({ type: "run_completed", seq: whole.latest_seq })
    const paged = []
    for (let since = 0; ; ) {
      const { body } = await server.call("GET", `/v1/runs/${run_id}/events?limit=3&since_seq=${since}`)
      if (body.events.length === 0) break
      expect(body.events.length).toBeLessThanOrEqual(3)
      paged.push(...body.events)
      since = body.latest_seq
    }
    expect(paged).toEqual(whole.events)
    const beyond = await server.call("GET", `/v1/runs/${run_id}/events?since_seq=${whole.latest_seq}`)
    expect(beyond.body).toEqual({ events: [], latest_seq: whole.latest_seq, status: "completed" })
  })

  it("come as they are, with their place as the id, and then the end", async () => {
    const { run_id } = await completed()
    const { events } = (await server.call("GET", `/v1/runs/${run_id}/events`)).body
    const headers = { accept: "text/event-stream" }
    const frames = framesOf((await server.call("GET", `/v1/runs/${run_id}/events`, { headers })).text)
    expect(frames.at(-1)).toEqual({ id: undefined, event: "end", data: { status: "completed" } })
    expect(frames.slice(0, -1)).toEqual(
      events.map((event: { seq: number; type: string }) => ({ id: String(event.seq), event: event.type, data: event })),
    )
    for (const cut of [0, 3, events.length - 2]) {
      // The header wins, because a browser that reconnects repeats its original query.
      const rest = await server.call("GET", `/v1/runs/${run_id}/events?since_seq=1`, {
        headers: { ...headers, "last-event-id": String(events[cut].seq) },
      })
      expect(framesOf(rest.text)).toEqual(frames.slice(cut + 1))
    }
  })

  it("come in the words of /stream, from the frame that was seen last", async () => {
    const { run_id } = await completed()
    const path = `/v1/runs/${run_id}/stream`
    const frames = framesOf((await server.call("GET", path)).text)
    expect(frames.at(-1)?.event).toBe("run_complete")
    for (const cut of [0, Math.floor(frames.length / 2), frames.length - 2]) {
      const headers = { "last-event-id": frames[cut]?.id ?? "" }
      expect(framesOf((await server.call("GET", path, { headers })).text)).toEqual(frames.slice(cut + 1))
    }
  })

  it("are over for a reader who has them all, and a browser doesn't come back", async () => {
    const { run_id } = await completed()
    for (const name of ["stream", "events"]) {
      const path = `/v1/runs/${run_id}/${name}`
      const headers = { accept: "text/event-stream" }
      const last = framesOf((await server.call("GET", path, { headers })).text).findLast(({ id }) => id)
      const over = await server.call("GET", path, { headers: { ...headers, "last-event-id": last?.id ?? "" } })
      expect([over.status, over.text]).toEqual([204, ""])
    }
  })

  it("begin again for a reader who has been where the log never was", async () => {
    const { run_id } = await completed()
    for (const headers of [undefined, { accept: "text/event-stream" }]) {
      const { status, body } = await server.call("GET", `/v1/runs/${run_id}/events?since_seq=99999`, { headers })
      expect([status, body.error.code]).toEqual([410, "resync"])
    }
    const stream = await server.call("GET", `/v1/runs/${run_id}/stream`, { headers: { "last-event-id": "99999.1" } })
    expect([stream.status, stream.body.error.code]).toEqual([410, "resync"])
  })

  it.each(["-1", "x", "1.5", "1e3", "9".repeat(16), "０"])("know no place called %s", async (place) => {
    const { run_id } = await completed()
    const at = encodeURIComponent(place)
    expect((await server.call("GET", `/v1/runs/${run_id}/events?since_seq=${at}`)).status).toBe(422)
  })

  it("go on until the run ends, while it runs", async () => {
    const { provider, release } = heldModel()
    const held = await startServer({ scripted: provider })
    try {
      const { run_id } = (await held.call("POST", "/v1/runs", { json: REQUEST })).body
      const told = held.call("GET", `/v1/runs/${run_id}/stream`)
      const logged = held.call("GET", `/v1/runs/${run_id}/events`, { headers: { accept: "text/event-stream" } })
      release()
      expect(framesOf((await told).text).at(-1)?.event).toBe("error")
      expect(framesOf((await logged).text).at(-1)?.data).toEqual({ status: "failed" })
    } finally {
      await held.close()
    }
  })

  it("end with the server, which reports nothing", async () => {
    const { provider } = heldModel()
    const held = await startServer({ scripted: provider })
    const { run_id } = (await held.call("POST", "/v1/runs", { json: REQUEST })).body
    const paths = ["stream", "events"].map((name) => `/v1/runs/${run_id}/${name}`)
    const headers = { accept: "text/event-stream" }
    const streams = await Promise.all(paths.map((path) => fetch(`${held.url}${path}`, { headers })))
    const generate = held.call("POST", "/generate", { json: { ...REQUEST, workspace_id: "generate" } })
    const waiting = held.call("GET", `/v1/runs/${run_id}?wait=50`)
    while ((await held.call("GET", "/v1/runs")).body.runs.length < 2);
    await held.close()
    for (const stream of streams) expect(framesOf(await stream.text()).at(-1)?.event).not.toBe("end")
    expect((await generate).body.error.details).toMatchObject({ error_type: "interrupted" })
    expect((await waiting).body.error.code).toBe("storage_unavailable")
    expect(held.reported).toEqual([])
  })
})

describe("a run that is active", () => {
  it("is cancelled, as often as one likes, and stays as it ended", async () => {
    const { provider } = heldModel()
    const held = await startServer({ scripted: provider })
    try {
      const { run_id } = (await held.call("POST", "/v1/runs", { json: REQUEST })).body
      for (let i = 0; i < 3; i++) {
        expect((await held.call("POST", `/v1/runs/${run_id}/cancel`)).body).toMatchObject({ cancel_requested: true })
      }
      const ended = await held.ended(run_id)
      expect(ended).toMatchObject({ status: "cancelled", error: null, workspace_version: null })
      expect((await held.call("POST", `/v1/runs/${run_id}/cancel`)).body).toEqual(ended)
      const { text } = await held.call("GET", `/v1/runs/${run_id}/stream`)
      expect(framesOf(text).at(-1)?.event).toBe("error")
      expect(held.reported).toEqual([])
    } finally {
      await held.close()
    }
  })

  it("is resumed by a new run where it failed: with its plan, and the files that it finished", async () => {
    const answers = Array.from({ length: 4 }, () => textAnswer("Done."))
    const asked: string[] = []
    const scripted = modelFor(["index.html", "README.md"], (request) => {
      asked.push(subjectOf(request))
      return subjectOf(request) === "README.md" ? answers.shift() : undefined
    })
    const forgetful = await startServer({ scripted })
    try {
      const failed = await forgetful.run(REQUEST)
      expect(failed).toMatchObject({ status: "failed", error: { error_type: "incomplete" } })
      const headers = { "idempotency-key": "once" }
      const resume = (query = "") => forgetful.call("POST", `/v1/runs/${failed.run_id}/resume${query}`, { headers })
      const wrong = await resume("?model=nobody/nothing")
      expect(wrong).toMatchObject({ status: 422, body: { error: { code: "invalid_request" } } })
      asked.length = 0
      const first = await resume()
      const again = await resume()
      expect(again.body.run_id).toBe(first.body.run_id)
      expect(first.body).toMatchObject({ workspace_id: failed.workspace_id })
      expect(first.body.run_id).not.toBe(failed.run_id)
      expect((await forgetful.ended(first.body.run_id)).status).toBe("completed")
      expect(asked).toEqual(["README.md"])
      const files = await forgetful.call("GET", `/workspace/files?workspace_id=${failed.workspace_id}`)
      expect(Object.keys(files.body.files)).toEqual(["README.md", "index.html"])
      const completed = await forgetful.call("POST", `/v1/runs/${first.body.run_id}/resume`)
      expect(completed).toMatchObject({ status: 409, body: { error: { code: "run_ended" } } })
    } finally {
      await forgetful.close()
    }
  })

  it("goes on when it was parked and somebody resumes it", async () => {
    const core = server.core()
    const sessionId = "parked"
    const sid = sessionKey("local", sessionId)
    const input = { user_prompt: "A page", recursion_limit: 100 }
    const run = { owner: "local", sid, sessionId, model: "scripted/demo", kind: "workflow" as const, input }
    const { runId } = await core.runs.start(run, { signal: never })
    const session = await openSessionLog({ ...core.executor, writer: "test" }, sid, { signal: never })
    const ids = { run_id: runId, agent_id: "main" }
    await session.decide(
      () => [
        { type: "run_claimed", ...ids, generation: 1, executor: "test" },
        { type: "run_parked", ...ids, generation: 1, reason: "for a test" },
      ],
      { signal: never },
    )
    expect((await server.call("GET", `/v1/runs/${runId}`)).body.status).toBe("parked")
    const shown = async () => (await server.call("GET", `/api/v1/sessions/${sessionId}`)).body
    expect(await shown()).toMatchObject({ paused: true, active: true, resumable: true, status: "needs_input" })
    const resume = () => server.call("POST", `/api/v1/sessions/${sessionId}/resume`)
    expect(await resume()).toMatchObject({ status: 200, body: { session_id: sessionId, resumed: true } })
    expect((await server.ended(runId)).status).toBe("completed")
    expect(await resume()).toMatchObject({ status: 200, body: { resumed: false } })
    expect(await shown()).toMatchObject({ paused: false, active: false, resumable: false })
    const refused = await server.call("POST", `/v1/runs/${runId}/resume`)
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { code: "run_ended", details: { run_id: runId, status: "completed" } } },
    })
    expect(refused.body.error.message).toContain("can't be resumed")
  })
})
