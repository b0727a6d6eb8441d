import { once } from "node:events"
import { messageParts } from "@switchyard/functions/aws/sockets/message-parts"
import { loadConfig } from "@switchyard/functions/config"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { serveSockets } from "../../emulators/served-sockets.ts"
import { readFrames } from "../agents/frames.ts"
import { startServer, type TestServer } from "../server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const ORIGIN = "origin-secret-origin-secret-origin-secret"
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
const router = { "x-origin-secret": ORIGIN }
const MINUTE_MS = 60_000

let server: TestServer
let served: Awaited<ReturnType<typeof serveSockets>>
let gateway: (typeof served)["gateway"]

beforeAll(async () => {
  const env = { AUTH_MODE: "token", ADMIN_TOKEN }
  server = await startServer({ env })
  const { stores, reported } = server
  const report = (error: unknown) => reported.push(error)
  const masterKey = new Uint8Array(32)
  served = await serveSockets({
    ...{ config: loadConfig(env), core: server.core(), stores, masterKey, originSecret: ORIGIN, report },
  })
  gateway = served.gateway
})
afterAll(async () => {
  await gateway.stop()
  await server.close()
})

afterEach(async () => {
  await served.endPumps()
  expect([...gateway.failed, ...server.reported]).toEqual([])
})

/** Opens a session's socket and records its messages. */
function connect(
  { session_id, ...query }: Record<string, string>,
  sent: Record<string, string> = { ...router, ...headers },
) {
  const parameters = { ...(session_id && { path: `/ws/${session_id}` }), ...query }
  return connectTo(`${gateway.url}?${new URLSearchParams(parameters)}`, sent)
}

function connectTo(url: string, sent: Record<string, string>) {
  const socket = new WebSocket(url, { headers: sent })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
  const told: any[] = []
  const closed = new Promise<number>((resolve) => socket.on("close", resolve))
  let read = 0
  socket.on("message", (text) => told.push(JSON.parse(String(text))))
  return {
    told,
    opened: new Promise<void>((resolve) => socket.on("open", resolve)),
    closed,
    refused: new Promise<string>((resolve) => socket.on("error", ({ message }) => resolve(message))),
    say: (message: object) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
    /** Resolves to the next message that matches. */
    // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
    async until(wanted: (message: any) => boolean) {
      for (;;) {
        while (read < told.length) if (wanted(told[read++])) return told[read - 1]
        if (socket.readyState !== WebSocket.OPEN) throw new Error("It was closed before.")
        await Promise.race([once(socket, "message"), closed])
      }
    },
  }
}

async function ticketFor(resource: string, purpose = "ws"): Promise<string> {
  const verified = await served.access.tokens.verify(ADMIN_TOKEN, {})
  if (!verified) throw new Error("The token isn't known.")
  return served.access.tickets.issue(verified.principal, { purpose, resource }).ticket
}

/** Opens a session with a mock agent that waits for input. */
async function working(): Promise<string> {
  const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
  const json = { coding_agent: "mock", task_description: 'mock: {"hangs":true}' }
  await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json, headers })
  const frames = readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`, headers)
  for await (const { data } of frames) if (data.type === "agent_session_opened") break
  return id
}

const input = (text: string, client_seq?: number) => {
  return { type: "input", data: Buffer.from(text).toString("base64"), client_seq }
}

describe("a session's socket behind API Gateway", () => {
  it("admits by a ticket, once, or a token, and nobody who goes round the Router", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
    const ticket = await ticketFor(id)
    const refusals: [Record<string, string>, Record<string, string>, string][] = [
      [{ session_id: id, ticket }, {}, "403"],
      [{ session_id: id }, router, "401"],
      [{ session_id: "other", ticket }, router, "401"],
      [{ session_id: id, ticket: "x" }, router, "401"],
      [{ session_id: "no-such-session" }, { ...router, ...headers }, "404"],
      [{ session_id: id, since_seq: "x" }, { ...router, ...headers }, "400"],
      [{ path: `/agents/${id}/events` }, { ...router, ...headers }, "404"],
      [{ path: "/ws", sources: id, ticket }, router, "401"],
      [{ path: "/ws", sources: "" }, { ...router, ...headers }, "400"],
      [{ path: "/v1/me" }, { ...router, ...headers }, "404"],
    ]
    for (const [query, sent, status] of refusals) expect(await connect(query, sent).refused).toContain(status)
    expect(gateway.connections()).toEqual([])
    expect(served.pumps()).toEqual([])
    const client = connect({ session_id: id, ticket }, router)
    await client.until(({ type }) => type === "event").catch(() => client.opened)
    expect(await connect({ session_id: id, ticket }, router).refused).toContain("401")
    client.close()
    await client.closed
  })

  it("shows the terminal, takes keys in the order in which they were typed, and stops when its client leaves", async () => {
    const id = await working()
    const client = connect({ session_id: id, ticket: await ticketFor(id) }, router)
    await client.opened
    await client.until(({ type, data }) => type === "terminal" && data.type === "snapshot")
    client.say({ type: "resize", rows: 33, cols: 99 })
    await client.until(({ data }) => data.type === "resized" && data.cols === 99)

    // Lambda doesn't guarantee order, so the invocations start in reverse.
    const keys = [..."hello there", "\r"]
    gateway.orders((waiting) => {
      if (waiting.length === keys.length) for (const begin of waiting.splice(0).reverse()) begin()
    })
    keys.forEach((key, index) => {
      client.say(input(key, index + 1))
    })
    await client.until(({ data }) => data.type === "user_message" && data.content === "hello there")
    gateway.orders((waiting) => {
      for (const begin of waiting.splice(0)) begin()
    })

    // Each word arrives before the next is sent, so no input is held back until more follows.
    for (const [index, word] of ["one", "two", "three"].entries()) {
      client.say(input(`${word}\r`, keys.length + index + 1))
      await client.until(({ data }) => data.type === "user_message" && data.content === word)
    }
    client.say(input("without a number\r"))
    expect(await client.until(({ type }) => type === "error")).toMatchObject({ data: { code: "validation_error" } })

    client.close()
    await client.closed
    client.told.length = 0
    // The pump finds the connection closed at the next event.
    await server.call("POST", `/api/v1/sessions/${id}/cancel`, { headers })
    await Promise.all(served.pumps())
  })

  it("closes before its time is up, and a client that comes back hears what follows, and nothing twice", async () => {
    const id = await working()
    const first = connect({ session_id: id })
    await first.opened
    await first.until(({ type }) => type === "terminal")
    await served.endPumps()
    await first.closed
    const { cursor } = first.told.findLast(({ data }) => data.cursor).data
    const second = connect({ session_id: id, since_seq: cursor })
    await second.opened
    await server.call("POST", `/api/v1/sessions/${id}/cancel`, { headers })
    await second.until(({ type }) => type === "complete")
    const seqs = [first, second].flatMap(({ told }) => told.flatMap((m) => (m.type === "event" ? m.data.seq : [])))
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    second.close()
    await second.closed
  })

  it("ends with its caller's token, and after two hours", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
    const { owner } = (await server.call("GET", "/v1/me", { headers })).body
    const json = { name: "x", scopes: ["read", "run"], owner }
    const made = (await server.call("POST", "/v1/tokens", { json, headers })).body
    const client = connect({ session_id: id }, { ...router, authorization: `Bearer ${made.secret}` })
    await client.opened
    await server.call("DELETE", `/v1/tokens/${made.id}`, { headers })
    expect(await client.until(({ type }) => type === "error")).toMatchObject({ data: { code: "unauthorized" } })
    await client.closed

    const long = connect({ session_id: id })
    await long.opened
    for (let minutes = 0; minutes < 120; minutes += 9) {
      long.say({ type: "ping" })
      await long.until(({ type }) => type === "pong")
      gateway.pass(9 * MINUTE_MS)
    }
    expect(await long.closed).toBe(1001)
  })
})

describe("the socket of several sources", () => {
  const behind = (query: Record<string, string>) => connect({ path: "/ws", ...query }, router)
  const local = (query: Record<string, string>) =>
    connectTo(`${server.url.replace("http", "ws")}/ws?${new URLSearchParams(query)}`, {})
  const ticketOfServer = async () =>
    (await server.call("POST", "/v1/tickets", { json: { purpose: "stream", resource: "all" }, headers })).body.ticket

  it.each([
    ["behind API Gateway", behind, () => ticketFor("all", "stream")],
    ["on one machine", local, ticketOfServer],
  ])(
    "%s sends their frames as they come, and types each input once, whichever way it comes again",
    async (_, open, ticketOf) => {
      const [id, other] = [await working(), await working()]
      const { terminals } = (await server.call("GET", `/api/v1/sessions/${id}/terminals`, { headers })).body
      const [{ pty }] = terminals
      const ticket = await ticketOf()
      const client = open({ sources: `${other}:0,${id}/${pty}::tab,no-such-session:0`, ticket })
      await client.opened
      expect(await client.until(() => true)).toEqual({ type: "ready" })
      // Only messages of the same source are in order.
      const begun = new Set<string>()
      await client.until(
        ({ event, data }) => begun.add(`${data.source} ${event}`) && begun.has("1 snapshot") && begun.size >= 3,
      )
      expect([...begun].sort()).toEqual(["0 event", "1 snapshot", "2 error"])

      const at = { session: id, pty, client: "tab" }
      const typed = (text: string, client_seq: number) => ({
        ...at,
        client_seq,
        data: Buffer.from(text).toString("base64"),
      })
      // Each key appears on the screen before the next is typed, so no key is held back until more follow.
      for (const [index, key] of [..."spaced"].entries()) {
        client.say({ type: "input", request: index, ...typed(key, index + 1) })
        const shown = (one: { event?: string; data: { data: { data: string } } }) =>
          one.event === "bytes" && Buffer.from(one.data.data.data, "base64").toString().includes(key)
        await client.until(shown)
      }
      client.say({ type: "input", request: 6, ...typed("spaced", 6) })
      await client.until(({ type, request }) => type === "accepted" && request === 6)
      const again = { json: typed("d", 6), headers }
      await server.call("POST", `/api/v1/sessions/${id}/terminals/${pty}/input`, again)
      client.say({ type: "input", request: 7, ...typed("\r", 7) })
      client.say({ type: "resize", request: 8, ...at, rows: 31, cols: 97 })
      await client.until(({ event, data }) => event === "resized" && data.data.cols === 97)
      const accepted = client.told.flatMap(({ type, request }) => (type === "accepted" ? request : []))
      expect(accepted.slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      // The agent reads the line asynchronously.
      const messages = `/api/v1/sessions/${id}/events?event_types=user_message`
      const lastMessage = async () => (await server.call("GET", messages, { headers })).body.events.at(-1).content
      await expect.poll(lastMessage).toBe("spaced")

      client.say({ type: "input", request: 9, ...typed("x", 8), session: "no-such-session" })
      const refused = await client.until(({ type }) => type === "refused")
      expect(refused).toMatchObject({ request: 9, error: { code: "session_not_found" } })
      client.say({ type: "dance", request: 10 })
      expect(await client.until(({ type }) => type === "refused")).toMatchObject({ request: 10 })
      client.close()
      await client.closed
      for (const each of [id, other]) await server.call("POST", `/api/v1/sessions/${each}/cancel`, { headers })
    },
  )

  it.each([
    ["behind API Gateway", behind, () => ticketFor("all", "stream")],
    ["on one machine", local, ticketOfServer],
  ])("%s sends what is there already in batches to a client that asks for them", async (_, open, ticketOf) => {
    const { id } = (await server.call("POST", "/api/v1/sessions", { headers })).body
    const json = { user_prompt: "A page about tea.", workspace_id: id }
    await server.ended((await server.call("POST", "/v1/runs", { json, headers })).body.run_id, { headers })
    const { latest_seq } = (await server.call("GET", `/api/v1/sessions/${id}/events?tail=1`, { headers })).body
    const seqs = async (query: Record<string, string>) => {
      const client = open({ sources: `${id}:0`, ticket: await ticketOf(), ...query })
      await client.opened
      const seqsOf = (message: { type: string; messages?: []; data?: { data: { seq: number } } }): number[] =>
        message.messages?.flatMap(seqsOf) ?? (message.type === "frame" ? [message.data?.data.seq ?? 0] : [])
      await client.until((message) => seqsOf(message).includes(latest_seq))
      client.close()
      await client.closed
      return { told: client.told, seqs: client.told.flatMap(seqsOf) }
    }
    const [plain, batched] = [await seqs({}), await seqs({ batch: "true" })]
    expect(plain.told.filter(({ type }) => type === "batch")).toEqual([])
    expect(batched.seqs).toEqual(plain.seqs)
    expect(batched.seqs).toHaveLength(latest_seq)
    expect(batched.told.length).toBeLessThan(plain.told.length / 3)
  })

  it("takes no input of a token that may only read, nor a ticket for a session", async () => {
    const id = await working()
    const { owner } = (await server.call("GET", "/v1/me", { headers })).body
    const json = { name: "x", scopes: ["read"], owner }
    const { secret } = (await server.call("POST", "/v1/tokens", { json, headers })).body
    const sources = { path: "/ws", sources: `${id}:0` }
    const reader = connect(sources, { ...router, authorization: `Bearer ${secret}` })
    await reader.opened
    await reader.until(({ type }) => type === "ready")
    const input = { session: id, pty: "pty", client: "tab", client_seq: 1, data: "eA==" }
    reader.say({ type: "input", request: 1, ...input })
    const { error } = await reader.until(({ type }) => type === "refused")
    expect(error.code).toBe("forbidden")
    reader.close()
    await reader.closed
    expect(await connect({ ...sources, ticket: await ticketFor(id) }, router).refused).toContain("401")
    expect(await connectTo(`${server.url.replace("http", "ws")}/ws?sources=${id}&ticket=x`, {}).closed).toBe(4001)
    await server.call("POST", `/api/v1/sessions/${id}/cancel`, { headers })
  })
})

describe("a team's socket behind API Gateway", () => {
  it("sends its events from any place on, and says where there is none", async () => {
    const team = (await server.call("POST", "/agents", { json: { goal: "A page about tea" }, headers })).body
    const path = `/agents/${team.id}/events`
    const client = connect({ path, ticket: await ticketFor(team.id) }, router)
    await client.opened
    expect(await client.until(() => true)).toMatchObject({ type: "agent.started", agent_id: team.id })
    client.close()
    await client.closed
    const ahead = connect({ path, since: "100000" })
    await ahead.opened
    expect(await ahead.until(() => true)).toMatchObject({ type: "error", data: { code: "resync" } })
    expect(await ahead.closed).toBe(1001)
    await server.call("POST", `/v1/runs/${team.run_id}/cancel`, { headers })
    await server.ended(team.run_id, { headers })
  })
})

describe("a message that is longer than API Gateway takes", () => {
  it("is sent in parts, whose texts are its JSON", () => {
    for (const text of ['\u001b[1m"\\', "漢字", "😀x", "plain"]) {
      const message = { type: "terminal", session_id: "s", data: { screen: text.repeat(60_000) } }
      const parts = messageParts(JSON.stringify(message), "s")
      expect(parts.length).toBeGreaterThan(1)
      for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(128 * 1024)
      const read = parts.map((part) => JSON.parse(part).data)
      expect(read.map(({ index, count }) => [index, count])).toEqual(read.map((_, index) => [index, read.length]))
      expect(JSON.parse(read.map((part) => part.text).join(""))).toEqual(message)
    }
    const ping = { type: "ping", session_id: "s", data: {} }
    expect(messageParts(JSON.stringify(ping), "s")).toHaveLength(1)
  })
})
