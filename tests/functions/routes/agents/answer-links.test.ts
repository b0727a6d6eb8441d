import { systemClock } from "@switchyard/core/time"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

let server: TestServer
let aheadMs = 0
let headers: Record<string, string>
beforeAll(async () => {
  const now = () => systemClock.now() + aheadMs
  server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN }, clock: { ...systemClock, now } })
  headers = await bearer("ada")
})
afterAll(() => server.close())

async function bearer(owner: string) {
  const json = { name: "x", owner, scopes: ["read", "run"] }
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { secret } = (await server.call("POST", "/v1/tokens", { json, headers: admin })).body
  return { authorization: `Bearer ${secret}` }
}

/** Creates a question from the mock agent and a link to the question. */
async function asked(knobs: object = { files: { "a.txt": "<b>one</b>\n" } }, json: object = {}) {
  const { body: session } = await server.call("POST", "/api/v1/sessions", { headers, json: {} })
  const path = `/api/v1/sessions/${session.id}`
  const task = { coding_agent: "mock", task_description: `Do it. mock: ${JSON.stringify(knobs)}`, mode: "ask" }
  const { task_id } = (await server.call("POST", `${path}/tasks`, { json: task, headers })).body
  const [{ question_id }] = (await server.call("GET", `${path}/questions?wait=50`, { headers })).body.questions
  const made = await server.call("POST", `${path}/questions/${question_id}/link`, { json, headers })
  return {
    ...{ session: session.id as string, path, task_id, question_id, made, link: made.body.link as string },
    waiting: async () => (await server.call("GET", `${path}/questions`, { headers })).body.questions,
    ended: () => server.ended(task_id, { headers }),
    async finish() {
      await server.call("POST", `/v1/runs/${task_id}/cancel`, { headers })
      await server.ended(task_id, { headers })
    },
  }
}

/** Opens a link like a browser without a login. */
const visit = (link: string, init: RequestInit = {}) =>
  fetch(`${server.url}${link}`, { ...init, headers: { accept: "text/html", ...init.headers } })
const submit = (link: string, fields: Record<string, string> | [string, string][]) =>
  visit(link, { method: "POST", body: new URLSearchParams(fields) })

describe("a link to a question", () => {
  it("leads to a page that shows it, and runs and loads nothing", async () => {
    const { link, made, finish } = await asked()
    expect(made.status).toBe(201)
    expect(Date.parse(made.body.expires_at)).toBeGreaterThan(Date.now())
    const page = await visit(link)
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain("May I write a.txt?")
    // The page shows the agent's text as text, not as HTML.
    expect(text).toContain("+&lt;b&gt;one&lt;/b&gt;")
    expect(text).toContain('name="viewport"')
    expect(text).not.toMatch(/<script|<b>one|https?:\/\//)
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(page.headers.get("referrer-policy")).toBe("same-origin")
    await finish()
  })

  it("answers by its form alone, however often it is opened", async () => {
    const { link, waiting, ended, question_id, session } = await asked()
    for (const method of ["GET", "HEAD", "GET"]) {
      expect((await visit(`${link}&choice=allow`, { method })).status).toBe(200)
    }
    expect(await waiting()).toMatchObject([{ question_id }])
    const answered = await submit(link, { choice: "allow", text: "" })
    expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining("Answered")])
    expect((await ended()).status).toBe("completed")
    const files = await server.call("GET", `/workspace/files?workspace_id=${session}`, { headers })
    expect(files.body.files).toEqual({ "a.txt": "<b>one</b>\n" })
  })

  itDeep("denies with what to do instead", async () => {
    const { link, ended, path } = await asked()
    await submit(link, { choice: "deny", text: "Call it b.txt." })
    await ended()
    const { events } = (await server.call("GET", `${path}/events?event_types=question_answered`, { headers })).body
    expect(events).toMatchObject([{ answer: { choice: "deny", text: "Call it b.txt." }, by: "ada (link)" }])
  })

  it("says who was first, and answers nothing then", async () => {
    const { link, path, question_id, ended } = await asked()
    const json = { choice: "deny" }
    await server.call("POST", `${path}/questions/${question_id}/answer`, { json, headers })
    const late = await submit(link, { choice: "allow" })
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("already answered by ada: deny")])
    expect((await visit(link)).status).toBe(404)
    await ended()
  })

  itDeep("takes no form that says nothing, and the question waits on", async () => {
    const { link, waiting, finish } = await asked()
    for (const fields of [{}, { choice: "perhaps" }, { choice: "deny", text: "x".repeat(5000) }] as Record<
      string,
      string
    >[]) {
      const refused = await submit(link, fields)
      expect([refused.status, refused.headers.get("content-type")]).toEqual([422, "text/html; charset=UTF-8"])
    }
    const json = await visit(link, {
      method: "POST",
      body: '{"choice":"allow"}',
      headers: { "content-type": "application/json" },
    })
    expect(json.status).toBe(422)
    expect(await waiting()).toHaveLength(1)
    await finish()
  })

  it("is for its question and its time, and programs are told so in the envelope", async () => {
    const [one, two] = [await asked(undefined, { valid_minutes: 5 }), await asked()]
    const altered = two.link.replace(/.$/, (last) => (last === "A" ? "B" : "A"))
    const mixed = `${one.link.split(".")[0]}.${two.link.split(".")[1]}`
    for (const wrong of [altered, mixed, "/answer", "/answer?link=x", "/answer?link=x.y"]) {
      expect((await submit(wrong, { choice: "allow" })).status).toBe(403)
      const told = await server.call("GET", wrong)
      expect([told.status, told.body.error.code]).toEqual([403, "forbidden"])
    }
    aheadMs = 5 * 60_000
    expect((await submit(one.link, { choice: "allow" })).status).toBe(403)
    expect((await visit(two.link)).status).toBe(200)
    aheadMs = 0
    expect([await one.waiting(), await two.waiting()].flat()).toHaveLength(2)
    await submit(two.link, { choice: "allow" })
    await two.ended()
    expect(await one.waiting()).toHaveLength(1)
    await one.finish()
    expect(server.reported).toEqual([])
  })

  it("is made by nobody for what is another's, nor for what waits no more, nor for longer than a week", async () => {
    const { path, question_id, finish } = await asked()
    const link = (json: object, who = headers) =>
      server.call("POST", `${path}/questions/${question_id}/link`, { json, headers: who })
    expect((await link({}, await bearer("mallory"))).status).toBe(404)
    expect((await link({ valid_minutes: 7 * 24 * 60 + 1 })).status).toBe(422)
    expect((await link({ valid_minutes: 0 })).status).toBe(422)
    expect((await server.call("POST", `${path}/questions/${question_id}/link`, { headers })).status).toBe(201)
    await finish()
    expect((await link({})).body.error.code).toBe("question_not_found")
  })

  itDeep("ends with its session", async () => {
    const { link, path, finish } = await asked()
    await finish()
    await server.call("DELETE", path, { headers })
    const gone = await visit(link)
    expect([gone.status, await gone.text()]).toEqual([
      404,
      expect.stringContaining("This question no longer needs an answer"),
    ])
  })
})

describe("on a server without login", () => {
  it("a form of the page's own answers, and one of another page's doesn't", async () => {
    const open = await startServer()
    const session = await openSession(open)
    const path = `/api/v1/sessions/${session.id}`
    const json = { coding_agent: "mock", task_description: 'mock: {"files":{"a.txt":"1"}}', mode: "ask" }
    const { task_id } = (await open.call("POST", `${path}/tasks`, { json })).body
    const [{ question_id }] = (await open.call("GET", `${path}/questions?wait=50`)).body.questions
    const { link } = (await open.call("POST", `${path}/questions/${question_id}/link`, { json: {} })).body
    const from = (origin: string) =>
      fetch(`${open.url}${link}`, {
        method: "POST",
        headers: { origin },
        body: new URLSearchParams({ choice: "allow" }),
      })
    expect((await from("https://evil.example")).status).toBe(403)
    expect((await from("null")).status).toBe(403)
    expect((await from(open.url)).status).toBe(200)
    await open.ended(task_id)
    await open.close()
  })
})
