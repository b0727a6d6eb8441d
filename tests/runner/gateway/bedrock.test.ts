import { once } from "node:events"
import { request } from "node:http"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { RunMessage } from "@switchyard/core/agents/runner/messages"
import { AppError } from "@switchyard/core/errors"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { systemClock } from "@switchyard/core/time"
import { signedByRunner } from "@switchyard/runner/gateway/bedrock"
import { openGateway } from "@switchyard/runner/gateway/gateway"
import type { Answered } from "@switchyard/runner/gateway/response"
import { reach } from "@switchyard/runner/serving/run-program"
import { describe, expect, it } from "vitest"
import { bedrockEvent, EVENT_STREAM, KNOWN_SECRET, signedWith } from "../../fixtures/model-server/bedrock-wire.ts"
import { frameBytes } from "../../fixtures/model-server/server.ts"
import { startUpstream, type Upstream } from "./upstream.ts"

const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const CALL = `/model/${MODEL}/invoke-with-response-stream`
const BODY = JSON.stringify({ anthropic_version: "bedrock-2023-05-31", messages: [{ role: "user", content: "Grüße" }] })

/** Wraps one of Anthropic's events in a message of a Bedrock stream. */
const chunk = (event: object) => bedrockEvent("chunk", { bytes: Buffer.from(JSON.stringify(event)).toString("base64") })

const STREAM = frameBytes("bedrock", [
  chunk({
    type: "message_start",
    message: { usage: { input_tokens: 3, cache_read_input_tokens: 40, output_tokens: 1 } },
  }),
  chunk({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } }),
  chunk({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } }),
])

async function open({ url }: Pick<Upstream, "url">, credentials = async () => found) {
  const access = { models: [MODEL], region: "us-east-1", baseUrl: url, credentials, now: Date.now }
  const gateway = await openGateway({ ...signedByRunner(access), env: {}, now: Date.now })
  const heard: Answered[] = []
  gateway.listener = (answered) => heard.push(answered)
  const post = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      body: BODY,
      headers: { authorization: `Bearer ${gateway.token}`, "anthropic-beta": "x", ...headers },
    })
  return { gateway, heard, post, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

const found = { accessKeyId: "AKIDTEST", secretAccessKey: KNOWN_SECRET, sessionToken: "session/token" }

describe("a gateway to Bedrock", () => {
  it("signs a call of an allowed model, and gives its stream back as it is", async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "content-type": EVENT_STREAM })
      // The stream arrives in two pieces.
      response.write(STREAM.subarray(0, 50), () => response.end(STREAM.subarray(50)))
    })
    await using opened = await open(upstream)
    const answer = await opened.post(CALL)
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(STREAM)]).toEqual([200, true])
    const [asked] = upstream.asked
    expect(asked).toMatchObject({ url: CALL.replace(":0", "%3A0"), body: BODY })
    expect(signedWith({ path: asked?.url ?? "", headers: asked?.headers ?? {} }, "POST", Buffer.from(BODY))).toBe(
      KNOWN_SECRET,
    )
    // Only the body of the agent's request goes to AWS. Its headers, which include its token, don't.
    expect(JSON.stringify(asked?.headers)).not.toContain(opened.gateway.token)
    expect(asked?.headers["anthropic-beta"]).toBeUndefined()
    const usage = { input: 3, cache_read: 40, cache_write: null, output: 7 }
    expect(opened.heard).toEqual([{ type: "used", usage }, { type: "ok" }])
  })

  it("signs nothing else: no other model, no other action, and nothing without the token", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    await using opened = await open(upstream)
    const others = [
      "/model/us.anthropic.claude-opus-5/invoke-with-response-stream",
      `/model/${MODEL}/invoke`,
      `/model/${MODEL}/converse-stream`,
      `${CALL}?x=1`,
      `/model/x%2F..%2F${MODEL}/invoke-with-response-stream`,
      "/inference-profiles",
    ]
    for (const path of others) expect((await opened.post(path)).status, path).toBeOneOf([400, 404])
    expect((await opened.post(CALL, { authorization: "Bearer swy-other" })).status).toBe(401)
    expect(upstream.asked).toEqual([])
  })

  it("refuses what it doesn't sign before the body is sent, and without admission", async () => {
    await using opened = await open({ url: "http://127.0.0.1:1" })
    let admissions = 0
    opened.gateway.admit = async () => ++admissions < 0
    const path = "/model/us.anthropic.claude-opus-5/invoke-with-response-stream"
    const headers = { authorization: `Bearer ${opened.gateway.token}`, "content-length": 1_000_000 }
    const asked = request(`${opened.gateway.url}${path}`, { method: "POST", headers })
    asked.flushHeaders()
    const [answer] = await once(asked, "response")
    expect([answer.statusCode, admissions]).toEqual([404, 0])
    asked.on("error", () => {}).destroy()
  })

  it("asks for admission before it signs", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    let signings = 0
    await using opened = await open(upstream, async () => {
      signings++
      return found
    })
    opened.gateway.admit = async () => false
    expect([(await opened.post(CALL)).status, signings, upstream.asked]).toEqual([403, 0, []])
    opened.gateway.admit = async (call) => {
      await call()
      return true
    }
    expect([(await opened.post(CALL)).status, signings]).toEqual([200, 1])
  })

  it.each([
    [new Error(`Another runner serves the session of ${KNOWN_SECRET}.`), "auth", true],
    [new AppError("storage_unavailable", "Not now.", {}, { cause: new Error("Rate exceeded.") }), "network", false],
  ])("reports why it couldn't sign, but not to the agent (%s)", async (error, kind, final) => {
    await using opened = await open({ url: "http://127.0.0.1:1" }, () => Promise.reject(error))
    const answer = await opened.post(CALL)
    const told = "The runner has no AWS credentials for this request"
    const body = { error: { type: "gateway_error", message: `${told}.` } }
    expect([answer.status, await answer.json()]).toEqual([503, body])
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    expect(opened.heard).toEqual([{ type: "refused", problem: { kind, message: `${told}: ${reason}` }, final }])
  })

  it("doesn't wait for credentials once the agent has disconnected", async () => {
    const isAsked = Promise.withResolvers<void>()
    await using opened = await open({ url: "http://127.0.0.1:1" }, () => {
      isAsked.resolve()
      return new Promise(() => {})
    })
    const answer = opened.post(CALL)
    await isAsked.promise
    await Promise.all([opened.gateway.drain(), expect(answer).rejects.toThrow()])
    expect(opened.heard).toEqual([])
  })

  it.each([200, 403])("gives back no credentials that the API repeats with status %i", async (status) => {
    await using upstream = await startUpstream((request, response) => {
      const { authorization = "", "x-amz-security-token": token } = request.headers
      response.writeHead(status, { "content-type": "application/json", "x-echo": authorization, "x-token": token })
      response.end(JSON.stringify({ message: "The Canonical String should have been this.", sent: request.headers }))
    })
    await using opened = await open(upstream)
    const answer = await opened.post(CALL)
    const said = `${JSON.stringify([...answer.headers])} ${await answer.text()} ${JSON.stringify(opened.heard)}`
    expect(said).toContain("The Canonical String")
    expect(said).not.toMatch(/session\/token|AKIDTEST/)
  })

  it("reports throttling, and passes a damaged stream on without its usage", async () => {
    let isThrottled = true
    await using upstream = await startUpstream(async (_, response) => {
      const type = isThrottled ? "application/json" : EVENT_STREAM
      response.writeHead(isThrottled ? 429 : 200, { "content-type": type, "x-amzn-errortype": "ThrottlingException" })
      response.end(isThrottled ? '{"message":"Too many requests"}' : "no event stream at all")
      await once(response, "close")
    })
    await using opened = await open(upstream)
    expect((await opened.post(CALL)).status).toBe(429)
    expect(opened.heard).toMatchObject([{ type: "refused", problem: { kind: "rate_limited" } }])
    isThrottled = false
    expect(await (await opened.post(CALL)).text()).toBe("no event stream at all")
    expect(opened.heard.slice(1)).toEqual([{ type: "ok" }])
  })

  it("is opened for the account of a launch, and the agent's program gets its token and no credentials", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    const bedrock = { models: [MODEL], region: "us-east-1" }
    const launch = { type: "run", run_id: "run_1", expected_generation: 0 }
    const sent = { api_key: null, base_url: upstream.url, home: "h", bedrock }
    const { account } = RunMessage.parse({ ...launch, account: sent })
    const deps = { host: {}, hosts: createHostPolicy([]), clock: systemClock, awsCredentials: async () => found }
    const given = { apiKey: account.api_key, baseUrl: account.base_url, bedrock: account.bedrock }
    const input = { cli: "claude", model: null } as AgentInput
    await using reached = await reach(deps, input, given)
    const task = { prompt: "Go", root: "/p", cwd: "/p", home: "/h", model: null, reasoning: null, resume: null }
    const { env } = clis.claude.tui(task, reached.account)
    expect(JSON.stringify(env)).not.toContain(KNOWN_SECRET)
    const url = `${env.ANTHROPIC_BEDROCK_BASE_URL}/model/${env.ANTHROPIC_MODEL}/invoke-with-response-stream`
    const headers = { authorization: `Bearer ${env.ANTHROPIC_AUTH_TOKEN}` }
    expect((await fetch(url, { method: "POST", body: BODY, headers })).status).toBe(200)
    expect(upstream.asked).toHaveLength(1)
  })
})
