import { randomBytes } from "node:crypto"
import {
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { AddressInfo } from "node:net"
import { pipeline } from "node:stream/promises"
import type { AgentUsage } from "@switchyard/core/agents/clis/protocol"
import type { Problem } from "@switchyard/core/agents/clis/schema"
import { problemOf } from "@switchyard/core/agents/protocols/api-refusal"
import { settle } from "@switchyard/core/errors"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import { createMeter, type Meter } from "./meter.ts"
import { redact } from "./redact.ts"
import { framing, framingFault, isModelCall, OURS, pathWithin, withKey } from "./request.ts"

export interface GatewayDeps {
  /** API key of the account. Absent if the gateway signs requests instead. */
  apiKey?: string
  /** Base URL of the API. */
  upstream: string
  /** Signs a request. Returns undefined for requests that the agent may not make. */
  sign?: ((request: UnsignedRequest) => Promise<{ path: string; headers: OutgoingHttpHeaders } | undefined>) | undefined
  /** Hosts that are allowed. Set if a caller chose the API's URL. */
  hosts?: HostPolicy
  /** Environment with the machine's proxy settings, if any. */
  env: Record<string, string | undefined>
  now: () => number
}

interface UnsignedRequest {
  method: string
  path: string
  body: Buffer
}

/** Parts of an API response that affect the turn. */
export type Answered =
  | { type: "used"; usage: AgentUsage }
  | { type: "refused"; problem: Problem; final: boolean }
  | { type: "ok" }
  /** Response that ended too early, for example because the model hung. */
  | { type: "broken" }

/** Proxy between a task and its model. It replaces the task's token with the account's key. */
export interface Gateway extends AsyncDisposable {
  /** Base URL without an API version. It can only be reached from this machine. */
  readonly url: string
  /** Key for the agent. It is valid only for this gateway, and only while the gateway is open. */
  readonly token: string
  /** Receives the outcome of each response as soon as it is known. */
  listener: ((answered: Answered) => void) | undefined
  /** Makes a model call if it is allowed, and returns whether it was. If undefined, all calls are made. */
  admit: ((call: () => Promise<void>) => Promise<boolean>) | undefined
  /** Ends open requests. Returns once the listener has received their usage. */
  drain(): Promise<void>
}

const HOST = "127.0.0.1"
const REFUSAL_LIMIT = 1024 * 1024
/** Maximum size of a request that is signed, which requires its whole body. Anthropic's limit is 32 MB. */
const SIGNED_LIMIT = 32 * 1024 * 1024

export async function openGateway(deps: GatewayDeps): Promise<Gateway> {
  const upstream = new URL(deps.upstream)
  const token = `swy-${randomBytes(32).toString("hex")}`
  // Without a key, there is no secret to insert or to mask.
  const { apiKey = token } = deps
  // The host name, or the IPv6 address without its brackets.
  const host = upstream.hostname.replace(/^\[|\]$/g, "")
  const secure = upstream.protocol === "https:"
  // Use the machine's proxy only for requests that leave the machine, and respect its own exceptions.
  const options = { keepAlive: true, proxyEnv: deps.env }
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options)
  const passing = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const passed = pass(request, response).catch(() => void response.destroy())
    passing.add(passed)
    void passed.then(() => passing.delete(passed))
  })
  // Refuse everything except plain requests: a tunnel could lead anywhere, and other protocols can't be inspected.
  server.on("connect", (_request, socket) => socket.destroy())
  server.on("upgrade", (_request, socket) => {
    // The server no longer handles errors of this socket, and the agent may disconnect.
    socket.on("error", () => socket.destroy())
    socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n")
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, HOST, resolve)
  })
  const gateway: Gateway = {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    token,
    listener: undefined,
    admit: undefined,
    async drain() {
      server.closeAllConnections()
      await Promise.all(passing)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      agent.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = framingFault(request)
    if (fault) return refuse(response, fault.status, fault.message)
    const path = pathWithin(upstream, request.url ?? "")
    if (path === undefined) return refuse(response, 400, "This path isn't part of the model API.")
    const opened = withKey(request, path, token, apiKey)
    if (!opened) return refuse(response, 401, "The token doesn't belong to this task.")
    const isCall = isModelCall(request.method, path)
    const call = () => (deps.sign ? signed(request, response, path) : forward(request, response, { ...opened, isCall }))
    if (!isCall || !gateway.admit) return call()
    if (!(await gateway.admit(call))) refuse(response, 403, "The budget for this work is used up.")
  }

  /** Forwards a request with a signature instead of a key. */
  async function signed(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await readBody(request)
    if (body === undefined) return refuse(response, 413, "The request is too large to be signed.")
    const signing = await deps.sign?.({ method: request.method ?? "", path, body }).catch(() => null)
    if (signing === null) return refuse(response, 503, "There are no AWS credentials at the moment.")
    if (!signing) return refuse(response, 404, "This stage doesn't allow this model, or this kind of request.")
    const headers = { ...signing.headers, "content-length": body.length }
    await forward(request, response, { path: signing.path, headers, isCall: true, body })
  }

  async function forward(
    request: IncomingMessage,
    response: ServerResponse,
    { path, headers, isCall, body }: { path: string; headers: OutgoingHttpHeaders; isCall: boolean; body?: Buffer },
  ): Promise<void> {
    const isThere = await isReachable()
    // The agent may have disconnected by now, because admission and the host check can take a while.
    if (response.destroyed) return
    if (!isThere) return unreachable(response)
    const asked = (secure ? httpsRequest : httpRequest)({
      ...{ agent, method: request.method, path },
      headers: { ...headers, ...(body ? {} : framing(request)), host: upstream.host },
      ...{ host, port: upstream.port || (secure ? 443 : 80), lookup: deps.hosts?.lookupFor(host) },
    })
    // Abort the API request when the agent stops waiting for the response.
    response.once("close", () => asked.destroy())
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve)
      asked.once("error", reject)
    })
    const [answer] = await Promise.allSettled([answered, body ? asked.end(body) : pipeline(request, asked)])
    if (answer.status === "rejected") return unreachable(response)
    await giveBack(answer.value, response, isCall)
  }

  /** Checks the host on every request, because the host's name may now resolve to a different address. */
  async function isReachable(): Promise<boolean> {
    if (!deps.hosts) return true
    return (await settle(async () => deps.hosts?.check(host, {}))).error === undefined
  }

  /** Forwards the response. Removes the key from it, because a custom API may repeat the key. */
  async function giveBack(answer: IncomingMessage, response: ServerResponse, counts: boolean): Promise<void> {
    const status = answer.statusCode ?? 502
    response.writeHead(status, answer.statusMessage, keptHeaders(answer.rawHeaders, status, apiKey))
    if (status >= 400) return giveRefusal(answer, response, { status, counts })
    const meter = await openMeter(String(answer.headers["content-type"] ?? ""))
    response.flushHeaders()
    const [streamed] = await Promise.allSettled([pipeline(answer, redact(apiKey), meter.through, response)])
    const usage = meter.usage()
    if (usage) gateway.listener?.({ type: "used", usage })
    if (counts) gateway.listener?.({ type: streamed.status === "fulfilled" ? "ok" : "broken" })
  }

  /**
   * Reads an error response completely, because some APIs repeat the key in it, and because it describes the state of
   * the account.
   */
  async function giveRefusal(
    answer: IncomingMessage,
    response: ServerResponse,
    { status, counts }: { status: number; counts: boolean },
  ): Promise<void> {
    let body = ""
    for await (const chunk of answer.setEncoding("utf8")) if (body.length < REFUSAL_LIMIT) body += chunk
    body = body.replaceAll(apiKey, token)
    const { problem, final } = problemOf({ status, headers: answer.headers, body, now: deps.now() })
    if (problem && counts) gateway.listener?.({ type: "refused", problem, final })
    response.end(body)
  }

  function unreachable(response: ServerResponse): void {
    if (response.destroyed) return
    const problem: Problem = { kind: "network", message: `The model API at ${upstream.host} couldn't be reached.` }
    gateway.listener?.({ type: "refused", problem, final: false })
    refuse(response, 502, problem.message)
  }

  return gateway
}

/** Loads the decoder of AWS's event streams only for them. */
async function openMeter(contentType: string): Promise<Meter> {
  if (!contentType.includes("amazon.eventstream")) return createMeter(contentType)
  const { createBedrockMeter } = await import("./bedrock-meter.ts")
  return createBedrockMeter()
}

/** Returns a request's whole body. Undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > SIGNED_LIMIT) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function keptHeaders(raw: string[], status: number, key: string): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2)
    const isLength = name.toLowerCase() === "content-length"
    // The body of an error response is rewritten, so its length changes.
    const isKept = isLength ? status < 400 : !OURS.has(name.toLowerCase())
    if (isKept && !value.includes(key)) kept.push(name, value)
  }
  return kept
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ error: { type: "gateway_error", message } }))
}
