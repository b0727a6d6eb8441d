import type { AddressInfo } from "node:net"
import { connect, createServer, type Server, type Socket } from "node:net"
import { openGateway } from "@switchyard/runner/gateway/gateway"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const KEY = "sk-REAL-CANARY-KEY"
/** A request that the agent smuggles in. Its content length covers the beginning of the next request. */
const INNER = "POST /v1/attacker HTTP/1.1\r\nhost: api\r\nauthorization: Bearer mine\r\ncontent-length: 350\r\n\r\n"

interface Asked {
  line: string
  headers: [name: string, value: string][]
  body: string
}

let server: Server
let bytes: Map<Socket, Buffer>
let gateway: Awaited<ReturnType<typeof openGateway>>

/**
 * Starts an API that answers each request exactly as its bytes delimit it, and records the bytes of each connection.
 */
beforeAll(async () => {
  bytes = new Map()
  server = createServer((socket) => {
    bytes.set(socket, Buffer.alloc(0))
    let answered = 0
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      const all = Buffer.concat([bytes.get(socket) ?? Buffer.alloc(0), chunk])
      bytes.set(socket, all)
      const whole = requestsIn(all)
      for (; answered < whole.length; answered++) {
        const body = JSON.stringify({ echo: whole[answered]?.line })
        const head = whole[answered]?.line.startsWith("HEAD")
        socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
        if (!head) socket.write(body)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  gateway = await openGateway({ apiKey: KEY, upstream, env: {}, now: Date.now })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  for (const socket of bytes.keys()) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

/** Parses a stream of bytes strictly by RFC 9112: the length or the chunks delimit a body. */
function requestsIn(all: Buffer): Asked[] {
  const found: Asked[] = []
  for (let rest = all.toString("latin1"); ; ) {
    const end = rest.indexOf("\r\n\r\n")
    if (end === -1) return found
    const [line = "", ...lines] = rest.slice(0, end).split("\r\n")
    const headers = lines.map((one): [string, string] => {
      const at = one.indexOf(":")
      return [one.slice(0, at).toLowerCase(), one.slice(at + 1).trim()]
    })
    const after = rest.slice(end + 4)
    const framed = bodyOf(new Map(headers), after)
    if (!framed) return found
    found.push({ line, headers, body: framed.body })
    rest = framed.rest
  }
}

function bodyOf(headers: Map<string, string>, text: string): { body: string; rest: string } | undefined {
  if (headers.get("transfer-encoding") !== "chunked") {
    const length = Number(headers.get("content-length") ?? 0)
    return text.length < length ? undefined : { body: text.slice(0, length), rest: text.slice(length) }
  }
  for (let body = "", rest = text; ; ) {
    const at = rest.indexOf("\r\n")
    if (at === -1) return undefined
    const size = Number.parseInt(rest.slice(0, at), 16)
    if (rest.length < at + 4 + size) return undefined
    body += rest.slice(at + 2, at + 2 + size)
    rest = rest.slice(at + 4 + size)
    if (size === 0) return { body, rest }
  }
}

/**
 * Sends these raw bytes to the gateway. Resolves to the status of its first answer, or null if it closes the
 * connection.
 */
async function send(text: string): Promise<number | null> {
  const { port } = new URL(gateway.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1")
    let said = ""
    socket.on("error", () => resolve(null))
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0) || null))
    socket.on("data", (chunk) => {
      said += chunk
      if (/\r\n\r\n/.test(said)) socket.end()
    })
    socket.write(text, "latin1")
  })
}

const auth = () => `host: x\r\nauthorization: Bearer ${gateway.token}`
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
const PATH = "/v1/messages"

const METHODS = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "PURGE", "PROPFIND", "LOCK"]
const BODIES: [name: string, headers: string, body: string][] = [
  ["in chunks", "transfer-encoding: chunked", chunked(INNER)],
  ["in chunks, in capitals", "Transfer-Encoding: CHUNKED", chunked(INNER)],
  ["with a length", `content-length: ${INNER.length}`, INNER],
  ["behind it, without a length", "x-none: 1", INNER],
  ["with a length of none", "content-length: 0", INNER],
]
const FRAMINGS: [name: string, headers: string][] = [
  ["chunks and a length", `transfer-encoding: chunked\r\ncontent-length: ${INNER.length}`],
  ["a length and chunks", `content-length: 4\r\ntransfer-encoding: chunked`],
  ["two lengths", `content-length: 0\r\ncontent-length: ${INNER.length}`],
  ["one length twice", `content-length: ${INNER.length}\r\ncontent-length: ${INNER.length}`],
  ["a list of lengths", `content-length: 0, ${INNER.length}`],
  ["a length with a sign", `content-length: +${INNER.length}`],
  ["a length in hex", "content-length: 0x10"],
  ["a negative length", "content-length: -1"],
  ["another encoding", "transfer-encoding: gzip, chunked"],
  ["an encoding that isn't one", "transfer-encoding: xchunked"],
  ["an encoding with a tab", "transfer-encoding:\tchunked\r\ncontent-length: 3"],
  ["an encoding twice", "transfer-encoding: chunked\r\ntransfer-encoding: identity"],
  ["a blank before the colon", "transfer-encoding : chunked"],
  ["a folded header", "x-a: 1\r\n transfer-encoding: chunked"],
  ["a header of the connection", "connection: content-length, authorization"],
  ["a name of every object", "constructor: x"],
  ["a name of every object's prototype", "__proto__: x"],
  ["a name of a method", "toString: x"],
  ["a trailer", "trailer: authorization"],
  ["an upgrade", "connection: upgrade\r\nupgrade: h2c"],
]

const cases: [name: string, head: () => string][] = [
  ...METHODS.flatMap((method) =>
    BODIES.map(([name, headers, body]): [string, () => string] => [
      `${method} with a request ${name}`,
      () => `${method} ${PATH} HTTP/1.1\r\n${auth()}\r\n${headers}\r\n\r\n${body}`,
    ]),
  ),
  ...FRAMINGS.map(([name, headers]): [string, () => string] => [
    `POST with ${name}`,
    () => `POST ${PATH} HTTP/1.1\r\n${auth()}\r\n${headers}\r\n\r\n${INNER}`,
  ]),
  ["POST by HTTP/1.0", () => `POST ${PATH} HTTP/1.0\r\n${auth()}\r\ncontent-length: ${INNER.length}\r\n\r\n${INNER}`],
  [
    "POST by HTTP/1.0 in chunks",
    () => `POST ${PATH} HTTP/1.0\r\n${auth()}\r\ntransfer-encoding: chunked\r\n\r\n${chunked(INNER)}`,
  ],
  [
    "POST with bare line feeds",
    () => `POST ${PATH} HTTP/1.1\n${auth().replace("\r", "")}\ncontent-length: 0\n\n${INNER}`,
  ],
  ["POST with a line feed in its path", () => `POST ${PATH}\n HTTP/1.1\r\n${auth()}\r\n\r\n${INNER}`],
  ["CONNECT", () => `CONNECT api:80 HTTP/1.1\r\n${auth()}\r\n\r\n${INNER}`],
  [
    "a chunk's size with an extension",
    () =>
      `POST ${PATH} HTTP/1.1\r\n${auth()}\r\ntransfer-encoding: chunked\r\n\r\n${INNER.length.toString(16)};x=y\r\n${INNER}\r\n0\r\n\r\n`,
  ],
  [
    "a chunk's size that is too large",
    () => `POST ${PATH} HTTP/1.1\r\n${auth()}\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff1\r\n${INNER}`,
  ],
]

describe("an agent that hides a request in another", () => {
  it.each(cases)("gets nothing by %s", async (_, head) => {
    await send(head())
    const next = { content: "next" }
    const answer = await fetch(`${gateway.url}${PATH}`, {
      method: "POST",
      headers: { "x-api-key": gateway.token, "content-type": "application/json" },
      body: JSON.stringify(next),
    })
    expect(await answer.json()).toEqual({ echo: `POST ${PATH} HTTP/1.1` })
    for (const all of bytes.values()) {
      const asked = requestsIn(all)
      for (const { line, headers, body } of asked) {
        expect(line).toMatch(/^(GET|HEAD|DELETE|POST|PUT|PATCH) \/v1\/messages HTTP\/1\.1$/)
        expect(body).not.toContain(KEY)
        const framing = headers.filter(([name]) => name === "content-length" || name === "transfer-encoding")
        expect(framing.length).toBeLessThan(2)
        expect(headers.some(([name]) => name === "constructor" || name === "__proto__")).toBe(false)
      }
      expect(asked).toHaveLength(all.toString("latin1").split(KEY).length - 1)
    }
  })

  it("is refused for methods that no API has, and for bodies where there are none", async () => {
    expect(await send(`TRACE ${PATH} HTTP/1.1\r\n${auth()}\r\n\r\n`)).toBe(405)
    expect(await send(`GET ${PATH} HTTP/1.1\r\n${auth()}\r\ntransfer-encoding: chunked\r\n\r\n${chunked("x")}`)).toBe(
      400,
    )
    expect(await send(`GET ${PATH} HTTP/1.1\r\n${auth()}\r\n\r\n`)).toBe(200)
    expect(cases.length).toBeGreaterThanOrEqual(60)
  })
})
