import { ModelError } from "@switchyard/core/models/errors"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "../../server.ts"

const long = "Leases are renewed every 20 s. ".repeat(300)
const fetchPage: FetchPage = async (url) => ({
  url,
  mediaType: "text/plain",
  text: url.includes("short") ? "Brief." : `${long}${url}`,
})
let isBroken = false
const model = createScriptedProvider(({ system }) => {
  if (!system.startsWith("You summarise a page")) return textAnswer("Yes.")
  if (isBroken) throw new ModelError("auth_error", "The key was refused.")
  const usage = { input: 3000, output: 20, cacheRead: 0, cacheWrite: 0 }
  return textAnswer("Leases last.").map((event) => (event.type === "usage" ? { ...event, usage } : event))
})
let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: model, fetchPage })
})
afterAll(() => server.close())

async function openChat() {
  const { id } = (await server.call("POST", "/api/v1/sessions", { json: {} })).body
  const path = `/api/v1/sessions/${id}`
  return {
    path,
    add: (json: object) => server.call("POST", `${path}/chat/urls`, { json: { model: "scripted/test", ...json } }),
    pages: async () => (await server.call("GET", `${path}/chat/context`)).body.pages,
    runs: async () => (await server.call("GET", `/v1/runs?workspace_id=${id}`)).body.runs,
  }
}

const calls = () => model.requests.filter(({ system }) => system.startsWith("You summarise")).length

it("a long page that is added comes with its summary, by a run that is paid for, and a short one without", async () => {
  const { add, pages, path } = await openChat()
  const url = "https://a.example/long"
  expect(await add({ url })).toMatchObject({ status: 201, body: { url, summary: "Leases last.", notice: null } })
  expect(await pages()).toEqual([{ url, title: "a.example/long", summary: "Leases last." }])
  expect(await add({ url: "https://a.example/short" })).toMatchObject({
    body: { text: "Brief.", summary: null, notice: null },
  })
  const { body } = await server.call("GET", `${path}/events`)
  const run = body.events.find((event: { type: string }) => event.type === "run_created")
  expect(run).toMatchObject({ kind: "page", agent_id: "pages", model: "scripted/test" })
  const used = body.events.filter((event: { type: string }) => event.type === "model_usage")
  expect(used).toMatchObject([{ run_id: run.run_id, usage: { input: 3000, output: 20 } }])
  // The next message contains the stored summary, at no further cost.
  const asked = await server.call("POST", `${path}/chat`, { json: { model: "scripted/test", message: "Well?" } })
  await server.ended(asked.body.run_id)
  const prompt = model.requests.at(-1)?.messages.map(({ content }) => String(content))
  expect(prompt?.join("\n")).toContain(`## ${url}\n**a.example/long**\n\nLeases last.`)
  const before = calls()
  expect(await add({ url })).toMatchObject({ body: { summary: "Leases last." } })
  expect(calls()).toBe(before)
})

it("pages that are added at once are summarised one after the other", async () => {
  const { add, pages } = await openChat()
  const urls = ["https://a.example/1", "https://a.example/2", "https://a.example/3"]
  const answers = await Promise.all(urls.map((url) => add({ url })))
  expect(answers.map(({ body }) => body.summary)).toEqual(urls.map(() => "Leases last."))
  expect(await pages()).toHaveLength(3)
})

it("a page is added without a summary where the model fails or the budget is used up, and the answer says why", async () => {
  const { add, pages, path } = await openChat()
  isBroken = true
  const failed = await add({ url: "https://a.example/broken" })
  isBroken = false
  expect(failed).toMatchObject({ status: 201, body: { summary: null } })
  expect(failed.body.notice).toContain("The key was refused.")
  await add({ url: "https://a.example/paid" })
  expect((await server.call("PUT", `${path}/budget`, { json: { tokens: 100 } })).status).toBe(200)
  const before = calls()
  const refused = await add({ url: "https://a.example/unpaid" })
  expect(refused).toMatchObject({ status: 201, body: { summary: null } })
  expect(refused.body.notice).toContain("budget")
  expect(calls()).toBe(before)
  const shown = (await pages()).map(({ url }: { url: string }) => url)
  expect(shown).toEqual(["broken", "paid", "unpaid"].map((name) => `https://a.example/${name}`))
})

it("a model that can't be used is refused before anything is read, and the demo model writes no summaries", async () => {
  const { add, pages } = await openChat()
  expect((await add({ url: "https://a.example/x", model: "nobody/nothing" })).status).toBe(422)
  expect(await pages()).toEqual([])
  const { body } = await add({ url: "https://a.example/x", model: "scripted/demo" })
  expect(body).toMatchObject({ summary: null })
  expect(body.notice).toContain("demo model")
})
