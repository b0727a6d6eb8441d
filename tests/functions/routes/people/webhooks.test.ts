import { sessionKey } from "@switchyard/core/ids"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createAnswerLinks } from "@switchyard/core/people/access/answer-links"
import { createSendWebhook } from "@switchyard/core/people/webhooks/send"
import { deliver, MAX_ATTEMPTS } from "@switchyard/core/sessions/agents/deliver"
import { createDeliveries } from "@switchyard/core/sessions/agents/deliveries"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { isSigned, startReceiver } from "../../../fixtures/webhook-receiver.ts"
import { startServer, type TestServer } from "../../server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const { signal } = new AbortController()
const HOUR_MS = 3_600_000

let server: TestServer
let headers: Record<string, string>
beforeAll(async () => {
  server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
  headers = await bearer("ada")
})
afterAll(() => server.close())

async function bearer(owner: string, on = server) {
  const json = { name: "x", owner, scopes: ["read", "run"] }
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { secret } = (await on.call("POST", "/v1/tokens", { json, headers: admin })).body
  return { authorization: `Bearer ${secret}` }
}

const make = (json: object, who = headers) => server.call("POST", "/api/v1/webhooks", { json, headers: who })

describe("a webhook", () => {
  it("is told what an agent asks, with a link by which it is answered, and how the run ends", async () => {
    const receiver = await startReceiver()
    const { body: webhook } = await make({ url: receiver.url })
    const { body: session } = await server.call("POST", "/api/v1/sessions", { headers, json: {} })
    const task = { coding_agent: "mock", task_description: 'mock: {"files":{"a.txt":"1"}}', mode: "ask" }
    const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: task, headers })
    await expect.poll(() => receiver.received.length).toBe(1)
    const [asked] = receiver.received
    expect(asked && isSigned(asked, webhook.secret)).toBe(true)
    expect(asked?.body).toMatchObject({
      event: "question_asked",
      session_id: session.id,
      question: { run_id: body.task_id, question: { kind: "permission", paths: ["a.txt"], diff: "+1" } },
      answer_link: expect.stringContaining(`${server.url}/answer?link=`),
    })
    const form = new URLSearchParams({ choice: "allow" })
    expect((await fetch(asked?.body.answer_link, { method: "POST", body: form })).status).toBe(200)
    await expect.poll(() => receiver.received.length).toBe(2)
    const ended = receiver.received[1]
    expect(ended && isSigned(ended, webhook.secret)).toBe(true)
    expect(ended?.body).toMatchObject({ event: "run_ended", run: { run_id: body.task_id, status: "completed" } })
    const path = `/api/v1/webhooks/${webhook.id}/deliveries`
    const statuses = async () =>
      (await server.call("GET", path, { headers })).body.deliveries.map(({ status }: { status: string }) => status)
    await expect.poll(statuses).toEqual(["delivered", "delivered"])
    expect(new Set(receiver.received.map((one) => one.headers["switchyard-delivery"])).size).toBe(2)
    expect(server.reported).toEqual([])
    await server.call("DELETE", `/api/v1/webhooks/${webhook.id}`, { headers })
    await receiver.close()
  })

  it("is told of each firing of a team's trigger that names it, once, signed, and of its owner's alone", async () => {
    const receiver = await startReceiver()
    // The team's coordinator waits.
    const scripted = createScriptedProvider(() => textAnswer("I wait."))
    const own = await startServer({ scripted, env: { AUTH_MODE: "token", ADMIN_TOKEN } })
    const ada = await bearer("ada", own)
    const call: TestServer["call"] = (method, path, options) => own.call(method, path, { headers: ada, ...options })
    const { body: webhook } = await call("POST", "/api/v1/webhooks", {
      json: { url: receiver.url, events: ["question_asked"] },
    })
    const goal = { goal: "A page about tea", mode: "infinite" }
    const { body: team } = await call("POST", "/api/v1/teams", { json: goal })
    const path = `/api/v1/teams/${team.id}/triggers`
    const action = { type: "run_callback", webhook_id: webhook.id, message: "Tea is served." }
    const { status, body: trigger } = await call("POST", path, {
      json: { when: { type: "webhook" }, action },
    })
    expect([status, trigger.error?.message]).toEqual([201, undefined])
    for (const key of ["one", "one", "two"])
      expect((await own.call("POST", trigger.webhook, { headers: { "idempotency-key": key } })).status).toBe(202)
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(receiver.received.every((one) => isSigned(one, webhook.secret))).toBe(true)
    const told = { event: "trigger_fired", session_id: team.id }
    expect(receiver.received.map(({ body }) => body).sort((a, b) => a.trigger.firing - b.trigger.firing)).toMatchObject(
      [
        { ...told, trigger: { trigger_id: trigger.id, firing: 1, message: "Tea is served." } },
        { ...told, trigger: { trigger_id: trigger.id, firing: 2, message: "Tea is served." } },
      ],
    )
    // A second update stores nothing new.
    const core = own.core()
    const session = await openSessionLog(core.executor, sessionKey("ada", team.id), { signal })
    await core.deliveries.update(session, team.run_id, { signal })
    expect(await core.deliveries.list("ada", webhook.id, { signal })).toHaveLength(2)
    // People see the message, and no team member receives it.
    const { body: said } = await call("GET", `/api/v1/teams/${team.id}/messages`)
    const served = said.messages.filter(({ content }: { content: string }) => content === "Tea is served.")
    expect(served).toMatchObject([{ to: "human" }, { to: "human" }])

    const others = {
      type: "run_callback",
      webhook_id: (
        await own.call("POST", "/api/v1/webhooks", { json: { url: receiver.url }, headers: await bearer("carl", own) })
      ).body.id,
    }
    const json = { when: { type: "webhook" }, action: { ...others, message: "Mine?" } }
    expect((await call("POST", path, { json })).status).toBe(404)
    expect(own.reported).toEqual([])
    await own.close()
    await receiver.close()
  })

  it("is its owner's alone, and its secret is told once", async () => {
    const { body: webhook, status } = await make({ url: "https://example.org/hook", events: ["run_ended"] })
    expect([status, webhook.secret]).toEqual([201, expect.stringMatching(/^[0-9a-f]{40}$/)])
    const { text, body } = await server.call("GET", "/api/v1/webhooks", { headers })
    expect(body.webhooks).toMatchObject([{ id: webhook.id, url: "https://example.org/hook", events: ["run_ended"] }])
    expect(text).not.toContain(webhook.secret)
    for (const bytes of (await server.kept()).values()) expect(bytes.includes(webhook.secret)).toBe(false)
    const mallory = await bearer("mallory")
    expect((await server.call("GET", "/api/v1/webhooks", { headers: mallory })).body).toEqual({ webhooks: [] })
    for (const [method, path] of [
      ["DELETE", `/api/v1/webhooks/${webhook.id}`],
      ["GET", `/api/v1/webhooks/${webhook.id}/deliveries`],
    ] as const) {
      const refused = await server.call(method, path, { headers: mallory })
      expect([refused.status, refused.body.error.code], path).toEqual([404, "not_found"])
    }
    expect((await server.call("DELETE", `/api/v1/webhooks/${webhook.id}`, { headers })).status).toBe(204)
  })

  it("has an address of the web, and an owner has ten at most", async () => {
    const who = await bearer("bob")
    for (const url of [
      "ftp://example.org",
      "javascript:alert(1)",
      "/hook",
      "https://u:p@example.org",
      "",
      `https://e.org/${"x".repeat(2000)}`,
    ]) {
      expect((await make({ url }, who)).status, url).toBe(422)
    }
    expect((await make({ url: "https://example.org", events: [] }, who)).status).toBe(422)
    for (let at = 0; at < 10; at++) expect((await make({ url: `https://example.org/${at}` }, who)).status).toBe(201)
    expect(await make({ url: "https://example.org" }, who)).toMatchObject({
      status: 403,
      body: { error: { code: "limit_reached", details: { maximum: 10 } } },
    })
  })

  it("can't be an address of the server's own network, where those aren't allowed", async () => {
    const guarded = await startServer({ env: { ALLOWED_HOSTS: "example.invalid" } })
    for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "169.254.169.254", "10.0.0.1"]) {
      const { status, body } = await guarded.call("POST", "/api/v1/webhooks", { json: { url: `https://${host}/x` } })
      expect([status, body.error.code], host).toEqual([422, "host_refused"])
    }
    await guarded.close()
  })
})

/** Creates a pending delivery for an ended run. Returns its attempts at any time. */
async function pending(url: string) {
  const { run_id, workspace_id } = await server.run({ user_prompt: "A page" }, { headers })
  const coreAt = (aheadMs: number) => server.core({ aheadMs })
  const sid = sessionKey("ada", workspace_id)
  const core = coreAt(0)
  const webhook = await coreAt(-HOUR_MS).webhooks.create("ada", { url, events: ["run_ended"] }, { signal })
  const session = await openSessionLog(core.executor, sid, { signal })
  await core.deliveries.update(session, run_id, { signal })
  const subject = { sid, owner: "ada", delivery: `${webhook.id}/${run_id}` }
  return {
    webhook,
    subject,
    attempt(aheadMs: number) {
      const at = coreAt(aheadMs)
      const { clock } = at.executor
      const send = createSendWebhook({ hosts: at.hosts, clock })
      const answerLinks = createAnswerLinks({ signingKey: new Uint8Array(32), clock })
      return deliver({ ...at.executor, ...at, answerLinks, send, address: undefined }, subject, { signal })
    },
    state: async () => (await core.deliveries.list("ada", webhook.id, { signal }))[0],
    due: () => Array.fromAsync(core.sweep.due.dueBefore(Date.now() + HOUR_MS, { signal })),
    update: () => core.deliveries.update(session, run_id, { signal }),
    remove: () => core.webhooks.remove("ada", webhook.id, { signal }),
  }
}

describe("what a webhook is to be told", () => {
  it("is tried again after longer and longer waits, and no more than so often", async () => {
    const receiver = await startReceiver(() => ({ status: 500 }))
    const { attempt, state, due, remove } = await pending(receiver.url)
    expect(await state()).toMatchObject({ status: "pending", attempts: 0, error: null })
    // The hint for the sweep exists before the first attempt.
    expect((await due()).some(({ subject }) => subject.kind === "delivery")).toBe(true)
    await attempt(0)
    expect(await state()).toMatchObject({
      status: "pending",
      attempts: 1,
      error: "The URL responded with status 500.",
    })
    await attempt(0)
    expect(receiver.received).toHaveLength(1)
    for (let aheadMs = 61_000; aheadMs < 30 * HOUR_MS; aheadMs *= 1.5) await attempt(aheadMs)
    expect(receiver.received).toHaveLength(MAX_ATTEMPTS)
    expect(await state()).toMatchObject({ status: "failed", attempts: MAX_ATTEMPTS, next_attempt_at: null })
    expect(new Set(receiver.received.map((one) => one.headers["switchyard-delivery"])).size).toBe(1)
    await remove()
    await receiver.close()
  })

  it("is told once, though many try at once and its run moves again", async () => {
    const receiver = await startReceiver()
    const { attempt, state, update, remove } = await pending(receiver.url)
    await Promise.all(Array.from({ length: 10 }, () => attempt(0)))
    await update()
    await attempt(HOUR_MS)
    expect(receiver.received).toHaveLength(1)
    expect(await state()).toMatchObject({ status: "delivered", attempts: 1, error: null })
    await remove()
    await receiver.close()
  })

  it("is tried again by the sweep, once that is due, where an attempt was lost with its process", async () => {
    const receiver = await startReceiver(() => ({ status: 500 }))
    const { attempt, subject, remove } = await pending(receiver.url)
    const sweepAt = async (aheadMs: number) => {
      const { sweep, webhooks, executor } = server.core({ aheadMs })
      const launched: unknown[] = []
      const launcher = { startDelivery: async (launch: object) => void launched.push(launch) }
      await createDeliveries({ ...executor, ...sweep, webhooks, launcher }).sweep(subject, { signal })
      const hints = await Array.fromAsync(sweep.due.dueBefore(Date.now() + 2 * HOUR_MS, { signal }))
      return { launched, isHinted: hints.some((hint) => hint.subject.kind === "delivery" && hint.at > Date.now()) }
    }
    expect(await sweepAt(0)).toEqual({ launched: [subject], isHinted: true })
    await attempt(0)
    expect(await sweepAt(0)).toEqual({ launched: [], isHinted: true })
    expect(await sweepAt(61_000)).toEqual({ launched: [subject], isHinted: true })
    await remove()
    await attempt(61_000)
    expect((await sweepAt(HOUR_MS)).launched).toEqual([])
    await receiver.close()
  })

  it("is forgotten with its webhook", async () => {
    const receiver = await startReceiver()
    const { attempt, state, remove } = await pending(receiver.url)
    await remove()
    await attempt(0)
    expect(receiver.received).toEqual([])
    expect(await state()).toMatchObject({ status: "failed", error: "The webhook was deleted." })
    await receiver.close()
  })
})
