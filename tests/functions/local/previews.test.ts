import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

const PAGE = `<!-- a page -->\n<!doctype html>\n<html lang="en">\n<title>List</title>\n<script>nothing()</script>\n`

let server: TestServer
let port: string
beforeAll(async () => {
  server = await startServer()
  port = new URL(server.url).port
})
afterAll(() => server.close())

/** Sends a request with any Host header, which browsers can't do. */
async function get(host: string, path = "/", { method = "GET", headers = {}, of = server }: Asked = {}) {
  const { port } = new URL(of.url)
  const sent = request({ host: "127.0.0.1", port, path, method, headers: { ...headers, host }, agent: false }).end()
  const [answer] = await once(sent, "response")
  const names = Object.entries(answer.headers as Record<string, string>)
  return { status: answer.statusCode as number, headers: new Headers(names), body: await text(answer) }
}

interface Asked {
  method?: string
  headers?: Record<string, string>
  of?: TestServer
}

/** Resolves to the first response to a WebSocket handshake for a session. */
async function socketStatus(id: string, host: string, origin: string, of = server): Promise<string | undefined> {
  const socket = connect(Number(new URL(of.url).port), "127.0.0.1")
  const headers = [`Host: ${host}`, `Origin: ${origin}`, "Connection: Upgrade", "Upgrade: websocket"]
  const key = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
  socket.write([`GET /ws/${id} HTTP/1.1`, ...headers, ...key, "", ""].join("\r\n"))
  const [answer] = await once(socket, "data")
  socket.destroy()
  return String(answer).split(" ")[1]
}

let sessions = 0
async function sessionWith(files: Record<string, string>, of = server, headers = {}): Promise<string> {
  const id = `preview-${++sessions}`
  for (const [path, content] of Object.entries(files)) {
    await of.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id }, headers })
  }
  return id
}

async function previewOf(id: string, query = "", of = server, headers = {}) {
  return (await of.call("GET", `/api/v1/sessions/${id}/preview${query}`, { headers })).body
}

const hostOf = ({ url }: { url: string }) => new URL(url).host

describe("the address of a preview", () => {
  it("is a host of its own on this machine, the same for the newest files whatever they are", async () => {
    const id = await sessionWith({ "index.html": PAGE })
    const first = await previewOf(id)
    expect(first).toMatchObject({ available: true, reason: null, entry: "index.html", version: 1 })
    expect(first.url).toMatch(new RegExp(`^http://[0-9a-v]{63}\\.localhost:${port}/$`))
    await server.call("PUT", "/workspace/file", { json: { path: "index.html", content: "Later", workspace_id: id } })
    expect(await previewOf(id)).toEqual({ ...first, version: 2 })
    expect((await get(hostOf(first))).body).toContain("Later")
  })

  it("shows the files as they were at an event", async () => {
    const id = await sessionWith({ "index.html": "One", "a.txt": "A" })
    await server.call("PUT", "/workspace/file", { json: { path: "index.html", content: "Two", workspace_id: id } })
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events`)).body
    const commits: number[] = events.flatMap(({ type, seq }: { type: string; seq: number }) =>
      type === "workspace_committed" ? [seq] : [],
    )
    const [first = 0, second = 0, third = 0] = commits
    const then = await previewOf(id, `?seq=${second}`)
    expect(then).toMatchObject({ entry: "index.html", version: 2 })
    expect((await get(hostOf(then))).body).toContain("One")
    expect((await get(hostOf(then), "/a.txt")).body).toBe("A")
    expect((await get(hostOf(await previewOf(id, `?seq=${first}`)), "/a.txt")).status).toBe(404)
    expect((await get(hostOf(await previewOf(id, `?seq=${third + 1000}`)))).body).toContain("Two")
    expect(await previewOf(id, `?seq=${first - 1}`)).toMatchObject({ available: false, version: 0, url: null })
  })

  it("begins with the page that lies least deep, and says so where there is none", async () => {
    const deep = await sessionWith({ "docs/a/index.html": "A", "public/index.html": "B", "README.md": "C" })
    expect(await previewOf(deep)).toMatchObject({
      entry: "public/index.html",
      url: expect.stringMatching(/\/public\/$/),
    })
    const none = await sessionWith({ "README.md": "C" })
    const reason = "The files don't include an index.html."
    expect(await previewOf(none)).toEqual({
      available: false,
      server: null,
      reason,
      url: null,
      root: null,
      opaque: false,
      built: false,
      needs_build: false,
      entry: null,
      version: 1,
    })
  })

  it("isn't offered to a browser on another machine, which would look for it on its own", async () => {
    const id = await sessionWith({ "index.html": PAGE })
    const elsewhere = await startServer({ env: { PUBLIC_URL: "https://switchyard.example.org" } })
    try {
      await sessionWith({ "index.html": PAGE }, elsewhere)
      expect(await previewOf(`preview-${sessions}`, "", elsewhere)).toMatchObject({ available: false, url: null })
    } finally {
      await elsewhere.close()
    }
    const asked = await get(`[::1]:${port}`, `/api/v1/sessions/${id}/preview`)
    expect(JSON.parse(asked.body)).toMatchObject({ available: false, reason: expect.stringContaining("localhost") })
  })

  it("is worth nothing for another session, after its session is deleted, or in the next life of it", async () => {
    const id = await sessionWith({ "index.html": PAGE })
    const host = hostOf(await previewOf(id))
    expect((await get(host)).status).toBe(200)
    const other = host.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))
    expect((await get(other)).status).toBe(404)
    await server.call("DELETE", `/api/v1/sessions/${id}`)
    expect((await get(host)).status).toBe(404)
    await server.call("PUT", "/workspace/file", { json: { path: "index.html", content: "Again", workspace_id: id } })
    expect((await get(host)).status).toBe(404)
    expect((await get(hostOf(await previewOf(id)))).status).toBe(200)
  })
})

describe("the host of a preview", () => {
  it("serves each file as what it is, uncached, for the studio's frames alone", async () => {
    const files = {
      "index.html": PAGE,
      "style.css": "a {}",
      "app.mjs": "let a",
      "src/a.ts": "let a: 1",
      "src/index.html": "Inner",
      "data.json": "{}",
      "image.svg": "<svg/>",
      "Noten & Ende?.txt": "a",
      LICENSE: "Free",
    }
    const host = hostOf(await previewOf(await sessionWith(files)))
    const typeOf = async (path: string) => (await get(host, path)).headers.get("content-type")
    expect(await typeOf("/")).toBe("text/html; charset=utf-8")
    expect(await typeOf("/style.css")).toBe("text/css; charset=utf-8")
    expect(await typeOf("/app.mjs")).toBe("text/javascript; charset=utf-8")
    expect(await typeOf("/src/a.ts")).toBe("text/plain; charset=utf-8")
    expect(await typeOf("/data.json")).toBe("application/json")
    expect(await typeOf("/image.svg")).toMatch(/^image\/svg\+xml/)
    expect(await typeOf("/Noten%20%26%20Ende%3F.txt")).toMatch(/^text\/plain/)
    expect((await get(host, "/LICENSE")).body).toBe("Free")
    expect((await get(host, "/src")).headers.get("location")).toBe("/src/")
    expect((await get(host, "/src/")).body).toContain("Inner")
    const { headers } = await get(host, "/style.css?v=1")
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "connection-allowlist": "(response-origin);redirects=allow;webrtc=block",
      "cross-origin-resource-policy": "same-origin",
      "content-length": "4",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    const policy = headers.get("content-security-policy")
    expect(policy).toContain(`frame-ancestors 'self' http://localhost:${port} http://127.0.0.1:${port};`)
    expect(policy).toMatch(/^default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:;/)
    expect(policy).toMatch(/sandbox (?!.*(popups|top-navigation))/)
    const external = await get(hostOf(await previewOf(`preview-${sessions}`, "?external=1")))
    expect(external.headers.get("content-security-policy")).toMatch(/^default-src [^;]* https: wss:;/)
    expect(external.headers.get("connection-allowlist")).toBeNull()
  })

  it("serves a single-page app at all of its routes, to a browser that loads a page", async () => {
    const files = { "index.html": "App", "admin/index.html": "Admin", "admin/help/a.txt": "a" }
    const host = hostOf(await previewOf(await sessionWith(files)))
    const load = (path: string, headers: Record<string, string>) => get(host, path, { headers })
    const navigate = { "sec-fetch-mode": "navigate", accept: "text/html,*/*" }
    for (const [path, page] of [
      ["/about", "App"],
      ["/users/1/", "App"],
      ["/users/1?tab=2", "App"],
      ["/admin/users/1", "Admin"],
      ["/admin/help/", "Admin"],
    ] as const) {
      expect(await load(path, navigate)).toMatchObject({ status: 200, body: expect.stringContaining(page) })
      expect((await load(path, { accept: "text/html" })).status).toBe(200)
      expect((await load(path, { "sec-fetch-mode": "cors", accept: "text/html" })).status).toBe(404)
      expect((await load(path, {})).status).toBe(404)
    }
    for (const path of ["/app.js", "/users/1.json", "/.env"]) expect((await load(path, navigate)).status).toBe(404)
    const plain = hostOf(await previewOf(await sessionWith({ "docs/index.html": "Docs" })))
    expect((await get(plain, "/about", { headers: navigate })).status).toBe(404)
  })

  it("has pages report their errors, without a change to the number of any line", async () => {
    const host = hostOf(await previewOf(await sessionWith({ "index.html": PAGE, "bare.html": "<p>a", "a.htm": "" })))
    const { body } = await get(host)
    const script = /<script src="(\/-\/[^"]*)"><\/script>/.exec(body)
    expect(body.replace(script?.[0] ?? "", "")).toContain(PAGE)
    expect(body).toContain(`<!doctype html><script src=`)
    expect((await get(host, "/bare.html")).body).toMatch(/<script src="[^"]*"><\/script><p>a/)
    expect((await get(host, "/a.htm")).body).toContain(script?.[0])
    const reporter = await get(host, script?.[1])
    expect([reporter.status, reporter.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"])
    expect(reporter.body).toContain(`"studioOrigins":["http://localhost:${port}","http://127.0.0.1:${port}"]`)
  })

  it.each([
    ["GET", "/v1/me"],
    ["GET", "/api/v1/sessions"],
    ["GET", "/health"],
    ["GET", "/config.json"],
    ["GET", "/openapi.json"],
    ["GET", "/assets/main-B1x_3d.js"],
    ["GET", "/blobs/a"],
    ["GET", "/.git/config"],
    ["GET", "/%2e%2e/%2e%2e/etc/passwd"],
    ["GET", "/%"],
    ["GET", "//example.org/"],
    ["POST", "/v1/runs"],
    ["POST", "/login"],
    ["PUT", "/workspace/file"],
    ["DELETE", "/workspace/session"],
    ["OPTIONS", "/v1/me"],
  ])("has nothing of the API or the studio: %s %s", async (method, path) => {
    const host = hostOf(await previewOf(await sessionWith({ "index.html": PAGE })))
    for (const name of [host, host.toUpperCase(), `${"0".repeat(63)}.localhost:${port}`]) {
      const answer = await get(name, path, { method, headers: { origin: `http://${host}` } })
      expect([404, 405]).toContain(answer.status)
      expect([...answer.headers.keys()].filter((header) => /set-cookie|access-control/.test(header))).toEqual([])
    }
  })

  it("serves no worker that would answer in place of later versions", async () => {
    const host = hostOf(await previewOf(await sessionWith({ "index.html": PAGE, "sw.js": "let a" })))
    expect((await get(host, "/sw.js")).status).toBe(200)
    expect((await get(host, "/sw.js", { headers: { "service-worker": "script" } })).status).toBe(403)
  })

  it("opens no socket, and is no page that the server trusts", async () => {
    const id = await sessionWith({ "index.html": PAGE })
    const host = hostOf(await previewOf(id))
    expect(await socketStatus(id, host, `http://${host}`)).toBe("403")
    expect(await socketStatus(id, `127.0.0.1:${port}`, `http://${host}`)).toBe("403")
    expect(await socketStatus(id, `127.0.0.1:${port}`, `http://127.0.0.1:${port}`)).toBe("101")
    const origin = { origin: `http://${host}` }
    expect((await get(`127.0.0.1:${port}`, "/v1/me", { headers: origin })).status).toBe(403)
    expect((await get(`127.0.0.1:${port}`, "/v1/me", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403)
  })

  it.each([
    "a.localhost",
    `${"0".repeat(62)}.localhost`,
    `${"w".repeat(63)}.localhost`,
    `${"0".repeat(63)}.localhost.`,
    `${"0".repeat(63)}.localhost.evil.test`,
    `${"0".repeat(63)}.evil.test`,
    `${"0".repeat(31)}.${"0".repeat(31)}.localhost`,
    "0".repeat(63),
  ])("isn't %s: a server without login answers to no such name", async (name) => {
    expect((await get(`${name}:${port}`)).status).toBe(403)
    expect((await get(`${name}:${port}`, "/v1/me")).status).toBe(403)
  })
})

describe("a preview of a server with login", () => {
  it("takes neither cookie nor token, sets none, and may be framed by the studio's secret name", async () => {
    // A server that listens on all addresses creates a token at its start.
    const guarded = await startServer({ env: { HOST: "0.0.0.0", CORS_ALLOWED_ORIGIN_REGEX: "http://.*" } })
    try {
      const token = (await readFile(`${guarded.folder}/local.token`, "utf8")).trim()
      const bearer = { authorization: `Bearer ${token}` }
      const id = await sessionWith({ "index.html": PAGE }, guarded, bearer)
      const anonymous = await guarded.call("GET", `/api/v1/sessions/${id}/preview`)
      expect(anonymous.status).toBe(401)
      const asked = await fetch(`http://127.0.0.1:${new URL(guarded.url).port}/api/v1/sessions/${id}/preview`, {
        headers: bearer,
      })
      const host = hostOf((await asked.json()) as { url: string })
      const page = await get(host, "/", { of: guarded })
      expect(page.status).toBe(200)
      expect(page.headers.get("content-security-policy")).toMatch(
        /frame-ancestors [^;]* http:\/\/[0-9a-f]{16}\.localhost:/,
      )
      for (const path of ["/v1/me", `/api/v1/sessions/${id}`]) {
        const headers = { ...bearer, cookie: `switchyard=${token}` }
        const answer = await get(host, path, { of: guarded, headers })
        expect([answer.status, answer.headers.get("set-cookie")]).toEqual([404, null])
      }
      expect(await socketStatus(id, host, `http://${host}`, guarded)).toBe("403")
      const asPage = await fetch(`${guarded.url.replace("0.0.0.0", "127.0.0.1")}/v1/me`, {
        headers: { ...bearer, origin: `http://${host}` },
      })
      expect(asPage.headers.get("access-control-allow-origin")).toBeNull()
    } finally {
      await guarded.close()
    }
  })
})

describe("previews of a server where they share a host", () => {
  let shared: TestServer
  let host: string
  beforeAll(async () => {
    shared = await startServer({ env: { PREVIEWS: "opaque" } })
    host = `previews.localhost:${new URL(shared.url).port}`
  })
  afterAll(() => shared.close())

  const at = (root: string, path = "", asked: Asked = {}) =>
    get(host, new URL(root + path).pathname, { ...asked, of: shared })

  it("are at paths that nobody can guess, as strangers to everything else there", async () => {
    const id = await sessionWith(
      { "index.html": PAGE, "site/a.css": "a { background: url(/b.png) }", "a.json": "{}" },
      shared,
    )
    const shown = await previewOf(id, "", shared)
    expect(shown).toMatchObject({ available: true, opaque: true, url: shown.root, server: null })
    expect(shown.root).toMatch(new RegExp(`^http://${host}/[\\w-]{80,}/$`))
    const page = await at(shown.root)
    expect(page.status).toBe(200)
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/; sandbox allow-scripts (?!.*(same-origin|popups|top-navigation))/)
    // The policy allows neither files of other previews nor frames on other sites.
    expect(policy).toContain(`default-src ${shown.root} 'unsafe-inline'`)
    expect(policy).toContain(`; frame-ancestors http://127.0.0.1:${new URL(shared.url).port};`)
    expect(policy).not.toContain("'self'")
    const root = new URL(shown.root).pathname
    expect(page.body).toContain(`<!doctype html><script src="${root}-//reporter.js" crossorigin>`)
    expect(page.body.split("\n")).toHaveLength(PAGE.split("\n").length)
    expect((await at(shown.root, "site/a.css")).body).toBe(`a { background: url(${root}b.png) }`)
    expect((await at(shown.root, "site")).headers.get("location")).toBe(`${root}site/`)
    for (const answer of [page, await at(shown.root, "a.json"), await at(shown.root, "missing")]) {
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "access-control-allow-origin": "null",
        "cross-origin-resource-policy": "cross-origin",
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
      })
      expect(answer.headers.get("set-cookie")).toBeNull()
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
    }
    const asked = await at(shown.root, "a.json", { method: "OPTIONS", headers: { origin: "null" } })
    expect([asked.status, asked.headers.get("access-control-allow-methods")]).toEqual([204, "GET, HEAD"])
    expect((await at(shown.root, "a.json", { method: "POST" })).status).toBe(405)
  })

  it("are nowhere else, and end with their session", async () => {
    const id = await sessionWith({ "index.html": PAGE }, shared)
    const { root } = await previewOf(id, "", shared)
    const last = root.at(-2) === "A" ? "B" : "A"
    const other = `${root.slice(0, -2)}${last}/`
    for (const place of [other, root.replace(/\/[\w-]+\/$/, "/")]) expect((await at(place)).status).toBe(404)
    for (const path of ["/v1/me", "/api/v1/sessions", "/health", "/", "/studio"]) {
      const answer = await get(host, path, { of: shared, headers: { origin: "null" } })
      expect([answer.status, answer.headers.get("content-security-policy")]).toEqual([
        404,
        "default-src 'none'; sandbox; frame-ancestors 'none'",
      ])
    }
    // A preview's host name isn't valid as a path, and its path isn't valid on a host.
    const { root: named } = await previewOf(await sessionWith({ "index.html": PAGE }))
    expect((await get(new URL(named).host, "/", { of: shared })).status).toBe(404)
    expect((await get(host, new URL(root).pathname)).status).toBe(404)
    await shared.call("DELETE", `/api/v1/sessions/${id}`)
    expect((await at(root)).status).toBe(404)
  })

  it("are no page that the server trusts, under their name or under none", async () => {
    const id = await sessionWith({ "index.html": PAGE }, shared)
    const here = `127.0.0.1:${new URL(shared.url).port}`
    expect(await socketStatus(id, host, "null", shared)).toBe("403")
    for (const origin of ["null", `http://${host}`]) {
      expect(await socketStatus(id, here, origin, shared)).toBe("403")
      expect((await get(here, "/v1/me", { of: shared, headers: { origin } })).status).toBe(403)
    }
    const anybody = await startServer({
      env: { CORS_ALLOWED_ORIGIN_REGEX: "null|https?://.*(?:example|localhost)(?::\\d+)?" },
    })
    try {
      const asked = (origin: string) =>
        get(`127.0.0.1:${new URL(anybody.url).port}`, "/health", { of: anybody, headers: { origin } })
      expect((await asked("https://elsewhere.example")).headers.get("access-control-allow-origin")).not.toBeNull()
      expect((await asked("null")).status).toBe(403)
      expect((await asked(`http://${host}`)).status).toBe(403)
    } finally {
      await anybody.close()
    }
  })
})
