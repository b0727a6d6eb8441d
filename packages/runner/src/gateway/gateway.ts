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
import type { Problem } from "@switchyard/core/agents/clis/schema"
import { raceAbort } from "@switchyard/core/concurrency/race-abort"
import { errorChain, isAppError, settle } from "@switchyard/core/errors"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import { framing, framingFault, isModelCall, pathWithin, withKey } from "./request.ts"
import { type Answered, giveBack, refuse } from "./response.ts"

export interface GatewayDeps {
  /** API key of the account. Absent if the gateway signs requests instead. */
  apiKey?: string
  /** Base URL of the API. */
  upstream: string
  /** Returns the signer of a request. Undefined for requests that the agent may not make. */
  signerOf?: ((request: { method: string; path: string }) => Signer | undefined) | undefined
  /** Hosts that are allowed. Set if a caller chose the API's URL. */
  hosts?: HostPolicy
  /** Environment with the machine's proxy settings, if any. */
  env: Record<string, string | undefined>
  now: () => number
}

/** Signs a request with this body. `secrets` are removed from the response. Throws if there are no credentials. */
export type Signer = (body: Buffer) => Promise<{ path: string; headers: OutgoingHttpHeaders; secrets: string[] }>

/** Request as it is sent to the API. */
interface Outgoing {
  path: string
  headers: OutgoingHttpHeaders
  isCall: boolean
  /** Removed from the response. */
  secrets: string[]
  /** Body if it was read to be signed. Otherwise, the agent's body is passed on. */
  body?: Buffer
}

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
/** Maximum size of a request that is signed, which requires its whole body. Anthropic's limit is 32 MB. */
const SIGNED_LIMIT = 32 * 1024 * 1024

export async function openGateway(deps: GatewayDeps): Promise<Gateway> {
  const upstream = new URL(deps.upstream)
  const token = `swy-${randomBytes(32).toString("hex")}`
  // Without a key, there is no secret to insert.
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

  const tell = (answered: Answered) => gateway.listener?.(answered)

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = framingFault(request)
    if (fault) return refuse(response, fault.status, fault.message)
    const path = pathWithin(upstream, request.url ?? "")
    if (path === undefined) return refuse(response, 400, "This path isn't part of the model API.")
    const opened = withKey(request, path, token, apiKey)
    if (!opened) return refuse(response, 401, "The token doesn't belong to this task.")
    const isCall = isModelCall(request.method, path)
    const signer = deps.signerOf?.({ method: request.method ?? "", path })
    if (deps.signerOf && !signer)
      return refuse(response, 404, "This stage doesn't allow this model, or this kind of request.")
    const call = () =>
      signer ? signed(request, response, signer) : forward(request, response, { ...opened, isCall, secrets: [apiKey] })
    if (!isCall || !gateway.admit) return call()
    if (!(await gateway.admit(call))) refuse(response, 403, "The budget for this work is used up.")
  }

  /** Forwards a request with a signature instead of a key. */
  async function signed(request: IncomingMessage, response: ServerResponse, sign: Signer): Promise<void> {
    const body = await readBody(request)
    if (body === undefined) return refuse(response, 413, "The request is too large to be signed.")
    // Stop waiting when the agent disconnects, because the credentials may take a while. They are still loaded, because
    // other requests may wait for them, too.
    const left = new AbortController()
    response.once("close", () => left.abort())
    const signing = await raceAbort(sign(body), left.signal).catch((error: unknown) => notSigned(response, error))
    if (!signing) return
    const headers = { ...signing.headers, "content-length": body.length }
    await forward(request, response, { ...signing, headers, isCall: true, body })
  }

  /** Reports the reason to the listener. The agent doesn't learn it, because an error could quote the credentials. */
  function notSigned(response: ServerResponse, error: unknown): void {
    if (response.destroyed) return
    const [reason] = errorChain(error).slice(-1)
    const isBrief = isAppError(error, "storage_unavailable")
    const message = "The runner has no AWS credentials for this request"
    const told = `${message}: ${reason instanceof Error ? reason.message : String(reason)}`
    const problem: Problem = { kind: isBrief ? "network" : "auth", message: told }
    tell({ type: "refused", problem, final: !isBrief })
    refuse(response, 503, `${message}.`)
  }

  async function forward(
    request: IncomingMessage,
    response: ServerResponse,
    { path, headers, isCall, secrets, body }: Outgoing,
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
    await giveBack(answer.value, response, { isCall, secrets, token, tell, now: deps.now })
  }

  /** Checks the host on every request, because the host's name may now resolve to a different address. */
  async function isReachable(): Promise<boolean> {
    if (!deps.hosts) return true
    return (await settle(async () => deps.hosts?.check(host, {}))).error === undefined
  }

  function unreachable(response: ServerResponse): void {
    if (response.destroyed) return
    const problem: Problem = { kind: "network", message: `The model API at ${upstream.host} couldn't be reached.` }
    tell({ type: "refused", problem, final: false })
    refuse(response, 502, problem.message)
  }

  return gateway
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
