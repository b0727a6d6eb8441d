import { connect } from "node:net"
import type { Attempt, Surroundings } from "./place.ts"

const ANSWER_WITHIN_MS = 5000

/** Sends these bytes. Resolves to the answer once the other side closes the connection, or after `ANSWER_WITHIN_MS`. */
export function raw(port: string, text: string, host = "127.0.0.1"): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), host)
    let said = ""
    const limit = setTimeout(() => socket.destroy(), ANSWER_WITHIN_MS)
    socket.on("error", reject)
    socket.on("close", () => {
      clearTimeout(limit)
      resolve(said)
    })
    socket.on("data", (chunk) => {
      said += chunk
      if (said.includes("\r\n\r\n")) socket.end()
    })
    socket.write(text, "latin1")
  })
}

const INNER = "POST /v1/attacker HTTP/1.1\r\nhost: api\r\nauthorization: Bearer mine\r\ncontent-length: 350\r\n\r\n"
const CHUNKED = `transfer-encoding: chunked\r\n\r\n${INNER.length.toString(16)}\r\n${INNER}\r\n0\r\n\r\n`

/** Attempts a raw request to the gateway. The result is the first line of its answer. */
export function toGateway(name: string, request: (at: Surroundings) => string): Attempt {
  return {
    name: `the gateway: ${name}`,
    async run(at) {
      const said = await raw(new URL(at.gateway.url).port, request(at))
      return said.split("\r\n")[0]
    },
    isNothing: (got) => !/^HTTP\/1\.1 2/.test(got),
  }
}

export const authorized = (at: Surroundings) => `host: x\r\nauthorization: Bearer ${at.gateway.token}\r\n`

/** Attempts a request to the API without a valid login. */
function toApi(name: string, path: string, about: (at: Surroundings) => RequestInit = () => ({})): Attempt {
  return {
    name: `the API: ${name}`,
    async run(at) {
      const init = { redirect: "manual", ...about(at) } as const
      const { status } = await fetch(`${at.api}${path.replace("SESSION", at.apiSession)}`, init)
      return status
    },
    isNothing: (got) => ["400", "401", "403", "413"].includes(got),
  }
}

const post = (json: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(json),
})

export const networkAttempts: Attempt[] = [
  toGateway("without a token", () => "POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"),
  toGateway(
    "with a wrong token",
    () => "POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\ncontent-length: 2\r\n\r\n{}",
  ),
  toGateway("a trace, which would show the key", (at) => `TRACE /v1/responses HTTP/1.1\r\n${authorized(at)}\r\n`),
  toGateway("a tunnel to elsewhere", (at) => `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${authorized(at)}\r\n`),
  toGateway(
    "another protocol",
    (at) => `GET /v1 HTTP/1.1\r\n${authorized(at)}connection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  ),
  toGateway("a method that no API has", (at) => `PURGE /v1/responses HTTP/1.1\r\n${authorized(at)}\r\n`),
  toGateway(
    "two lengths",
    (at) => `POST /v1/responses HTTP/1.1\r\n${authorized(at)}content-length: 0\r\ncontent-length: 5\r\n\r\nhello`,
  ),
  toGateway(
    "a length and chunks",
    (at) => `POST /v1/responses HTTP/1.1\r\n${authorized(at)}content-length: 4\r\n${CHUNKED}`,
  ),
  toGateway(
    "chunks of an unknown kind",
    (at) => `POST /v1/responses HTTP/1.1\r\n${authorized(at)}transfer-encoding: xchunked\r\n\r\n`,
  ),
  toGateway(
    "a request in the body of another that has none",
    (at) => `GET /v1/models HTTP/1.1\r\n${authorized(at)}${CHUNKED}`,
  ),
  toGateway(
    "a header in a header",
    (at) => `GET /v1/models HTTP/1.1\r\n${authorized(at)}x-a: b\nauthorization: Bearer y\r\n\r\n`,
  ),
  toGateway(
    "a head that never ends",
    (at) => `GET /v1/models HTTP/1.1\r\n${authorized(at)}x-a: ${"a".repeat(70_000)}\r\n\r\n`,
  ),
  toGateway("the other token in the address", () => "GET /v1/models?key=wrong HTTP/1.1\r\nhost: x\r\n\r\n"),
  {
    name: "the gateway: another server, by an absolute address",
    // The gateway ignores the address's host. The test checks the requests that the upstream received.
    run: async (at) =>
      raw(new URL(at.gateway.url).port, `GET http://127.0.0.1:1/elsewhere HTTP/1.1\r\n${authorized(at)}\r\n`),
    isNothing: (got) => !got.includes("sk-REAL"),
  },
  {
    name: "the gateway: the key, in what the model's API says",
    async run(at) {
      const headers = { authorization: `Bearer ${at.gateway.token}`, "content-type": "application/json" }
      const answer = await fetch(`${at.gateway.url}/echo`, { method: "POST", headers, body: "{}" })
      return `${[...answer.headers].join()} ${await answer.text()}`
    },
    isNothing: (got) => !got.includes("sk-REAL"),
  },
  toApi("the list of sessions", "/api/v1/sessions"),
  toApi("a session", "/api/v1/sessions/SESSION"),
  toApi("a session's events", "/api/v1/sessions/SESSION/events"),
  toApi("a session's stream", "/api/v1/sessions/SESSION/stream"),
  toApi("a session's files", "/workspace/files?workspace_id=SESSION"),
  toApi("the accounts", "/api/v1/accounts"),
  toApi("the tokens", "/v1/tokens"),
  toApi("who I am", "/v1/me"),
  toApi("a run", "/v1/runs", () => post({ user_prompt: "hello" })),
  toApi("an agent of its own, with its own consent", "/api/v1/sessions/SESSION/tasks", () =>
    post({ task: "x", agent: "codex", consent: true }),
  ),
  toApi("a token", "/v1/tokens", () => post({ name: "mine", owner: "local", scopes: ["admin"] })),
  toApi("a ticket", "/v1/tickets", () => post({ session_id: "x", purpose: "ws" })),
  toApi("the gateway's token as a login", "/api/v1/sessions", (at) => ({
    headers: { authorization: `Bearer ${at.gateway.token}` },
  })),
  toApi("the gateway's token at the login", "/login", (at) => post({ token: at.gateway.token })),
  toApi("an empty token", "/api/v1/sessions", () => ({ headers: { authorization: "Bearer " } })),
  toApi("a cookie that it made up", "/api/v1/sessions", () => ({
    headers: { cookie: "switchyard_session=1; session=1" },
  })),
  toApi("another address as its own", "/api/v1/sessions", () => ({ headers: { "x-forwarded-for": "127.0.0.1" } })),
  toApi("a file without a signature", "/blobs/s%2Fx%2F1%2Fartifacts%2Fa?expires=9999999999999&signature=x"),
  {
    name: "the API: a socket",
    run: (at) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${at.api.replace("http", "ws")}/ws/${at.apiSession}`)
        const said: string[] = []
        socket.onmessage = ({ data }) => said.push(String(data))
        socket.onclose = () => resolve(said.join())
        socket.onopen = () => socket.send(JSON.stringify({ type: "run", prompt: "mine" }))
      }),
    isNothing: (got) => !/session_opened|run_created/.test(got),
  },
  toApi("a body of 3 MB without a login", "/api/v1/sessions", () => post({ name: "x".repeat(3_000_000) })),
  toApi("the end of a session", "/api/v1/sessions/SESSION", () => ({ method: "DELETE" })),
]
