import { ModelError } from "@switchyard/core/models/errors"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { planOf } from "../../../core/work/workflow/model.ts"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { framesOf, heldModel, startServer, type TestServer } from "../../server.ts"

const RUNNING = ["/generate", "/v1/workflows/run"]
const STREAMING = ["/stream", "/v1/workflows/stream"]
const KEYED = "groq/some-model"

let server: TestServer
let workspaces = 0
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Returns everything that the server has stored, as text. */
async function everything(): Promise<string> {
  // SQLite's shared-memory file changes on reads, too.
  const kept = [...(await server.kept())].filter(([file]) => !file.endsWith(".sqlite-shm"))
  return kept.map(([file, bytes]) => `${file} ${bytes.toString("base64")}`).join("\n")
}

describe.each([...RUNNING, ...STREAMING, "/v1/runs"])("%s", (path) => {
  const post = (request: object, headers?: Record<string, string>) =>
    server.call("POST", path, { json: { workspace_id: "refused", ...request }, headers })
  const refused = async (request: object, headers?: Record<string, string>) => {
    const { status, body } = await post(request, headers)
    expect(status).toBe(422)
    return body.error
  }

  it("says what is wrong before anything is run, or even written", async () => {
    const before = await everything()
    const prompt = { user_prompt: "A page" }
    const long = "x".repeat(4001)
    const wrong: [object, string][] = [
      [{ user_prompt: " \n\t" }, "blank"],
      [
        { ...prompt, prompt_overrides: { tester: "", boss: "" } },
        "boss, tester. Allowed keys: architect, coder, planner",
      ],
      [{ ...prompt, mutable_prompt: long }, "mutable_prompt is too long: 4001"],
      [{ ...prompt, prompt_overrides: { coder: "🦊".repeat(4001) } }, "prompt_overrides.coder is too long: 4001"],
      [{ ...prompt, model: KEYED }, "API key"],
      [{ ...prompt, model: KEYED, api_key: "  " }, "API key"],
      [{ ...prompt, model: KEYED, api_key: "schlüssel" }, "API key"],
      [
        { ...prompt, api_key: "sk-ant-of-mine" },
        "an Anthropic key (sk-ant-…), but groq/openai/gpt-oss-120b needs a key from Groq",
      ],
      [{ ...prompt, model: "anthropic/claude-x", api_key: "gsk_of_mine" }, "a Groq key"],
      [{ ...prompt, workspace_id: "../x" }, "workspace id"],
      [{ ...prompt, model: "groq/" }, "Model"],
      [{ ...prompt, model: "codex/gpt-5" }, "is an agent's program, not a model"],
      [{ ...prompt, model: "a b" }, "Model"],
    ]
    for (const [request, why] of wrong) {
      const error = await refused(request)
      expect(error).toMatchObject({ code: "invalid_request", message: expect.stringContaining(why) })
    }
    expect(await everything()).toBe(before)
  })

  it("names every field that has not the right shape", async () => {
    const before = await everything()
    const wrong: [object, string[]][] = [
      [{}, ["user_prompt"]],
      [{ user_prompt: "" }, ["user_prompt"]],
      [{ user_prompt: 7, model: [], api_key: "" }, ["user_prompt", "api_key", "model"]],
      [{ user_prompt: "half a fox \ud83e" }, ["user_prompt"]],
      [{ user_prompt: "A page", prompt_overrides: { coder: 1 } }, ["prompt_overrides.coder"]],
      [{ user_prompt: "A page", prompt_overrides: ["coder"] }, ["prompt_overrides"]],
      ...[0, 1001, 1.5, "100", null, -1, 1e300].map((recursion_limit): [object, string[]] => [
        { user_prompt: "A page", recursion_limit },
        ["recursion_limit"],
      ]),
    ]
    for (const [request, fields] of wrong) {
      const error = await refused(request)
      expect(error.code).toBe("validation_error")
      expect([...new Set(error.details.errors.map(({ field }: { field: string }) => field))]).toEqual(fields)
    }
    expect(await everything()).toBe(before)
  })

  it("says the first thing that is wrong first", async () => {
    const all = {
      user_prompt: " ",
      prompt_overrides: { boss: "", coder: "x".repeat(4001) } as Record<string, string>,
      mutable_prompt: "x".repeat(4001),
      model: KEYED as string | undefined,
      workspace_id: "../x",
    }
    expect((await refused(all)).message).toContain("blank")
    all.user_prompt = "A page"
    expect((await refused(all)).message).toContain("unknown keys")
    delete all.prompt_overrides.boss
    expect((await refused(all)).message).toContain("mutable_prompt is too long")
    all.mutable_prompt = "x".repeat(4000)
    expect((await refused(all)).message).toContain("prompt_overrides.coder is too long")
    all.prompt_overrides.coder = "🦊".repeat(4000)
    expect((await refused(all)).message).toContain("API key")
    all.model = "groq/"
    const headers = { "x-api-key": "some-key" }
    expect((await refused(all, headers)).message).toContain("workspace id")
    all.workspace_id = "fine"
    expect((await refused(all, headers)).message).toContain("Model")
  })
})

describe.each(RUNNING)("%s", (path) => {
  it("runs the workflow to its end, and says what was built and where", async () => {
    const workspace_id = `run${++workspaces}`
    const request = { user_prompt: "A page", mutable_prompt: null, api_key: null, model: null, prompt_overrides: null }
    const { status, body } = await server.call("POST", path, { json: { ...request, workspace_id } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: "DONE",
      warning: null,
      provider: "scripted",
      workspace_id,
      plan: planOf(["index.html", "README.md"]),
    })
    expect(body.task_plan.implementation_steps).toHaveLength(2)
    const { files } = (await server.call("GET", `/workspace/files?workspace_id=${workspace_id}`)).body
    expect(Object.keys(files)).toEqual(["README.md", "index.html"])
  })

  it("works in the workspace of the header, or in the default one", async () => {
    const run = async (header?: string) => {
      const headers = header ? { "x-workspace-id": header } : undefined
      return (await server.call("POST", path, { json: { user_prompt: "A page" }, headers })).body.workspace_id
    }
    expect(await run("by-header")).toBe("by-header")
    expect(await run()).toBe("default")
  })

  it.each([
    ["yes", true],
    ["no", false],
  ])("says why a run failed, and what that came from only when asked (%s)", async (env, verbose) => {
    const scripted = createScriptedProvider(() => new ModelError("auth_error", "No such key."))
    const failing = await startServer({ scripted, env: { EXPOSE_VERBOSE_ERRORS: env } })
    try {
      const { status, body } = await failing.call("POST", path, { json: { user_prompt: "A page" } })
      expect(status).toBe(500)
      expect(body.error).toMatchObject({
        code: "workflow_error",
        details: {
          run_id: expect.stringMatching(/^run_/),
          error_type: "auth_error",
          hint: expect.stringContaining("key"),
        },
      })
      expect("exception_chain" in body.error.details).toBe(verbose)
    } finally {
      await failing.close()
    }
    // The executor reports the failure, and the answer doesn't report it again.
    expect(failing.reported).toHaveLength(1)
  })
})

describe.each(STREAMING)("%s", (path) => {
  it("tells of a run from its start to its end, with every field on every event", async () => {
    const workspace_id = `stream${++workspaces}`
    const { headers, text } = await server.call("POST", path, { json: { user_prompt: "A page", workspace_id } })
    expect(headers.get("content-type")).toBe("text/event-stream")
    const frames = framesOf(text)
    expect(frames[0]).toMatchObject({ event: "run_started", data: { provider: "scripted", workspace_id } })
    expect(frames.at(-1)).toMatchObject({ event: "run_complete", data: { status: "DONE", phase: "system" } })
    expect(frames.map(({ data }) => data.event_id)).toEqual(frames.map((_, i) => i + 1))
    for (const { data } of frames) expect(Object.keys(data)).toEqual(expect.arrayContaining(ENVELOPE))
    expect(headers.get("x-run-id")).toBe(frames[0]?.data.run_id)
  })

  it("ends with the error of a run that fails", async () => {
    const scripted = createScriptedProvider(() => new ModelError("rate_limit", "Too many.", { retryable: false }))
    const failing = await startServer({ scripted })
    try {
      const { status, text } = await failing.call("POST", path, { json: { user_prompt: "A page" } })
      expect(status).toBe(200)
      expect(framesOf(text).at(-1)).toMatchObject({
        event: "error",
        data: { state: "error", error_type: "rate_limit", severity: "error", details: { run_id: expect.any(String) } },
      })
    } finally {
      await failing.close()
    }
  })
})

describe("a workspace in which a run is active", () => {
  it("starts no other, keeps the first, and is free again after it", async () => {
    const { provider } = heldModel()
    const held = await startServer({ scripted: provider })
    try {
      const start = () => held.call("POST", "/v1/runs", { json: { user_prompt: "A page", workspace_id: "busy" } })
      const { run_id } = (await start()).body
      for (const path of [...RUNNING, ...STREAMING, "/v1/runs"]) {
        const refused = await held.call("POST", path, { json: { user_prompt: "A page", workspace_id: "busy" } })
        expect(refused).toMatchObject({ status: 409, body: { error: { code: "run_active", details: { run_id } } } })
      }
      expect((await held.call("GET", "/v1/runs")).body.runs).toHaveLength(1)
      await held.call("POST", `/v1/runs/${run_id}/cancel`)
      expect((await held.ended(run_id)).status).toBe("cancelled")
      expect((await start()).status).toBe(201)
    } finally {
      await held.close()
    }
  })

  it("answers a cancelled run as a failed one, and reports nothing", async () => {
    const { provider } = heldModel()
    const held = await startServer({ scripted: provider })
    try {
      const answer = held.call("POST", "/generate", { json: { user_prompt: "A page" } })
      const run = await firstRun(held)
      await held.call("POST", `/v1/runs/${run}/cancel`)
      expect(await answer).toMatchObject({
        status: 500,
        body: { error: { code: "workflow_error", details: { run_id: run, error_type: "cancelled" } } },
      })
      expect(held.reported).toEqual([])
    } finally {
      await held.close()
    }
  })

  it("keeps its run when whoever asked for it leaves, and nobody hears of that", async () => {
    const { provider } = heldModel()
    const held = await startServer({ scripted: provider })
    try {
      for (const path of ["/generate", "/stream"]) {
        const leaving = new AbortController()
        const json = { user_prompt: "A page", workspace_id: path.slice(1) }
        const answer = held.call("POST", path, { json, signal: leaving.signal })
        const run = await firstRun(held)
        leaving.abort()
        await expect(answer).rejects.toThrow()
        expect((await held.call("GET", `/v1/runs/${run}`)).body).toMatchObject({
          status: "running",
          cancel_requested: false,
        })
      }
      expect(held.reported).toEqual([])
    } finally {
      await held.close()
    }
  })
})

/** Resolves to the newest run's id once the run is executing. */
async function firstRun(held: TestServer): Promise<string> {
  for (;;) {
    const [run] = (await held.call("GET", "/v1/runs")).body.runs
    if (run?.status === "running") return run.run_id
  }
}

const ENVELOPE = [
  "run_id",
  "workspace_id",
  "event_id",
  "timestamp",
  "node",
  "state",
  "activity_score",
  "phase",
  "severity",
  "message",
  "details",
  "hint",
  "error_type",
  "iteration",
  "duration_ms",
  "namespace",
  "raw",
  "active_node_id",
  "node_states",
  "activity_by_node_id",
]
