import { once } from "node:events"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { type Gateway, openGateway } from "@switchyard/runner/gateway/gateway"
import type { Answered } from "@switchyard/runner/gateway/response"
import { describe, expect, it } from "vitest"
import { startUpstream, type Upstream } from "./upstream.ts"

const KEY = "sk-real-0123456789"
const NOW = Date.parse("2026-01-02T03:04:05Z")

function open({ url }: Pick<Upstream, "url">, path = ""): Promise<Gateway> {
  return openGateway({ apiKey: KEY, upstream: `${url}${path}`, env: {}, now: () => NOW })
}

function heardBy(gateway: Gateway): Answered[] {
  const heard: Answered[] = []
  gateway.listener = (answered) => heard.push(answered)
  return heard
}

const post = ({ url, token }: Gateway, path: string, init: RequestInit = {}) =>
  fetch(`${url}${path}`, { method: "POST", body: "{}", headers: { "x-api-key": token }, ...init })

describe("a gateway to a model", () => {
  it("reaches no host that it may not, and says what it says of one that isn't there", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    const options = { apiKey: KEY, env: {}, now: () => NOW, hosts: createHostPolicy([]) }
    await using gateway = await openGateway({ ...options, upstream: upstream.url })
    const heard = heardBy(gateway)
    const answer = await post(gateway, "/v1/messages")
    expect(answer.status).toBe(502)
    expect(heard).toMatchObject([{ type: "refused", problem: { kind: "network" } }])
    // The name resolves to another address when the gateway connects than when the gateway checks it.
    let lookups = 0
    const hosts = createHostPolicy([], async () => [{ address: lookups++ === 0 ? "8.8.8.8" : "127.0.0.1", family: 4 }])
    const renamed = upstream.url.replace("127.0.0.1", "rebound.example.org")
    await using rebound = await openGateway({ ...options, hosts, upstream: renamed })
    expect((await post(rebound, "/v1/messages")).status).toBe(502)
    expect(upstream.asked).toEqual([])
  })

  it("asks with the key wherever the token stands, and with nothing without it", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    await using gateway = await open(upstream, "/llm/")
    const { token } = gateway
    const ways: [string, Record<string, string>][] = [
      ["/v1/messages?beta=true", { "x-api-key": token }],
      ["/v1/responses", { authorization: `Bearer ${token}` }],
      ["/v1beta/models/m:generateContent", { "x-goog-api-key": token }],
      [`/v1beta/models/m:generateContent?alt=sse&key=${token}`, {}],
    ]
    for (const [path, headers] of ways)
      expect((await post(gateway, path, { headers, body: '{"a":1}' })).status).toBe(200)
    expect(upstream.asked.map(({ url }) => url)).toEqual([
      "/llm/v1/messages?beta=true",
      "/llm/v1/responses",
      "/llm/v1beta/models/m:generateContent",
      `/llm/v1beta/models/m:generateContent?alt=sse&key=${KEY}`,
    ])
    const [first, second, third, fourth] = upstream.asked
    expect(first?.headers["x-api-key"]).toBe(KEY)
    expect(second?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(third?.headers["x-goog-api-key"]).toBe(KEY)
    expect(fourth?.body).toBe('{"a":1}')
    expect(JSON.stringify(upstream.asked)).not.toContain(token)
    expect(first?.headers.host).toBe(new URL(upstream.url).host)

    const others: HeadersInit[] = [
      {},
      { "x-api-key": "swy-other" },
      { authorization: `Bearer ${KEY}` },
      { "x-api-key": `${token}0` },
    ]
    for (const headers of others) expect((await post(gateway, "/v1/messages", { headers })).status).toBe(401)
    expect(upstream.asked).toHaveLength(4)
  })

  it("reaches no other host and no other path, whatever is asked", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    await using other = await startUpstream((_, response) => void response.end("other"))
    await using gateway = await open(upstream, "/llm")
    const { port } = new URL(gateway.url)
    const host = new URL(other.url).host
    const paths = [
      ...[`${other.url}/v1/messages`, `//${host}/v1/messages`, `@${host}/`, "/../admin", "/v1/../../admin"],
      ...["/%2e%2e/admin", "/v1/%2E%2E%2fadmin", "/v1\\..\\admin", "/%zz", "*", "/..%5cadmin"],
    ]
    for (const path of paths) {
      const headers = { "x-api-key": gateway.token }
      const asked = httpRequest({ host: "127.0.0.1", port, method: "POST", path, headers })
      asked.end()
      const [answer] = await once(asked, "response")
      answer.resume()
      expect(answer.statusCode, path).toBe(400)
    }
    for (const line of [
      `CONNECT ${host} HTTP/1.1`,
      `GET /v1/responses HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade`,
    ]) {
      const socket = connect(Number(port), "127.0.0.1")
      socket.write(`${line}\r\nHost: ${host}\r\nx-api-key: ${gateway.token}\r\n\r\n`)
      expect(await text(socket)).toMatch(/^$|^HTTP\/1.1 426 /)
    }
    expect([...upstream.asked, ...other.asked]).toEqual([])
  })

  it("outlives an agent that asks for another protocol and hangs up", async () => {
    await using upstream = await startUpstream(async (_, response) => void response.end("{}"))
    await using gateway = await open(upstream)
    for (let tries = 0; tries < 100; tries++) {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {})
      const ask = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
      await new Promise((resolve) => socket.write(ask, resolve))
      socket.resetAndDestroy()
    }
    expect((await post(gateway, "/v1/messages")).status).toBe(200)
  })

  it("passes on each piece as it comes, no faster than it is read, and lets go with whoever asked", async () => {
    const piece = Buffer.alloc(64 * 1024, "x")
    const next = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<number>()
    await using upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("data: first\n\n")
      await next.promise
      let written = 0
      const gone = new AbortController()
      response.on("close", () => gone.abort())
      while (!gone.signal.aborted && written < 512 * 1024 * 1024) {
        written += piece.length
        if (!response.write(piece)) await once(response, "drain", gone).catch(() => undefined)
      }
      closed.resolve(written)
    })
    await using gateway = await open(upstream)
    const heard = heardBy(gateway)
    const leave = new AbortController()
    const answer = await post(gateway, "/v1/messages", { signal: leave.signal })
    const reader = answer.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("data: first\n\n")
    next.resolve()
    for (let read = 0; read < 20; read++) await reader?.read()
    leave.abort()
    // The upstream is ahead of the reader by the bytes in sockets and buffers.
    expect(await closed.promise).toBeLessThan(64 * 1024 * 1024)
    await expect.poll(() => heard).toEqual([{ type: "broken" }])
  })

  it("counts what was used by an answer that is cut off with its agent", async () => {
    const usage = { input_tokens: 70, output_tokens: 1 }
    await using upstream = await startUpstream((_, response) => {
      response.setHeader("content-type", "text/event-stream")
      response.write(`data: ${JSON.stringify({ type: "message_start", message: { usage } })}\n\n`)
    })
    await using gateway = await open(upstream)
    const heard = heardBy(gateway)
    const answer = await post(gateway, "/v1/messages")
    await answer.body?.getReader().read()
    await gateway.drain()
    expect(heard).toMatchObject([{ type: "used", usage: { input: 70, output: 1 } }, { type: "broken" }])
  })

  it("counts what each protocol says that was used", async () => {
    const sse = (...events: object[]) => events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("")
    const answers: { [path: string]: { type: string; body: string } } = {
      "/v1/messages": {
        type: "text/event-stream; charset=utf-8",
        body: sse(
          {
            type: "message_start",
            message: { usage: { input_tokens: 10, cache_read_input_tokens: 3, output_tokens: 1 } },
          },
          { type: "content_block_delta", delta: { text: '"usage": {"output_tokens": 999}' } },
          { type: "message_delta", usage: { output_tokens: 42 } },
        ),
      },
      "/v1/responses": {
        type: "text/event-stream",
        body: sse({
          type: "response.completed",
          response: { usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 5 }, output_tokens: 7 } },
        }),
      },
      "/v1/chat/completions": {
        type: "application/json",
        body: JSON.stringify({ usage: { prompt_tokens: 9, completion_tokens: 4 } }),
      },
      "/litellm/chat/completions": {
        type: "application/json",
        body: JSON.stringify({
          usage: {
            ...{ prompt_tokens: 100, completion_tokens: 4 },
            ...{ cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
          },
        }),
      },
      "/v1beta/models/m:streamGenerateContent": {
        type: "text/event-stream",
        body: sse(
          { usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 1 } },
          { usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 5, thoughtsTokenCount: 2 } },
        ),
      },
      "/v1/models": { type: "application/json", body: '{"data":[]}' },
    }
    await using upstream = await startUpstream(({ url = "" }, response) => {
      const answer = answers[url]
      response.writeHead(200, { "content-type": answer?.type })
      // Pieces of seven bytes also end in the middle of a line.
      const bytes = Buffer.from(answer?.body ?? "")
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7))
      response.end()
    })
    await using gateway = await open(upstream)
    const heard = heardBy(gateway)
    for (const [path, { body }] of Object.entries(answers)) expect(await (await post(gateway, path)).text()).toBe(body)
    await expect.poll(() => heard.filter(({ type }) => type === "ok")).toHaveLength(5)
    expect(heard.flatMap((answered) => (answered.type === "used" ? [Object.values(answered.usage)] : []))).toEqual([
      [10, 3, null, 42],
      [15, 5, null, 7],
      [9, null, null, 4],
      [10, 60, 30, 4],
      [6, null, null, 7],
    ])
  })

  it("says at once what a refusal means, and gives no key away with it", async () => {
    const cases: [number, Record<string, string>, object, object][] = [
      [401, {}, { error: { message: `Incorrect API key provided: ${KEY}` } }, { kind: "auth", final: true }],
      [402, {}, { error: { message: "Payment required" } }, { kind: "billing", final: true }],
      [429, { "retry-after": "7" }, { error: { message: "slow down" } }, { kind: "rate_limited", final: false, in: 7 }],
      [
        429,
        { "retry-after": "3600" },
        { error: { message: "limit" } },
        { kind: "rate_limited", final: true, in: 3600 },
      ],
      [429, {}, { error: { message: "You exceeded your current quota" } }, { kind: "quota_exhausted", final: true }],
      [
        429,
        { "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-01-02T03:05:05Z" },
        { error: { message: "tokens" } },
        { kind: "rate_limited", final: false, in: 60 },
      ],
      [
        429,
        {
          "retry-after": "7200",
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 7205),
        },
        { error: { type: "rate_limit_error", message: "This request would exceed your account's rate limit." } },
        { kind: "quota_exhausted", final: true, in: 7205 },
      ],
      [
        429,
        {},
        { error: { type: "usage_limit_reached", message: "Wait a little.", resets_at: NOW / 1000 + 7200 } },
        { kind: "quota_exhausted", final: true, in: 7200 },
      ],
      [429, {}, { error: "slow down" }, { kind: "rate_limited", final: false }],
      [
        529,
        { "retry-after": "3600" },
        { error: { message: "Overloaded" } },
        { kind: "overloaded", final: false, in: 3600 },
      ],
    ]
    let now = 0
    await using upstream = await startUpstream((_, response) => {
      const [status = 0, headers = {}, body = {}] = cases[now] ?? []
      response.writeHead(status, { "content-type": "application/json", "x-asked-with": KEY, ...headers })
      response.end(JSON.stringify(body))
    })
    await using gateway = await open(upstream)
    const heard = heardBy(gateway)
    for (const [index, [status, headers]] of cases.entries()) {
      now = index
      const answer = await post(gateway, "/v1/messages")
      expect(answer.status).toBe(status)
      expect(answer.headers.get("retry-after")).toBe(headers["retry-after"] ?? null)
      expect(JSON.stringify([...answer.headers]) + (await answer.text())).not.toContain(KEY)
    }
    const told = heard.flatMap((one) => {
      if (one.type !== "refused") return []
      const { kind, resets_at } = one.problem
      return [{ kind, final: one.final, ...(resets_at && { in: (Date.parse(resets_at) - NOW) / 1000 }) }]
    })
    expect(told).toEqual(cases.map(([, , , expected]) => expected))
    expect(JSON.stringify(heard)).not.toContain(KEY)
    await post(gateway, "/v1/models")
    expect(heard).toHaveLength(cases.length)
  })

  it("is gone with its task", async () => {
    await using upstream = await startUpstream((_, response) => void response.end("{}"))
    const gateway = await open(upstream)
    await gateway[Symbol.asyncDispose]()
    await expect(post(gateway, "/v1/messages")).rejects.toThrow()
    await using again = await open(upstream)
    expect((await post({ ...gateway, url: again.url }, "/v1/messages")).status).toBe(401)
  })
})
