import { glob, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { describeDeep, itDeep } from "../../../depth.ts"
import { readFrames } from "../../agents/frames.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

let first: string
let second: string
let tests = 0
// Each test has its own accounts, because an account's limit affects all later tasks. The mock's model "small" reaches
// a limit.
beforeEach(async () => {
  tests++
  first = await account("first", "small")
  second = await account("second", "large")
})

async function account(name: string, model: string): Promise<string> {
  const json = { name: `${name}-${tests}`, provider: "mock", model }
  expect((await server.call("POST", "/api/v1/accounts", { json })).status).toBe(201)
  return json.name
}

const LATER = "2099-01-01T00:00:00.000Z"
const OVER = "2020-01-01T00:00:00.000Z"
const put = (name: string, json: object) => server.call("PUT", `/api/v1/config/${name}`, { json })

async function begin(knobs: object, coding_agent = first) {
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const json = { coding_agent, task_description: `Write the files. mock: ${JSON.stringify(knobs)}` }
  const task = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
  expect(task.status, task.text).toBe(201)
  return { id, task: task.body.task_id as string }
}

async function eventsOf(id: string, types: string) {
  const path = `/api/v1/sessions/${id}/events?limit=1000&event_types=${types}`
  return (await server.call("GET", path)).body.events
}

async function until(id: string, type: string, times = 1): Promise<void> {
  let seen = 0
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)) {
    if (data.type === type && ++seen === times) return
  }
}

const textOf = async (id: string, path: string) =>
  (await server.call("GET", `/workspace/file?path=${path}&workspace_id=${id}`)).body.content

describe("a task whose account meets its limit", () => {
  beforeEach(async () => {
    await put("action-settings", { settings: [] })
    expect((await put("provider-fallback-order", { order: [first, second] })).body.order).toHaveLength(2)
  })

  it("is finished by the next account, which is told what was done", async () => {
    const { id, task } = await begin({
      files: { "a.txt": "made\n" },
      commands: ["npm --version > version.txt"],
      limit: { models: ["small"], until: OVER },
    })
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    const [condensed, switched] = await eventsOf(id, "context_condensed,provider_switched")
    expect(condensed).toMatchObject({
      policy: "provider_handoff",
      files_created: ["a.txt"],
      key_commands: ["npm --version > version.txt"],
    })
    expect(switched).toMatchObject({
      ...{ from_account: first, to_account: second, from_model: "small", to_model: "large" },
      ...{ problem: "quota_exhausted", resets_at: OVER, reason: expect.stringMatching(/limit/) },
    })
    const told = await eventsOf(id, "user_message")
    expect(told.at(-1).content).toMatch(/Another agent began this task[\s\S]*`a\.txt`/)
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body.coding_account).toBe(second)
    expect(await textOf(id, "a.txt")).toBe("made\n")
    // The next task uses its own account again and doesn't resume the other account's native session.
    const json = { coding_agent: first, task_description: 'Go on. mock: {"files":{"b.txt":"later"}}' }
    const next = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body.task_id
    expect(await server.ended(next)).toMatchObject({ status: "completed" })
    const sessions = (await eventsOf(id, "agent_session_opened")).map(
      (event: { native_session_id: string }) => event.native_session_id,
    )
    expect(sessions[2]).toBe(sessions[0])
    expect(sessions[1]).not.toBe(sessions[0])
  })

  it("goes to the next account before the limit is used up, once it passes the threshold", async () => {
    await put("usage-switch-threshold", { threshold: 80 })
    const { id, task } = await begin({
      quota: { model: "small", used: [40, 79, 85, 90] },
      files: { "a.txt": "made\n" },
    })
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    const switched = await eventsOf(id, "provider_switched")
    expect(switched).toMatchObject([{ to_account: second, reason: "85 % of the five hour limit is used." }])
  })

  // First with only a fallback order, then with a threshold as well.
  it.each([
    [undefined, 92],
    [80, 85],
  ])("goes to the next account by a limit of a week, too: with the threshold %s at %i %%", async (threshold, at) => {
    if (threshold !== undefined) await put("usage-switch-threshold", { threshold })
    const { id, task } = await begin({ quota: { model: "small", used: [79, at], window: "seven_day" } })
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    const switched = await eventsOf(id, "provider_switched")
    expect(switched).toMatchObject([{ to_account: second, reason: `${at} % of the seven day limit is used.` }])
  })

  it("shows the lowest threshold of those that switch", async () => {
    const rule = { action: "switch_provider", event: "weekly_usage", threshold: 70 }
    const shown = async () => (await server.call("GET", "/api/v1/config/usage-switch-threshold")).body.threshold
    expect(await shown()).toBe(90)
    await put("action-settings", { settings: [{ ...rule, event: "session_usage", threshold: 95 }, rule] })
    expect(await shown()).toBe(70)
    await put("usage-switch-threshold", { threshold: 60 })
    const { settings } = (await server.call("GET", "/api/v1/config/action-settings")).body
    expect(settings).toEqual([
      { ...rule, event: "session_usage", threshold: 60 },
      { ...rule, threshold: 60 },
    ])
  })

  it("is begun by the next account that isn't known to be at its limit from an earlier task", async () => {
    const limit = { models: ["small"], until: LATER }
    const other = await account("other", "small")
    await put("provider-fallback-order", { order: [other, first, second] })
    await server.ended((await begin({ limit })).task)
    const limited = async () => (await server.call("GET", `/api/v1/accounts/${first}/usage`)).body.limited_until
    await expect.poll(limited).toBe(LATER)
    const { id, task } = await begin({ limit }, other)
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    expect(await eventsOf(id, "provider_switched")).toMatchObject([{ from_account: other, to_account: second }])
  })

  itDeep("fails with the limit when nobody is left", async () => {
    const { id, task } = await begin({ limit: { until: LATER } })
    expect(await server.ended(task)).toMatchObject({ status: "failed", error: { error_type: "rate_limit" } })
    expect(await eventsOf(id, "provider_switched")).toHaveLength(1)
  })
})

describe("an agent that a person gives to another account", () => {
  beforeEach(async () => {
    await put("action-settings", { settings: [] })
    await put("provider-fallback-order", { order: [] })
  })

  /** Returns everything that each of the agent's programs received, by native session, oldest first. */
  async function received(id: string): Promise<string[][]> {
    const opened = await eventsOf(id, "agent_session_opened")
    const native = new Set<string>(opened.map((event: { native_session_id: string }) => event.native_session_id))
    const memories = await Promise.all(
      [...native].map(async (session) => {
        const [file = ""] = await Array.fromAsync(glob(join(server.folder, "homes", "**", ".mock", `${session}.json`)))
        return JSON.parse(await readFile(file, "utf8")).told
      }),
    )
    return memories
  }

  const followUp = async (id: string, coding_agent: string, text: string, knobs: object) => {
    const json = { coding_agent, task_description: `${text} mock: ${JSON.stringify(knobs)}` }
    const { body } = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
    expect(await server.ended(body.task_id)).toMatchObject({ status: "completed" })
  }

  it("tells each program what the others did, and the log that the person chose it", async () => {
    const { id, task } = await begin({ files: { "a.txt": "made\n" }, did: "I made a." })
    await server.ended(task)
    await followUp(id, second, "Then b.", { files: { "b.txt": "made\n" }, did: "I made b." })
    await followUp(id, first, "Then c.", { files: { "c.txt": "made\n" } })
    await followUp(id, first, "Then d.", { files: { "d.txt": "made\n" } })

    const condensed = await eventsOf(id, "context_condensed")
    expect(condensed).toMatchObject([{ files_created: ["a.txt"] }, { files_created: ["b.txt"] }])
    expect(await eventsOf(id, "provider_switched")).toMatchObject([
      { from_account: first, to_account: second, problem: null, reason: "A person chose it." },
      { from_account: second, to_account: first, problem: null, reason: "A person chose it." },
    ])
    const [ofFirst = [], ofSecond = []] = await received(id)
    expect(ofSecond).toHaveLength(1)
    expect(ofSecond[0]).toMatch(
      /Then b\.[\s\S]*What was done here before[\s\S]*Write the files[\s\S]*`a\.txt`[\s\S]*I made a/,
    )
    expect(ofFirst).toHaveLength(3)
    expect(ofFirst[1]).toMatch(/Then c\.[\s\S]*since your last turn[\s\S]*Then b\.[\s\S]*`b\.txt`[\s\S]*I made b/)
    expect(ofFirst[1]).not.toContain("a.txt")
    expect(ofFirst[2]).not.toContain("What was done here before")
    // People see their own words, not the prompt that the program received.
    const said = await eventsOf(id, "user_message")
    expect(
      said.map(({ source, content }: { source: string; content: string }) => [source, content.slice(0, 7)]),
    ).toEqual(["Write t", "Then b.", "Then c.", "Then d."].map((text) => ["task", text]))
  })

  it("does so too with a message, once the agent has another account", async () => {
    const { id, task } = await begin({ files: { "a.txt": "made\n" } })
    await server.ended(task)
    const agent = `/api/v1/sessions/${id}/agents/main`
    expect((await server.call("PATCH", agent, { json: { coding_agent: second } })).status).toBe(200)
    await server.call("POST", `${agent}/messages`, { json: { content: 'Look at it. mock: {"files":{}}' } })
    await until(id, "run_completed", 2)
    expect(await eventsOf(id, "provider_switched")).toMatchObject([{ from_account: first, to_account: second }])
    const [, [first_request] = []] = await received(id)
    expect(first_request).toMatch(/Look at it\.[\s\S]*`a\.txt`/)
  })
})

describe("a task whose conversation has little room left", () => {
  const rule = (action: string) => ({ event: "context_usage", threshold: 80, action })
  const full = { model: "small", window: 200_000 }

  it("tells so each time that its share rises past the threshold", async () => {
    await put("action-settings", { settings: [rule("notify")] })
    const used = [[20_000], [170_000, 174_000, 80_000, 180_000]]
    const { id, task } = await begin({ context: { ...full, used }, summary: 2 })
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    const told = await eventsOf(id, "milestone")
    expect(
      told.filter((event: { milestone_type: string }) => event.milestone_type === "usage_threshold"),
    ).toMatchObject([
      { summary: "85 % of the conversation's context is used." },
      { summary: "90 % of the conversation's context is used." },
    ])
  })

  it.each([
    ["as a turn ended", { used: [[170_000]] }],
    ["in the middle of a turn", { used: [[20_000], [170_000]], waits: true }],
  ])("is finished by the next account, where that showed %s", async (_when, context) => {
    await put("action-settings", { settings: [rule("switch_provider")] })
    await put("provider-fallback-order", { order: [first, second] })
    const { id, task } = await begin({ context: { ...full, ...context }, summary: 3, files: { "a.txt": "made\n" } })
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    expect(await eventsOf(id, "provider_switched")).toMatchObject([
      { to_account: second, problem: "context_full", reason: "85 % of the conversation's context is used." },
    ])
    // The account itself has reached no limit.
    expect((await server.call("GET", `/api/v1/accounts/${first}/usage`)).body.limited_until ?? null).toBeNull()
  })
})

describeDeep("a task of two accounts whose rules name each other", () => {
  it("fails when it has come back as often as it may, though each limit is over by then", async () => {
    const to = (target_account: string) => {
      return { event: "session_usage", threshold: 100, action: "switch_provider", target_account }
    }
    await put("action-settings", { settings: [to(first), to(second)], max_waits: 1 })
    const { id, task } = await begin({ limit: { until: OVER } })
    expect(await server.ended(task)).toMatchObject({ status: "failed", error: { error_type: "rate_limit" } })
    const switched = await eventsOf(id, "provider_switched")
    expect(switched.map((event: { to_account: string }) => event.to_account)).toEqual([second, first])
  })
})

describe("a task that waits for its limit to be reset", () => {
  beforeAll(async () => {
    const settings = [{ event: "session_usage", threshold: 100, action: "await_reset" }]
    expect((await put("action-settings", { settings, max_waits: 2 })).status).toBe(200)
  })

  it("parks, and goes on by itself once, in the agent's own session", async () => {
    const { id, task } = await begin({
      files: { "a.txt": "made\n" },
      limit: { turns: 1 },
    })
    expect(await server.ended(task)).toMatchObject({ status: "completed" })
    const types = (await eventsOf(id, "run_parked,run_resumed")).map((event: { type: string }) => event.type)
    expect(types).toEqual(["run_parked", "run_resumed"])
    const sessions = (await eventsOf(id, "agent_session_opened")).map(
      (event: { native_session_id: string }) => event.native_session_id,
    )
    expect(new Set(sessions).size).toBe(1)
    expect(await textOf(id, "a.txt")).toBe("made\n")
  })

  itDeep("goes on at once when somebody says so, and fails after enough waits", async () => {
    const { id, task } = await begin({ limit: { until: LATER } })
    await until(id, "run_parked")
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({ paused: true })
    for (const times of [2, 3]) {
      expect((await server.call("POST", `/api/v1/sessions/${id}/resume`)).body).toMatchObject({ resumed: true })
      if (times < 3) await until(id, "run_parked", times)
    }
    expect(await server.ended(task)).toMatchObject({ status: "failed", error: { error_type: "rate_limit" } })
  })

  it("doesn't go on by itself in the hours that are to be quiet", async () => {
    const quiet_hours = { from: "00:00", to: "23:59", time_zone: "UTC" }
    expect((await put("action-settings", { quiet_hours })).body).toMatchObject({ quiet_hours, max_waits: 2 })
    const { id } = await begin({ limit: { until: LATER } })
    await until(id, "run_parked")
    const waits_until = LATER.replace("00:00:00", "23:59:00")
    expect(await eventsOf(id, "run_parked")).toMatchObject([{ waits_for: { until: waits_until } }])
    expect((await server.call("GET", `/api/v1/sessions/${id}`)).body).toMatchObject({
      ...{ status: "waiting", waits_until, active: true, paused: true, resumable: true },
    })
    await server.call("POST", `/api/v1/sessions/${id}/cancel`)
    await put("action-settings", { quiet_hours: null })
  })

  it("is cancelled, and doesn't go on then", async () => {
    const { id, task } = await begin({ limit: { until: LATER } })
    await until(id, "run_parked")
    expect((await server.call("POST", `/api/v1/sessions/${id}/cancel`)).body).toMatchObject({ cancel_requested: true })
    expect(await server.ended(task)).toMatchObject({ status: "cancelled" })
    expect((await server.call("POST", `/api/v1/sessions/${id}/resume`)).body).toMatchObject({ resumed: false })
    expect(await eventsOf(id, "run_resumed")).toEqual([])
  })
})
