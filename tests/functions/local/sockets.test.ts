import { once } from "node:events"
import { type Clock, systemClock } from "@switchyard/core/time"
import type { ClientMessage } from "@switchyard/functions/http/socket"
import type { Stores } from "@switchyard/functions/local/local-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { readFrames } from "../agents/frames.ts"
import { startServer, type TestServer } from "../server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const base64 = (text: string) => Buffer.from(text).toString("base64")

/** Opens a WebSocket and records its messages. */
function connect(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
  const told: any[] = []
  socket.on("message", (text) => told.push(JSON.parse(String(text))))
  const opened = new Promise<void>((resolve) => socket.on("open", resolve))
  const closed = new Promise<number>((resolve) => socket.on("close", resolve))
  return {
    closed,
    told,
    opened,
    failed: new Promise<string>((resolve) => socket.on("error", (error) => resolve(error.message))),
    say: (message: object | string) => {
      const text = typeof message === "string" ? message : JSON.stringify(message)
      opened.then(() => socket.send(text))
    },
    leave: () => socket.terminate(),
    close: () => opened.then(() => socket.close()),
    // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
    async until(wanted: (message: any) => boolean) {
      await opened
      for (let from = 0; ; ) {
        while (from < told.length) if (wanted(told[from++])) return told[from - 1]
        if (socket.readyState !== WebSocket.OPEN) throw new Error("It was closed before.")
        await Promise.race([once(socket, "message"), closed])
      }
    },
  }
}

async function working(server: TestServer, headers: Record<string, string> = {}) {
  const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
  const json = { coding_agent: "mock", task_description: 'mock: {"hangs":true}' }
  const { task_id } = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json, headers })).body
  const frames = readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`, headers)
  for await (const { data } of frames) if (data.type === "agent_session_opened") break
  return { id, task: task_id as string }
}

describe("a session's socket", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it("tells and hears everything of a task, and goes on after it", async () => {
    const { id, task } = await working(server)
    const client = connect(server, `/ws/${id}`)
    await client.opened
    client.say({ type: "ping" })
    await client.until(({ type }) => type === "pong")
    const first = await client.until(({ type }) => type === "terminal")
    expect(first).toMatchObject({ session_id: id, data: { type: "snapshot", seq: expect.any(Number) } })
    client.say({ type: "resize", rows: 33, cols: 99 })
    await client.until(({ data }) => data.type === "resized" && data.rows === 33 && data.cols === 99)
    client.say({ type: "input", data: base64("hello\r") })
    await client.until(({ data }) => data.type === "user_message" && data.content === "hello")
    client.say({ type: "cancel" })
    expect(await client.until(({ type }) => type === "status")).toMatchObject({ data: { cancel_requested: true } })
    const complete = await client.until(({ type }) => type === "complete")
    expect(complete.data).toMatchObject({ task_id: task, status: "cancelled", exit_code: -1 })
    const { cursor } = client.told.findLast(({ data }) => data.cursor).data
    client.leave()

    const json = { coding_agent: "mock", task_description: "mock: {}" }
    const next = (await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })).body.task_id
    const again = connect(server, `/api/v1/ws/${id}?since_seq=${cursor}`)
    await again.opened
    expect((await again.until(({ type }) => type === "complete")).data).toMatchObject({ task_id: next })
    const seqs = again.told.filter(({ type }) => type === "event").map(({ data }) => data.seq)
    expect(seqs[0]).toBe(Number(cursor.split(".")[0]) + 1)
    again.leave()
  })

  it("says what is wrong with what it hears", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions")).body
    const client = connect(server, `/ws/${id}`)
    await client.opened
    for (const [said, error] of [
      ["{", "Invalid JSON"],
      [{ type: "dance" }, "The message has an unknown type or invalid fields."],
      [{ type: "input", data: "%%%" }, "The message has an unknown type or invalid fields."],
      [{ type: "input", data: base64("x") }, "No active PTY session."],
      [{ type: "resize", rows: 24, cols: 80 }, "No active PTY session."],
    ] as const) {
      client.say(said)
      expect((await client.until(({ type, data }) => type === "error" && data.error === error)).session_id).toBe(id)
    }
    client.leave()
  })

  it("isn't for pages of others, nor for sessions that aren't there", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions")).body
    expect(await connect(server, `/ws/${id}`, { origin: "http://evil.example" }).failed).toContain("403")
    expect(await connect(server, `/ws/${id}`, { origin: server.url.replace("http:", "https:") }).failed).toContain(
      "403",
    )
    expect(await connect(server, `/ws/${id}`, { host: "evil.example" }).failed).toContain("403")
    expect(await connect(server, "/ws/").failed).toContain("404")
    expect(await connect(server, "/ws/no-such-session").closed).toBe(4004)
    expect(await connect(server, `/ws/${id}?since_seq=x`).closed).toBe(1008)
    expect(server.reported).toEqual([])
  })
})

describe("a socket behind a proxy", () => {
  it("is for the pages of the address that the proxy has, whatever host it names here", async () => {
    const env = { AUTH_MODE: "token", ADMIN_TOKEN, PUBLIC_URL: "https://studio.example" }
    const server = await startServer({ env })
    try {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
      const page = connect(server, `/ws/${id}`, { ...headers, origin: "https://studio.example" })
      await page.opened
      page.leave()
      const other = { ...headers, origin: "http://studio.example" }
      expect(await connect(server, `/ws/${id}`, other).failed).toContain("403")
    } finally {
      await server.close()
    }
  })
})

describe("a socket where people log in", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
  })
  afterAll(() => server.close())

  it("takes a ticket for this session, once, or a token, and lets who may only read do no more", async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { id } = await working(server, headers)
    const made = await server.call("POST", "/v1/tokens", {
      json: { name: "reader", scopes: ["read"], owner: (await server.call("GET", "/v1/me", { headers })).body.owner },
      headers,
    })
    const ticketFor = async (resource: string) =>
      (await server.call("POST", "/v1/tickets", { json: { purpose: "ws", resource }, headers })).body.ticket
    expect(await connect(server, `/ws/${id}`).closed).toBe(4001)
    expect(await connect(server, `/ws/${id}?ticket=x`).closed).toBe(4001)
    expect(await connect(server, `/ws/${id}?ticket=${await ticketFor("other")}`).closed).toBe(4001)
    const ticket = await ticketFor(id)
    const client = connect(server, `/ws/${id}?ticket=${ticket}`)
    await client.opened
    await client.until(({ type }) => type === "terminal")
    expect(await connect(server, `/ws/${id}?ticket=${ticket}`).closed).toBe(4001)
    client.leave()

    const reader = connect(server, `/ws/${id}`, { authorization: `Bearer ${made.body.secret}` })
    await reader.opened
    reader.say({ type: "cancel" })
    expect(await reader.until(({ type }) => type === "error")).toMatchObject({ data: { code: "forbidden" } })
    reader.leave()
    await server.call("POST", `/api/v1/sessions/${id}/cancel`, { headers })
  })

  it("reports nothing of a client that leaves while a message of it is handled", async () => {
    let isHeld = Promise.resolve()
    const wrapStores = ({ records, blobs }: Stores): Stores => ({
      blobs,
      records: {
        ...records,
        async get(key, options) {
          await isHeld
          return records.get(key, options)
        },
      },
    })
    const server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN }, wrapStores })
    try {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const json = { name: "x", scopes: ["read"] }
      const { secret } = (await server.call("POST", "/v1/tokens", { json, headers })).body
      const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
      const client = connect(server, `/ws/${id}`, { authorization: `Bearer ${secret}` })
      client.say({ type: "ping" })
      await client.until(({ type }) => type === "pong")
      const hold = Promise.withResolvers<void>()
      isHeld = hold.promise
      client.say({ type: "ping" })
      client.close()
      await client.closed
      await server.call("GET", "/health")
      hold.resolve()
      await server.call("GET", "/v1/me", { headers })
      expect(server.reported).toEqual([])
    } finally {
      await server.close()
    }
  })

  it("ends what a token or a login opened soon after that has ended, and takes no message of theirs", async () => {
    const soon: Clock = { ...systemClock, sleep: (ms, options) => systemClock.sleep(ms === 10_000 ? 50 : ms, options) }
    const server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN }, clock: soon })
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { id } = await working(server, admin)
    const { owner } = (await server.call("GET", "/v1/me", { headers: admin })).body
    const json = { name: "x", scopes: ["read", "run"], owner }
    const open = async () => {
      const { id: tokenId, secret } = (await server.call("POST", "/v1/tokens", { json, headers: admin })).body
      return { tokenId, headers: { authorization: `Bearer ${secret}` }, secret }
    }

    const one = await open()
    const socket = connect(server, `/ws/${id}`, one.headers)
    await socket.opened
    const stream = await fetch(`${server.url}/api/v1/sessions/${id}/stream`, { headers: one.headers })
    await server.call("DELETE", `/v1/tokens/${one.tokenId}`, { headers: admin })
    socket.say({ type: "cancel" })
    expect(await socket.closed).toBe(4001)
    // Waits for the stream to end. The run continues, so without the revocation the stream would, too.
    await stream.text()

    const two = await open()
    const login = await server.call("POST", "/login", { json: { token: two.secret }, headers: { origin: server.url } })
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? ""
    const own = { cookie, "x-csrf-token": login.body.csrf_token }
    const asked = { json: { purpose: "ws", resource: id }, headers: own }
    const { ticket } = (await server.call("POST", "/v1/tickets", asked)).body
    const silent = connect(server, `/ws/${id}?ticket=${ticket}`)
    await silent.opened
    const watching = await fetch(`${server.url}/api/v1/sessions/${id}/stream`, { headers: { cookie } })
    await server.call("POST", "/logout", { headers: own })
    expect(await silent.closed).toBe(4001)
    await watching.text()

    expect((await server.call("GET", `/api/v1/sessions/${id}`, { headers: admin })).body.status).toBe("busy")
    await server.call("POST", `/api/v1/sessions/${id}/cancel`, { headers: admin })
    await server.close()
  })

  /** Scope that each message needs. A new message type without a row doesn't compile. */
  const messages = {
    input: { needs: "run", message: { type: "input", data: base64("x") } },
    resize: { needs: "run", message: { type: "resize", rows: 24, cols: 80 } },
    cancel: { needs: "run", message: { type: "cancel" } },
    ping: { needs: "read", message: { type: "ping" } },
  } satisfies Record<ClientMessage["type"], { needs: "read" | "run"; message: Record<string, unknown> }>

  it("hears no message of anybody who may not say it", async () => {
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const { id } = await working(server, admin)
    const { owner } = (await server.call("GET", "/v1/me", { headers: admin })).body
    const token = async (asked: object) =>
      (
        await server.call("POST", "/v1/tokens", {
          json: { name: "x", scopes: ["read"], owner, ...asked },
          headers: admin,
        })
      ).body
    const bearing = (secret: string) => ({ authorization: `Bearer ${secret}` })
    const revoked = await token({ scopes: ["read", "run"] })
    await server.call("DELETE", `/v1/tokens/${revoked.id}`, { headers: admin })
    const reader = bearing((await token({})).secret)
    const runner = bearing((await token({ scopes: ["run"] })).secret)
    const stranger = bearing((await token({ owner: "somebody-else", scopes: ["read", "run"] })).secret)

    for (const { needs, message } of Object.values(messages)) {
      // A client without read access is disconnected before it can send a message. Another owner's session looks like a
      // missing session.
      expect(await connect(server, `/ws/${id}`).closed).toBe(4001)
      expect(await connect(server, `/ws/${id}`, bearing("nonsense")).closed).toBe(4001)
      expect(await connect(server, `/ws/${id}`, bearing(revoked.secret)).closed).toBe(4001)
      expect(await connect(server, `/ws/${id}`, stranger).closed).toBe(4004)
      expect(await connect(server, "/ws/no-such-session", stranger).closed).toBe(4004)

      const client = connect(server, `/ws/${id}`, reader)
      await client.opened
      client.say(message)
      const answer = await client.until(({ type }) => type === "error" || type === "pong")
      if (needs === "run") expect(answer).toMatchObject({ type: "error", data: { code: "forbidden" } })
      else expect(answer.type).toBe("pong")
      client.leave()
    }
    expect(await connect(server, `/ws/${id}`, runner).closed).toBe(4001)
    const { body } = await server.call("GET", `/api/v1/sessions/${id}`, { headers: admin })
    expect(body.status).toBe("busy")
    await server.call("POST", `/api/v1/sessions/${id}/cancel`, { headers: admin })
  })
})
