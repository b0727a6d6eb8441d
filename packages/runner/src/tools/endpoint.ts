import { isUtf8 } from "node:buffer"
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"
import { parseJson } from "@switchyard/core/text/parse-json"

/** Handles one caller's requests while that caller's endpoint is open. */
export type ServeCaller = (request: Request, message: object) => Promise<Response>

/** Secret URL at which one agent finds its tools during one task. */
export interface ToolAddress {
  /** URL that contains the token in its path. */
  url: string
  /** URL for programs that may reveal complete URLs. They send the token as a bearer token instead. */
  bareUrl: string
  token: string
}

/** Server on a loopback address for the tools of a session's agents. Each caller has its own path. */
export interface ToolEndpoint extends AsyncDisposable {
  /** Opens a URL. Every request to this URL counts as the caller's. */
  open(serve: ServeCaller): ToolAddress & Disposable
}

const HOST = "127.0.0.1"
const PATH = "/mcp"
const MAX_BODY_BYTES = 1024 * 1024

export async function openToolEndpoint({ report }: { report: (error: unknown) => void }): Promise<ToolEndpoint> {
  const callers = new Map<string, ServeCaller>()
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.destroyed) report(error)
      response.destroy()
    })
  })
  // Disable the timeout, because a response may take as long as another agent's work.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, HOST, resolve)
  })
  server.unref()
  const host = `${HOST}:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Prevent DNS rebinding: web pages must not reach this server through a name that resolves to this machine.
    if (request.headers.host !== host || request.headers.origin !== undefined)
      return refuse(response, 403, "Forbidden.")
    const serve = callers.get(tokenOf(request) ?? "")
    if (!serve) return refuse(response, 404, "There are no tools at this URL.")
    if (request.method !== "POST") return refuse(response, 405, "Messages must be sent with POST.")
    const bytes = await readBody(request)
    if (bytes === undefined) return refuse(response, 413, `A message can have at most ${MAX_BODY_BYTES} bytes.`)
    if (!isUtf8(bytes)) return refuse(response, 400, "The body isn't valid UTF-8.", PARSE_ERROR)
    const message = parseJson(bytes.toString())
    if (message === undefined) return refuse(response, 400, "The body isn't valid JSON.", PARSE_ERROR)
    // Refuse batches, because the protocol no longer supports them.
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return refuse(response, 400, "The body must be a single JSON-RPC message.", INVALID_REQUEST)
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    const headers = new Headers()
    for (const name of PASSED) {
      const value = request.headers[name]
      if (typeof value === "string") headers.set(name, value)
    }
    const asked = new Request(`http://${host}${PATH}`, { method: "POST", headers, signal: gone.signal })
    await giveBack(await serve(asked, message), response)
  }

  return {
    open(serve) {
      const token = randomBytes(32).toString("hex")
      callers.set(token, serve)
      const bareUrl = `http://${host}${PATH}`
      return { url: `${bareUrl}/${token}`, bareUrl, token, [Symbol.dispose]: () => void callers.delete(token) }
    },
    async [Symbol.asyncDispose]() {
      callers.clear()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Headers that describe how to read a message and how to answer it. */
const PASSED = ["content-type", "accept", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"]

function tokenOf({ url = "", headers }: IncomingMessage): string | undefined {
  const path = url.split("?")[0] ?? ""
  if (path.startsWith(`${PATH}/`)) return path.slice(PATH.length + 1)
  return path === PATH ? /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1] : undefined
}

/** Reads the whole body. Returns undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function giveBack({ status, headers, body }: Response, response: ServerResponse): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers))
  response.flushHeaders()
  if (!body) return void response.end()
  await pipeline(Readable.fromWeb(body as ReadableStream), response)
}

/** Error codes from JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const SERVER_ERROR = -32000

function refuse(response: ServerResponse, status: number, message: string, code = SERVER_ERROR): void {
  // Close the connection, because the rest of the body isn't read.
  response.writeHead(status, { "content-type": "application/json", connection: "close" })
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }))
}
