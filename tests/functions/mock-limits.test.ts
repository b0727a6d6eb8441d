import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

let server: TestServer
let repository: string
beforeAll(async () => {
  server = await startServer()
  repository = makeRepository(join(dirname(server.folder), "source")).folder
  for (const name of ["spent", "nearly", "long", "fresh"]) {
    const made = await server.call("POST", "/api/v1/accounts", { json: { name, provider: "mock" } })
    expect(made.status, made.text).toBe(201)
  }
})
afterAll(() => server.close())

async function set(setting: string, account_name: string, value: object) {
  const { status, body } = await server.call("PUT", `/api/v1/config/mock-${setting}`, {
    json: { account_name, ...value },
  })
  return status === 200 ? body : body.error.code
}
const order = (names: string[]) =>
  server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: names } })

/** Runs a task with an account's agent. Resolves to the run and its switches to other accounts. */
async function task(coding_agent: string, more: object = {}) {
  const json = { kind: "agent", coding_agent, user_prompt: "Write a file.", repository, consent: true, ...more }
  const run = await server.run(json)
  const { body } = await server.call(
    "GET",
    `/api/v1/sessions/${run.workspace_id}/events?event_types=provider_switched,agent_quota&limit=1000`,
  )
  const of = (type: string) => body.events.filter((event: { type: string }) => event.type === type)
  return { run, quotas: of("agent_quota"), switches: of("provider_switched") }
}

it("shows at once how much of a limit an account is set to have used, as a percentage", async () => {
  const usage = async (name: string) => (await server.call("GET", `/api/v1/accounts/${name}/usage`)).body
  expect(await usage("fresh")).toMatchObject({ windows: [], session_usage_pct: null })
  for (const [remaining, percent] of [
    [0.875, 12.5],
    [0, 100],
    [1, 0],
  ]) {
    await set("remaining-usage", "fresh", { remaining })
    expect(await usage("fresh")).toMatchObject({
      ...{ session_usage_pct: percent, weekly_usage_pct: null, limited_until: null },
      windows: [{ window: "five_hour", used_percent: percent, resets_at: null }],
    })
  }
  await set("remaining-usage", "fresh", { remaining: null })
  expect(await usage("fresh")).toMatchObject({ windows: [], session_usage_pct: null })
})

it("hands a task of an account on whose limit is used up, or nearly so, as it was set for it", async () => {
  expect(await set("remaining-usage", "spent", { remaining: 0 })).toEqual({ account_name: "spent", remaining: 0 })
  await order(["spent", "fresh"])
  const spent = await task("spent")
  expect(spent.run).toMatchObject({ status: "completed" })
  expect(spent.switches).toMatchObject([{ from_account: "spent", to_account: "fresh" }])

  await set("remaining-usage", "nearly", { remaining: 0.05 })
  await set("run-duration", "nearly", { seconds: 3600 })
  await order(["nearly", "fresh"])
  const nearly = await task("nearly")
  expect(nearly.run).toMatchObject({ status: "completed" })
  expect(nearly.switches).toMatchObject([{ from_account: "nearly", to_account: "fresh" }])

  await set("remaining-usage", "nearly", { remaining: null })
  await set("run-duration", "nearly", { seconds: 0.1 })
  const unset = await task("nearly")
  expect([unset.run.status, unset.quotas, unset.switches]).toEqual(["completed", [], []])
  await order([])
})

it("keeps the settings of each account apart, and takes them for mock agents only", async () => {
  const of = async (setting: string, account: string) =>
    (await server.call("GET", `/api/v1/config/mock-${setting}/${account}`)).body
  await set("context-remaining", "long", { remaining: 0.25 })
  expect(await of("context-remaining", "long")).toEqual({ account_name: "long", remaining: 0.25 })
  expect(await of("remaining-usage", "long")).toEqual({ account_name: "long", remaining: null })
  expect(await of("run-duration", "fresh")).toEqual({ account_name: "fresh", seconds: null })
  await set("run-duration", "long", { seconds: 0 })
  expect(await of("context-remaining", "long")).toEqual({ account_name: "long", remaining: 0.25 })
  const key = { name: "real", provider: "claude", api_key: "sk-ant-api03-of-a-test" }
  await server.call("POST", "/api/v1/accounts", { json: key })
  expect(await set("remaining-usage", "real", { remaining: 1 })).toBe("validation_error")
  expect((await of("remaining-usage", "real")).error.code).toBe("validation_error")
  expect(await set("remaining-usage", "nobody", { remaining: 1 })).toBe("account_not_found")
  for (const wrong of [{ remaining: 1.1 }, { remaining: -1 }, { remaining: "1" }, {}]) {
    expect(await set("remaining-usage", "long", wrong)).toBe("validation_error")
  }
  expect(await set("run-duration", "long", { seconds: 3601 })).toBe("validation_error")
})

it("hands a task on whose conversation is nearly full, as it was set, and lets one with room end", async () => {
  await server.call("PUT", "/api/v1/config/context-switch-threshold", { json: { threshold: 90 } })
  await order(["long", "fresh"])
  await set("context-remaining", "long", { remaining: 0.25 })
  const roomy = await task("long")
  expect([roomy.run.status, roomy.switches]).toEqual(["completed", []])
  await set("context-remaining", "long", { remaining: 0.05 })
  const full = await task("long")
  expect(full.run).toMatchObject({ status: "completed" })
  expect(full.switches).toMatchObject([{ from_account: "long", to_account: "fresh" }])
})
