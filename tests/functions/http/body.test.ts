import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { finished } from "node:stream/promises"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

const LIMIT = 4 * 1024 * 1024

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => {
  server.reported.length = 0
})
afterAll(() => server.close())

const JSON_TYPE = { "content-type": "application/json" }
const put = (body: BodyInit | null, headers: Record<string, string> = JSON_TYPE) =>
  server.call("PUT", "/workspace/file", { body, headers })

/** Creates a body of unknown length, which is sent in chunks. */
function chunked(chunks: Iterable<Uint8Array>): ReadableStream {
  const source = chunks[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = source.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

function padded(sizeBytes: number) {
  const text = '{"path":"big.txt","content":"x","pad":""}'
  return Buffer.from(text.replace('"pad":""', `"pad":"${"x".repeat(sizeBytes - text.length)}"`))
}

describe("a body", () => {
  it("may have 4 MB, however it comes, and not a byte more", async () => {
    expect((await put(padded(LIMIT))).status).toBe(200)
    expect((await put(chunked([padded(LIMIT)]))).status).toBe(200)
    for (const body of [padded(LIMIT + 1), chunked([padded(LIMIT + 1)])]) {
      const { status, body: answer } = await put(body)
      expect([status, answer.error.code]).toEqual([413, "payload_too_large"])
    }
  })

  it("is read byte by byte if that is how it comes", async () => {
    const bytes = Buffer.from('{"path":"slow.txt","content":"🦊"}')
    expect((await put(chunked(Array.from(bytes, (byte) => Buffer.from([byte]))))).body.content).toBe("🦊")
  })

  it("that has no end is refused while it is sent, and kept nowhere", async () => {
    let sent = 0
    function* endless() {
      const chunk = Buffer.alloc(64 * 1024, " ")
      for (; sent < 1024 * LIMIT; sent += chunk.length) yield chunk
    }
    const before = process.memoryUsage().arrayBuffers
    const answer = await put(chunked(endless())).catch(() => undefined)
    if (answer) expect(answer.body.error.code).toBe("payload_too_large")
    expect(sent).toBeLessThan(128 * LIMIT)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * LIMIT)
    expect((await server.call("GET", "/status")).status).toBe(200)
  })

  it.each([LIMIT + 1, 5 * LIMIT])(
    "of %i bytes is refused to a client that reads nothing before it has sent all",
    async (size) => {
      const { hostname, port } = new URL(server.url)
      const socket = connect(Number(port), hostname).pause()
      socket.write(
        `PUT /workspace/file HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`,
      )
      await finished(socket.end(padded(size)), { readable: false })
      expect(await text(socket)).toMatch(/^HTTP\/1.1 413 .*"payload_too_large"/s)
    },
  )

  it("is refused by the length that it claims, before it is sent", async () => {
    const answer = await server.raw(
      "PUT /workspace/file HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\nConnection: close\r\n\r\n{",
    )
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
  })

  it("that breaks off is nobody's fault here", async () => {
    await server.raw(
      'PUT /workspace/file HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"path":',
    )
    await server.call("GET", "/status")
    expect(server.reported).toEqual([])
  })

  it.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/jsonp", 415],
    ["json", 415],
    ["application/json; charset=utf-8", 200],
    ["Application/JSON", 200],
    ["application/vnd.api+json", 200],
  ])("of type %s is answered with %i, whichever endpoint it goes to", async (type, expected) => {
    const file = JSON.stringify({ path: "typed.txt", content: "x" })
    expect((await put(file, { "content-type": type })).status).toBe(expected)
    if (expected === 200) return
    for (const [method, path] of [
      ["POST", "/workspace/folder"],
      ["POST", "/workspace/rename"],
      ["POST", "/workspace/session/touch"],
      ["POST", "/generate"],
      ["POST", "/stream"],
      ["POST", "/v1/runs"],
    ] as const) {
      const { status, body } = await server.call(method, path, { body: "{}", headers: { "content-type": type } })
      expect([status, body.error.code]).toEqual([415, "unsupported_media_type"])
    }
  })

  it("without a type is refused, and so is none where there must be one", async () => {
    const untyped = await put(Buffer.from('{"path":"a","content":""}'), {})
    expect([untyped.status, untyped.body.error.code]).toEqual([415, "unsupported_media_type"])
    const none = await put(null, {})
    expect([none.status, none.body.error.code]).toEqual([422, "validation_error"])
  })

  it.each([
    ["", "nothing"],
    ["{", "half an object"],
    ['{"path":"a","content":"x"} trailing', "something after the end"],
    ["{'path':'a'}", "the wrong quotes"],
    ["[".repeat(100_000), "a hundred thousand brackets"],
    [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "as many, and closed"],
    [`{"path":"a","content":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`, "an object down to the floor"],
    ["null", "null"],
    ["[]", "a list"],
    ['"text"', "a text"],
    ["1e999", "a number without end"],
    ['{"path":1e999,"content":"x"}', "one for a path"],
    ['{"path":"a","content":"\\ud800"}', "half a character"],
    ['{"path":"a\\u0000b","content":"x"}', "a NUL"],
    ['{"__proto__":{"path":"a","content":"x"}}', "a prototype with all that it takes"],
    ['{"constructor":{"prototype":{"path":"a"}},"content":"x"}', "a constructor"],
  ])("of %.20s… is refused as what it is: %s", async (text) => {
    const { status, body } = await put(text)
    expect(status).toBe(422)
    expect(["validation_error", "workspace_validation_error"]).toContain(body.error.code)
    expect(({} as { path?: string }).path).toBeUndefined()
    expect(server.reported).toEqual([])
  })

  it("must be UTF-8, for anything else would be stored as something else", async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
      const text = Buffer.concat([Buffer.from('{"path":"a","content":"'), Buffer.from(bytes), Buffer.from('"}')])
      const { status, body } = await put(text)
      expect([status, body.error.message]).toEqual([422, expect.stringContaining("not valid UTF-8. Send JSON")])
    }
    const utf16 = Buffer.from('{"path":"a","content":"x"}', "utf16le")
    expect((await put(utf16)).status).toBe(422)
  })

  it("may begin with a byte order mark and say a key twice, of which the last counts", async () => {
    expect((await put(Buffer.from('\ufeff{"path":"bom.txt","content":"x"}'))).body.path).toBe("bom.txt")
    expect((await put('{"path":"a","content":"1","content":"2"}')).body.content).toBe("2")
  })

  it("isn't needed where nothing is to be said, and doesn't disturb", async () => {
    const { run_id } = await server.run({ user_prompt: "A page" })
    for (const body of [null, "anything at all", "chunks"]) {
      const sent = () => (body === "chunks" ? chunked([Buffer.from("{}")]) : body)
      expect((await server.call("POST", `/v1/runs/${run_id}/cancel`, { body: sent() })).status).toBe(200)
      expect((await server.call("POST", "/workspace/session", { body: sent() })).status).toBe(200)
      expect((await server.call("DELETE", "/workspace/session?workspace_id=x", { body: sent() })).status).toBe(200)
    }
    const bare = await server.raw("DELETE /workspace/session HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
    expect(bare).toMatch(/^HTTP\/1.1 200 /)
  })

  it("may be empty with the type of JSON, wherever the API calls it optional", async () => {
    const { paths } = (await server.call("GET", "/openapi.json")).body
    const optional = Object.entries<Record<string, { requestBody?: { required?: boolean } }>>(paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations)
          .filter(([, { requestBody }]) => requestBody && requestBody.required !== true)
          .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "x")] as const),
    )
    expect(optional.map(([, path]) => path)).toEqual(
      expect.arrayContaining(["/api/v1/sessions", "/api/v1/sessions/x/worktree/reset"]),
    )
    for (const [method, path] of optional) {
      const { text } = await server.call(method, path, { body: "", headers: JSON_TYPE })
      expect(text, `${method} ${path}`).not.toContain("could not be read")
    }
  })

  it("that is wrong in a thousand places is told of the first few", async () => {
    const prompt_overrides = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}${"x".repeat(999)}`, 1]))
    const { text, body } = await server.call("POST", "/generate", { json: { user_prompt: "x", prompt_overrides } })
    expect(body.error.details.errors).toHaveLength(20)
    expect(text.length).toBeLessThan(20_000)
  })
})

describe("a body without a valid login", () => {
  const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
  const ANONYMOUS_LIMIT = 64 * 1024
  let guarded: TestServer
  beforeAll(async () => {
    guarded = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
  })
  afterAll(() => guarded.close())

  const logIn = (sizeBytes: number) => Buffer.from(JSON.stringify({ token: ADMIN_TOKEN }).padEnd(sizeBytes))
  const post = (path: string, body: BodyInit, headers = {}) =>
    guarded.call("POST", path, { body, headers: { ...JSON_TYPE, ...headers } })

  it("may have 64 KB, however it comes, and not a byte more", async () => {
    expect((await post("/login", logIn(ANONYMOUS_LIMIT))).status).toBe(200)
    expect((await post("/login", chunked([logIn(ANONYMOUS_LIMIT)]))).status).toBe(200)
    for (const body of [logIn(ANONYMOUS_LIMIT + 1), chunked([logIn(ANONYMOUS_LIMIT + 1)])]) {
      const { status, body: answer } = await post("/login", body, { authorization: `Bearer ${ADMIN_TOKEN}` })
      expect([status, answer.error.code, answer.error.details]).toEqual([
        413,
        "payload_too_large",
        { max_bytes: ANONYMOUS_LIMIT },
      ])
    }
  })

  it("may have no more where there is nothing", async () => {
    const { status, body } = await post("/nothing", chunked([logIn(ANONYMOUS_LIMIT + 1)]))
    expect([status, body.error.code]).toEqual([413, "payload_too_large"])
  })

  it.each(["/login", "/v1/runs"])("that has no end isn't read to it, for %s", async (path) => {
    let sent = 0
    function* endless() {
      const chunk = Buffer.alloc(64 * 1024, " ")
      for (; sent < 1024 * LIMIT; sent += chunk.length) yield chunk
    }
    const answer = await post(path, chunked(endless())).catch(() => undefined)
    if (answer) expect(["payload_too_large", "unauthorized"]).toContain(answer.body.error.code)
    expect(sent).toBeLessThan(8 * LIMIT)
  })

  it("has the usual limit with one", async () => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${ADMIN_TOKEN}` }
    expect((await guarded.call("PUT", "/workspace/file", { body: padded(LIMIT), headers })).status).toBe(200)
  })
})
