import { AppError } from "@switchyard/core/errors"
import { systemClock } from "@switchyard/core/time"
import { afterEach, describe, expect, it } from "vitest"
import { type Answer, startServer, type TestServer, type TestServerOptions } from "../../server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

let server: TestServer
let aheadMs = 0
afterEach(() => server.close())

async function open({ env, ...options }: TestServerOptions = {}): Promise<void> {
  aheadMs = 0
  server = await startServer({
    env: { AUTH_MODE: "token", ADMIN_TOKEN, ...env },
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    ...options,
  })
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const logIn = (token: string) => server.call("POST", "/login", { json: { token } })
const me = (headers: Record<string, string> = {}) => server.call("GET", "/v1/me", { headers })

async function makeToken(owner: string, request: object = {}): Promise<{ id: string; secret: string }> {
  const json = { name: "laptop", owner, scopes: ["read", "run"], ...request }
  return (await server.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })).body
}

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } })

describe("a server without login", () => {
  it("takes everybody for the person at this machine", async () => {
    await open({ env: { AUTH_MODE: "open" } })
    expect((await me(bearer("whatever"))).body).toEqual({
      owner: "local",
      scopes: ["read", "run", "admin"],
      auth_mode: "open",
      token_id: null,
      csrf_token: null,
    })
    expect(await logIn("whatever")).toMatchObject(refusal(422, "invalid_request"))
  })

  it("may make the tokens that are needed once it asks for them", async () => {
    await open({ env: { AUTH_MODE: "open" } })
    const json = { name: "for later", scopes: ["read"] }
    const made = await server.call("POST", "/v1/tokens", { json })
    expect(made).toMatchObject({ status: 201, body: { owner: "local", secret: expect.stringMatching(/^sy_/) } })
  })

  it("counts nothing, unless it is told to", async () => {
    await open({ env: { AUTH_MODE: "open" } })
    await server.call("POST", "/workspace/session/default/touch")
    const asked = () => server.call("GET", "/workspace/download?link=1")
    const answers = await Promise.all(Array.from({ length: 40 }, asked))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe("a server that asks for tokens", () => {
  it("says who one is there", async () => {
    await open()
    const { id, secret } = await makeToken("ada")
    const asAda = { owner: "ada", scopes: ["read", "run"], auth_mode: "token", token_id: id, csrf_token: null }
    expect((await me(bearer(secret))).body).toEqual(asAda)
    expect((await me({ authorization: `bearer  ${secret} ` })).body).toEqual(asAda)
    expect((await me(bearer(ADMIN_TOKEN))).body).toMatchObject({ owner: "admin", token_id: "admin" })
  })

  it("tells whoever isn't let in how to be", async () => {
    await open()
    const { status, headers, body } = await me()
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    expect(body.error.details).toBeNull()
  })

  it("answers to whatever name leads to it", async () => {
    await open()
    const ask = (path: string) =>
      server.raw(`GET ${path} HTTP/1.1\r\nHost: studio.example\r\nConnection: close\r\n\r\n`)
    expect(await ask("/health")).toMatch(/^HTTP\/1.1 200 /)
    expect(await ask("/v1/me")).toMatch(/^HTTP\/1.1 401 /)
    for (const host of ["127.999.999.999", "studio.example:99999", "studio example"]) {
      const answer = await server.raw(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect(answer, host).toMatch(/^HTTP\/1.1 422 .*"code":"validation_error"/s)
    }
    expect(server.reported).toEqual([])
  })

  it("links to the address by which it is reached", async () => {
    await open({ env: { PUBLIC_URL: "https://studio.example" } })
    const headers = bearer(ADMIN_TOKEN)
    await server.call("POST", "/workspace/session/default/touch", { headers })
    const { body } = await server.call("GET", "/workspace/download?link=1", { headers })
    expect(body.url).toMatch(/^https:\/\/studio\.example\/blobs\//)
    expect((await server.call("GET", body.url.slice("https://studio.example".length))).status).toBe(200)
  })

  it("lets a browser ask whether it may ask, and nobody in by asking so", async () => {
    await open({ env: { CORS_ALLOWED_ORIGINS: "https://studio.example" } })
    const headers = { origin: "https://studio.example", "access-control-request-method": "DELETE" }
    const { status, headers: told, text } = await server.call("OPTIONS", "/workspace/session", { headers })
    expect([status, told.get("access-control-allow-origin"), text]).toEqual([204, "https://studio.example", ""])
  })

  it("says what isn't there to everybody", async () => {
    await open()
    expect(await server.call("GET", "/nothing")).toMatchObject(refusal(404, "not_found"))
    expect(await server.call("PUT", "/v1/runs")).toMatchObject(refusal(405, "method_not_allowed"))
  })

  it("reads nothing that nobody sends", async () => {
    await open()
    const json = { user_prompt: "x".repeat(5_000_000) }
    expect(await server.call("POST", "/v1/runs", { json })).toMatchObject(refusal(401, "unauthorized"))
  })

  it("asks for no model key beside the token of a workspace, and for the token beside a key", async () => {
    await open({ env: { REQUIRE_WORKSPACE_AUTH: "yes" } })
    const ask = (headers: Record<string, string>) => server.call("GET", "/workspace/tree", { headers })
    const { secret } = await makeToken("ada")
    const cookie = (await logIn(secret)).headers.get("set-cookie")?.split(";")[0] ?? ""
    expect(await ask({})).toMatchObject(refusal(401, "unauthorized"))
    expect(await ask({ "x-api-key": "any" })).toMatchObject(refusal(401, "unauthorized"))
    expect(await ask({ ...bearer("no such token"), "x-api-key": "any" })).toMatchObject(refusal(401, "unauthorized"))
    expect(await ask(bearer(secret))).toMatchObject({ status: 200 })
    expect(await ask({ cookie })).toMatchObject({ status: 200 })
    expect((await server.call("GET", "/health")).body).toMatchObject({ workspace_auth_required: true })
  })

  it("calls nobody a stranger because it can't look", async () => {
    await open()
    const { secret } = await makeToken("ada")
    const { headers } = await logIn(secret)
    server.stores.records.get = async () => {
      throw new AppError("storage_unavailable", "Not now.")
    }
    expect(await me(bearer(secret))).toMatchObject(refusal(503, "storage_unavailable"))
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? ""
    expect(await me({ cookie })).toMatchObject(refusal(503, "storage_unavailable"))
  })
})

describe("a browser that logs in", () => {
  const cookieOf = ({ headers }: Answer) => headers.get("set-cookie") ?? ""
  const named = (cookie: string) => cookie.split(";")[0] ?? ""

  it("gets a cookie that scripts and other sites can't use, and hears who it is", async () => {
    await open()
    const { id, secret } = await makeToken("ada")
    const answer = await logIn(secret)
    expect(answer.body).toMatchObject({ owner: "ada", token_id: id, csrf_token: expect.stringMatching(/^.{43}$/) })
    expect(cookieOf(answer)).toMatch(/^switchyard=[0-9a-f]{40}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/)
    expect((await me({ cookie: named(cookieOf(answer)) })).body).toEqual(answer.body)
    expect(cookieOf(answer)).not.toContain(answer.body.csrf_token)
  })

  it("gets it for TLS only, unless it is on this very machine", async () => {
    await open()
    const { secret } = await makeToken("ada")
    const post = async (host: string) => {
      const body = JSON.stringify({ token: secret })
      const head = `POST /login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
      return /^set-cookie: (.*)\r$/im.exec(await server.raw(`${head}\r\nConnection: close\r\n\r\n${body}`))?.[1] ?? ""
    }
    const secure = await post("studio.example")
    expect(secure).toMatch(/^__Host-switchyard=[0-9a-f]{40}; .*Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    expect(await post("localhost:3000")).not.toContain("Secure")

    const status = async (host: string, cookie: string) => {
      const answer = await server.raw(
        `GET /v1/me HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
      )
      return Number(answer.split(" ")[1])
    }
    expect(await status("studio.example", named(secure))).toBe(200)
    // A page on a sibling subdomain can set any cookie except one with this prefix.
    expect(await status("studio.example", named(secure).replace("__Host-", ""))).toBe(401)
  })

  it("shows other pages nothing that they load by its cookie, be they of this machine's other ports", async () => {
    await open()
    const { secret } = await makeToken("ada")
    const cookie = named(cookieOf(await logIn(secret)))
    const answerTo = (headers: Record<string, string>) => server.call("GET", "/workspace/tree", { headers })
    for (const site of ["same-site", "cross-site"]) {
      expect(await answerTo({ cookie, "sec-fetch-site": site })).toMatchObject(refusal(403, "forbidden"))
      expect((await answerTo({ ...bearer(secret), "sec-fetch-site": site })).status).toBe(200)
    }
    for (const site of ["same-origin", "none"]) {
      expect((await answerTo({ cookie, "sec-fetch-site": site })).status).toBe(200)
    }
  })

  it.each(["", "garbled", "sy_x", `${ADMIN_TOKEN}x`])("is told the same whatever is wrong: %j", async (token) => {
    await open()
    const answer = await logIn(token)
    expect(answer).toMatchObject(refusal(401, "unauthorized"))
    expect(cookieOf(answer)).toBe("")
    expect(answer.text).toBe((await me()).text)
  })

  it("sends its token as JSON, which no other page can make it do unasked", async () => {
    await open()
    const body = JSON.stringify({ token: ADMIN_TOKEN })
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const answer = await server.call("POST", "/login", { body, headers: { "content-type": type } })
      expect([415, 422]).toContain(answer.status)
      expect(cookieOf(answer)).toBe("")
    }
  })

  it("is in until it logs out, with the token of its pages", async () => {
    await open()
    const answer = await logIn(ADMIN_TOKEN)
    const cookie = named(cookieOf(answer))
    expect(await server.call("POST", "/logout", { headers: { cookie } })).toMatchObject(refusal(403, "forbidden"))
    expect((await me({ cookie })).status).toBe(200)
    const headers = { cookie, "x-csrf-token": answer.body.csrf_token }
    const out = await server.call("POST", "/logout", { headers })
    expect(cookieOf(out)).toMatch(/^switchyard=; Max-Age=0; /)
    expect(await me({ cookie })).toMatchObject(refusal(401, "unauthorized"))
  })

  it("is out when its token is revoked", async () => {
    await open()
    const { id, secret } = await makeToken("ada")
    const cookie = named(cookieOf(await logIn(secret)))
    await server.call("DELETE", `/v1/tokens/${id}`, { headers: bearer(secret) })
    expect(await me({ cookie })).toMatchObject(refusal(401, "unauthorized"))
  })

  it("is shown nothing of what the browser has kept, not even that it is unchanged, once it is out", async () => {
    await open()
    const { secret } = await makeToken("ada")
    const other = await makeToken("bob")
    const { headers, body } = await logIn(secret)
    const cookie = named(headers.get("set-cookie") ?? "")
    const json = { path: "a.txt", content: "only for ada", workspace_id: "mine" }
    const { sha256 } = (await server.call("PUT", "/workspace/file", { json, headers: bearer(secret) })).body
    const path = `/api/v1/sessions/mine/artifacts/${sha256}`
    const shown = await server.call("GET", path, { headers: { cookie } })
    expect([shown.status, shown.text]).toEqual([200, "only for ada"])
    const etag = shown.headers.get("etag") ?? ""
    const again = (as: Record<string, string>) =>
      server.call("GET", path, {
        headers: { ...as, "if-none-match": etag, "if-modified-since": new Date().toUTCString() },
      })
    expect((await again({ cookie })).status).toBe(304)

    await server.call("POST", "/logout", { headers: { cookie, "x-csrf-token": body.csrf_token } })
    const answers = [await again({ cookie }), await again({}), await again(bearer(other.secret))]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 404])
    for (const answer of answers) {
      expect(answer.headers.get("etag")).toBeNull()
      expect(`${answer.text}${JSON.stringify([...answer.headers])}`).not.toMatch(new RegExp(`only for ada|${sha256}`))
    }
  })

  it("has its own twenty guesses behind a proxy, if the server knows the proxy's header", async () => {
    const guess = (address: string) =>
      server.call("POST", "/login", {
        json: { token: "wrong" },
        headers: { "x-forwarded-for": `192.0.2.1, ${address}` },
      })
    const guesses = async () => {
      for (let time = 0; time < 20; time++) expect((await guess("203.0.113.7")).status).toBe(401)
      expect((await guess("203.0.113.7")).status).toBe(429)
      return (await guess("203.0.113.8")).status
    }
    // Time stands still, so that no guesses are regained.
    const clock = { ...systemClock, now: () => 1_800_000_000_000 }
    await open({ clock, env: { CLIENT_ADDRESS_HEADER: "X-Forwarded-For" } })
    expect(await guesses()).toBe(401)
    await server.close()
    await open({ clock })
    expect(await guesses()).toBe(429)
  })

  it("may guess twenty times a minute, and then not even rightly", async () => {
    await open()
    for (let i = 0; i < 20; i++) expect((await logIn(`guess-${i}`)).status).toBe(401)
    const refused = await logIn(ADMIN_TOKEN)
    expect(refused).toMatchObject(refusal(429, "rate_limited"))
    expect([1, 2, 3]).toContain(Number(refused.headers.get("retry-after")))
    // A token in a header isn't a guess.
    expect((await me(bearer(ADMIN_TOKEN))).status).toBe(200)
    aheadMs += 3_000
    expect((await logIn(ADMIN_TOKEN)).status).toBe(200)
  })
})

describe("what costs money", () => {
  const start = (secret: string, path = "/v1/runs") =>
    server.call("POST", path, { json: { user_prompt: "A page" }, headers: bearer(secret) })

  it("is done so often in a minute by an owner, by whatever name and with whatever token", async () => {
    await open({ env: { RATE_LIMIT_RUNS_PER_MINUTE: "5" } })
    const [laptop, ci, other] = [await makeToken("ada"), await makeToken("ada"), await makeToken("bob")]
    for (const [path, secret] of [
      ["/v1/runs", laptop.secret],
      ["/generate", ci.secret],
      ["/stream", laptop.secret],
      ["/v1/workflows/run", ci.secret],
      ["/v1/workflows/stream", laptop.secret],
    ] as const) {
      expect((await start(secret, path)).status, path).toBeLessThan(300)
    }
    for (const path of ["/v1/runs", "/generate", "/stream", "/v1/workflows/run", "/v1/workflows/stream"]) {
      const refused = await start(ci.secret, path)
      expect(refused, path).toMatchObject(refusal(429, "rate_limited"))
      const wait = Number(refused.headers.get("retry-after"))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(12)
      expect(refused.body.error.details).toEqual({ retry_after_seconds: wait })
    }
    expect((await server.call("GET", "/v1/runs", { headers: bearer(ci.secret) })).body.runs).toHaveLength(5)
    expect((await start(other.secret)).status).toBe(201)
    aheadMs += 12_000
    expect((await start(ci.secret)).status).toBe(201)
    expect((await start(ci.secret)).status).toBe(429)
  })

  it("is counted for archives by themselves", async () => {
    await open({ env: { RATE_LIMIT_ARCHIVES_PER_MINUTE: "1" } })
    const { secret } = await makeToken("ada")
    const download = () => server.call("GET", "/workspace/download", { headers: bearer(secret) })
    expect((await download()).status).toBe(200)
    expect(await download()).toMatchObject(refusal(429, "rate_limited"))
    expect((await start(secret)).status).toBe(201)
  })

  it("is not done by whoever may not do it, and costs the owner no turn", async () => {
    await open({ env: { RATE_LIMIT_RUNS_PER_MINUTE: "1" } })
    const [reader, runner] = [await makeToken("ada", { scopes: ["read"] }), await makeToken("ada")]
    expect((await start(reader.secret)).status).toBe(403)
    expect((await start(reader.secret)).status).toBe(403)
    expect((await start(runner.secret)).status).toBe(201)
  })
})

describe("tokens", () => {
  it("are made by an admin, told once, and gone when revoked", async () => {
    await open()
    const { secret, ...token } = await makeToken("ada", { name: " CI ", expires_in_days: 90 })
    expect(token).toMatchObject({ name: "CI", owner: "ada", scopes: ["read", "run"], last_used_at: null })
    expect(Date.parse((token as { expires_at?: string }).expires_at ?? "")).toBeGreaterThan(
      Date.now() + 89 * 86_400_000,
    )
    const listed = await server.call("GET", "/v1/tokens", { headers: bearer(ADMIN_TOKEN) })
    expect(listed.body).toEqual({ tokens: [token] })

    const revoke = () => server.call("DELETE", `/v1/tokens/${token.id}`, { headers: bearer(ADMIN_TOKEN) })
    expect((await revoke()).body).toEqual({ id: token.id, revoked: true })
    expect(await revoke()).toMatchObject(refusal(404, "not_found"))
    expect(await me(bearer(secret))).toMatchObject(refusal(401, "unauthorized"))
  })

  it("tell their owner who made them, and who may do less can't end one that may do more", async () => {
    await open()
    const mine = await makeToken("ada", { scopes: ["read", "run"] })
    const admins = await makeToken("ada", { scopes: ["admin"] })
    const { tokens } = (await server.call("GET", "/v1/tokens", { headers: bearer(mine.secret) })).body
    expect(tokens.map((token: { created_by: string }) => token.created_by)).toEqual(["admin", "admin"])
    const revoke = await server.call("DELETE", `/v1/tokens/${admins.id}`, { headers: bearer(mine.secret) })
    expect(revoke).toMatchObject(refusal(403, "forbidden"))
    expect((await me(bearer(admins.secret))).status).toBe(200)
  })

  it("are nowhere in what is kept", async () => {
    await open()
    const { secret } = await makeToken("ada")
    const answer = await logIn(secret)
    const cookie = /=([0-9a-f]{40});/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? ""
    await server.run({ user_prompt: "A page" }, { headers: bearer(secret) })
    for (const [file, bytes] of await server.kept()) {
      for (const text of [secret, secret.split("_")[2] ?? "", cookie, answer.body.csrf_token, ADMIN_TOKEN]) {
        expect(text.length).toBeGreaterThan(30)
        expect(bytes.includes(text), `${file} has ${text}`).toBe(false)
      }
    }
  })

  it.each([
    { name: "x" },
    { name: "x", scopes: [] },
    { name: "x", scopes: ["root"] },
    { scopes: ["read"] },
    { name: "x", scopes: ["read"], owner: "../ada" },
    { name: "x", scopes: ["read"], expires_in_days: 0 },
  ])("are not made of %j", async (json) => {
    await open()
    const answer = await server.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })
    expect(answer).toMatchObject(refusal(422, "validation_error"))
  })
})
