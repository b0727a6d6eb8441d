import { once } from "node:events"
import { request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { AppRecord, appKey } from "@switchyard/core/sessions/apps/app-store"
import { systemClock } from "@switchyard/core/time"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mortal } from "../../core/work/mortal-stores.ts"
import { startServer, type TestServer } from "../server.ts"

const PAGE = `<!doctype html>\n<html lang="en"><link rel="stylesheet" href="/style.css"><h1>Tea</h1></html>\n`

const ADMIN_TOKEN = "the-token-of-the-one-who-installed-it"
let server: TestServer
let opaque: TestServer
let aheadMs = 0
beforeAll(async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  server = await startServer({ clock })
  opaque = await startServer({ env: { PREVIEWS: "opaque" } })
})
afterAll(() => Promise.all([server.close(), opaque.close()]))

interface Asked {
  method?: string
  headers?: Record<string, string>
  of?: TestServer
}

/** Sends a request with any Host header and an unnormalized path, which browsers can't do. */
async function get(host: string, path = "/", { method = "GET", headers = {}, of = server }: Asked = {}) {
  const { port } = new URL(of.url)
  const sent = request({ host: "127.0.0.1", port, path, method, headers: { ...headers, host }, agent: false }).end()
  const [answer] = await once(sent, "response")
  const names = Object.entries(answer.headers as Record<string, string>)
  return { status: answer.statusCode as number, headers: new Headers(names), body: await text(answer) }
}

let sessions = 0
async function sessionWith(files: Record<string, string>, of = server, headers = {}): Promise<string> {
  const id = `app-${++sessions}`
  for (const [path, content] of Object.entries(files)) {
    await of.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id }, headers })
  }
  return id
}

const publish = (id: string, name: string, of = server, headers = {}) =>
  of.call("POST", `/api/v1/sessions/${id}/app`, { json: { name }, headers })
const describeApp = async (id: string, of = server) => (await of.call("GET", `/api/v1/sessions/${id}/app`)).body
const portOf = (of: TestServer) => new URL(of.url).port
const hostOf = (name: string, of = server) => `${name}.localhost:${portOf(of)}`

describe("publishing", () => {
  it("copies the page to a host of its own, where it outlives its session", async () => {
    const id = await sessionWith({ "index.html": PAGE, "style.css": "h1 {}", ".env": "KEY=1", "notes.pem": "-----" })
    expect(await describeApp(id)).toMatchObject({
      app: null,
      reason: null,
      version: 4,
      folder: "",
      file_count: 2,
      left_out: [".env", "notes.pem"],
      left_out_count: 2,
      address: `http://{name}.localhost:${portOf(server)}/`,
      opaque: false,
    })
    const published = await publish(id, "tea-one")
    expect(published).toMatchObject({
      status: 201,
      body: { name: "tea-one", url: `http://${hostOf("tea-one")}/`, version: 4, file_count: 2, session_id: id },
    })
    await server.call("DELETE", `/api/v1/sessions/${id}`)
    expect(await get(hostOf("tea-one"))).toMatchObject({ status: 200, body: PAGE })
    expect((await get(hostOf("TEA-one"), "/style.css")).body).toBe("h1 {}")
    expect((await get(hostOf("tea-one"), "/.env")).status).toBe(404)
    expect((await server.call("GET", "/api/v1/apps/tea-one")).body).toMatchObject({ session_id: id })
    expect((await server.call("DELETE", "/api/v1/apps/tea-one")).status).toBe(200)
  })

  it("shows the same bytes until it is done again, which replaces them at once", async () => {
    const id = await sessionWith({ "index.html": "One", "old.txt": "old" })
    await publish(id, "tea-two")
    await server.call("PUT", "/workspace/file", { json: { path: "index.html", content: "Two", workspace_id: id } })
    await server.call("DELETE", `/workspace/path?path=old.txt&workspace_id=${id}`)
    const before = await get(hostOf("tea-two"))
    expect(before.body).toBe("One")
    expect(await describeApp(id)).toMatchObject({ app: { version: 2 }, version: 4 })
    expect((await publish(id, "tea-two")).body).toMatchObject({ version: 4, file_count: 1 })
    const etag = before.headers.get("etag") ?? ""
    const after = await get(hostOf("tea-two"), "/", { headers: { "if-none-match": etag } })
    expect(after).toMatchObject({ status: 200, body: "Two" })
    expect(after.headers.get("cache-control")).toBe("no-cache")
    expect((await get(hostOf("tea-two"), "/old.txt")).status).toBe(404)
    const again = await get(hostOf("tea-two"), "/", { headers: { "if-none-match": after.headers.get("etag") ?? "" } })
    expect(again).toMatchObject({ status: 304, body: "" })
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events`)).body
    const told = events.filter(({ type }: { type: string }) => type.startsWith("app_"))
    expect(told).toMatchObject([
      { type: "app_published", name: "tea-two", workspace_version: 2, replaced: false, file_count: 2 },
      { type: "app_published", name: "tea-two", workspace_version: 4, replaced: true, file_count: 1 },
    ])
  })

  it("is undone by a withdrawal, which removes the address at once and the bytes soon after", async () => {
    const id = await sessionWith({ "index.html": PAGE })
    await publish(id, "tea-three")
    const { headers } = await get(hostOf("tea-three"))
    expect((await server.call("DELETE", "/api/v1/apps/tea-three")).status).toBe(200)
    const gone = await get(hostOf("tea-three"), "/", { headers: { "if-none-match": headers.get("etag") ?? "" } })
    expect(gone.status).toBe(404)
    // Clearing cookies would also remove the cookies of neighboring apps.
    expect(gone.headers.get("clear-site-data")).toBe('"cache", "storage"')
    expect(gone.headers.get("cache-control")).toBe("no-store")
    expect(await describeApp(id)).toMatchObject({ app: null })
    expect((await server.call("DELETE", "/api/v1/apps/tea-three")).status).toBe(404)
    const stored = () => Array.fromAsync(server.stores.blobs.list("apps/tea-three/"))
    const { sweep } = await import("@switchyard/core/work/runs/sweep")
    // A sweep of all hints, as after the clock was set back, keeps the bytes: the hint may belong to a publication in
    // progress.
    await sweep(server.core({ aheadMs }).sweep, { signal: new AbortController().signal, allHints: true })
    expect(await stored()).not.toEqual([])
    aheadMs += 2 * 60 * 60_000
    await sweep(server.core({ aheadMs }).sweep, { signal: new AbortController().signal })
    expect(await stored()).toEqual([])
    const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events`)).body
    expect(events.at(-1)).toMatchObject({ type: "app_withdrawn", name: "tea-three" })
    // The owner can use the name again.
    expect((await publish(id, "tea-three")).status).toBe(201)
    await sweep(server.core({ aheadMs: aheadMs * 2 }).sweep, { signal: new AbortController().signal })
    expect((await get(hostOf("tea-three"))).body).toBe(PAGE)
  })

  it("leaves no copy and uses no storage that isn't shown, wherever the process dies", async () => {
    const limited = await startServer({ env: { STORED_MB_PER_OWNER: "100" } })
    const { sweep } = await import("@switchyard/core/work/runs/sweep")
    const options = { signal: new AbortController().signal }
    const { records, blobs } = limited.stores
    const [id, name] = [await sessionWith({ "index.html": "1" }, limited), "tea-crash"]
    let hours = 0
    /** Publishes or withdraws in a process that dies at write `nth`. Resolves to true if the process survived. */
    async function survives(nth: number, lastWrite: "lost" | "done", act: "publish" | "withdraw") {
      const { apps, sessions } = limited.core(mortal(limited.stores, nth, lastWrite))
      const session = await sessions.find("local", id, options)
      const acted =
        act === "publish" ? apps.publish("local", session, name, options) : apps.withdraw("local", name, options)
      return acted.then(
        () => true,
        () => false,
      )
    }
    async function expectNoLeftovers(about: string) {
      // A copy is removed within an hour. Its bytes count toward the limit for some time longer.
      for (const _ of [1, 2]) {
        hours += 2
        await sweep(limited.core({ aheadMs: hours * 3_600_000 }).sweep, options)
      }
      const live = await limited.core().apps.find("local", name, options)
      const copies = (await Array.fromAsync(blobs.list(`apps/${name}/`))).map(({ key }) => key.split("/")[2])
      expect([...new Set(copies)], about).toEqual(live ? [live.publication] : [])
      const now = Date.now() + hours * 3_600_000
      const counted = (await Array.fromAsync(records.range("stored/local")))
        .filter(({ key, value }) => key.sort.startsWith("app/") && Number(value.until ?? now) >= now)
        .map(({ key }) => key.sort)
      expect(counted, about).toEqual(live ? [`app/${live.publication}`] : [])
    }
    try {
      for (const lastWrite of ["lost", "done"] as const) {
        for (const act of ["publish", "publish", "withdraw"] as const) {
          for (let nth = 1; !(await survives(nth, lastWrite, act)); nth++) {
            const isGone = act === "withdraw" && !(await limited.core().apps.find("local", name, options))
            await expectNoLeftovers(`${act}, write ${nth} ${lastWrite}`)
            if (isGone) break
            expect(nth).toBeLessThan(50)
          }
          await expectNoLeftovers(`${act}, alive`)
        }
        await survives(1000, "done", "withdraw")
      }
    } finally {
      await limited.close()
    }
  })

  it("refuses what can't be published, and changes nothing", async () => {
    const refused = async (files: Record<string, string>, name = "tea-refused") => {
      const { status, body } = await publish(await sessionWith(files), name)
      expect(status).toBe(422)
      return body.error.message as string
    }
    expect(await refused({ "README.md": "x" })).toContain("no page to publish")
    const start = JSON.stringify({ scripts: { start: "node server.js" }, dependencies: { express: "5" } })
    expect(await refused({ "package.json": start, "server.js": "1" })).toContain("it uses the package express")
    expect(await refused({ "package.json": start, "public/index.html": PAGE })).toContain("needs a server")
    const plain = JSON.stringify({ scripts: { start: "node server.js" } })
    expect(await refused({ "package.json": plain, "server.js": "1" })).toContain('it starts with "npm start"')
    expect(await refused({ "index.html": `<script type="module" src="/src/main.tsx"></script>` })).toContain(
      "Check the project first",
    )
    const bundled = JSON.stringify({ scripts: { build: "vite build" } })
    const page = `<script type="module" src="/main.js"></script>`
    const main = `import { h } from "preact"\n`
    expect(await refused({ "package.json": bundled, "index.html": page, "main.js": main })).toContain(
      "Check the project first",
    )
    expect(await refused({ "index.html": PAGE }, "www")).toContain("reserved")
    expect(await refused({ "index.html": PAGE }, "Tea.Refused")).toContain("lowercase letters")
    expect((await get(hostOf("tea-refused"))).status).toBe(404)
    // Built output needs no server.
    const built = await sessionWith({ "package.json": plain, "dist/index.html": "Built" })
    expect((await publish(built, "tea-built")).body).toMatchObject({ folder: "dist", file_count: 1 })
    expect((await get(hostOf("tea-built"))).body).toBe("Built")
    const output = { "dist/index.html": page.replace("main", "assets/a"), "dist/assets/a.js": "let a" }
    const whole = await sessionWith({ "package.json": bundled, "index.html": page, "main.js": main, ...output })
    expect((await publish(whole, "tea-output")).body).toMatchObject({ folder: "dist", file_count: 2 })
  })

  it("takes what a check built from the newest version, and follows no link that the build left", async () => {
    const manifest = JSON.stringify({ type: "module", scripts: { build: "node build.js" } })
    const build = `import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
mkdirSync("dist/assets", { recursive: true })
writeFileSync("dist/index.html", "Built")
writeFileSync("dist/assets/app.js", "let a")
writeFileSync("dist/.env", "SECRET")
symlinkSync("../package.json", "dist/linked.json")
symlinkSync("/etc", "dist/etc")
`
    const source = `<script type="module" src="/src/main.tsx"></script>`
    const id = await sessionWith({ "package.json": manifest, "build.js": build, "index.html": source })
    expect(await describeApp(id)).toMatchObject({ reason: expect.stringContaining("Check the project first") })
    const check = async () => {
      const { body } = await server.call("POST", `/api/v1/sessions/${id}/checks`, { json: { consent: true } })
      await server.ended(body.run_id)
    }
    await check()
    expect(await describeApp(id)).toMatchObject({
      reason: null,
      folder: "dist",
      file_count: 2,
      left_out: ["dist/.env"],
    })
    expect((await publish(id, "tea-checked")).body).toMatchObject({ folder: "dist", file_count: 2 })
    expect((await get(hostOf("tea-checked"), "/assets/app.js")).body).toBe("let a")
    for (const path of ["/linked.json", "/etc/passwd", "/.env"])
      expect((await get(hostOf("tea-checked"), path)).status, path).toBe(404)
    // The output of an earlier version doesn't count for this version.
    await server.call("PUT", "/workspace/file", { json: { path: "a.txt", content: "a", workspace_id: id } })
    expect(await describeApp(id)).toMatchObject({ reason: expect.stringContaining("Check the project first") })
    // If a build replaces its output folder by a link, nothing is published.
    const linked = `import { symlinkSync } from "node:fs"\nsymlinkSync(".", "dist")\n`
    await server.call("PUT", "/workspace/file", { json: { path: "build.js", content: linked, workspace_id: id } })
    await check()
    expect(await describeApp(id)).toMatchObject({ reason: expect.stringContaining("Check the project first") })
  })

  it("keeps a name for one session at a time", async () => {
    const [one, two] = [await sessionWith({ "index.html": "1" }), await sessionWith({ "index.html": "2" })]
    expect((await publish(one, "tea-mine")).status).toBe(201)
    const taken = await publish(two, "tea-mine")
    expect(taken).toMatchObject({ status: 409, body: { error: { code: "app_exists" } } })
    expect(await publish(one, "tea-other")).toMatchObject({ status: 409, body: { error: { code: "app_exists" } } })
    expect((await get(hostOf("tea-mine"))).body).toBe("1")
    const { apps } = (await server.call("GET", "/api/v1/apps")).body
    expect(apps.filter(({ name }: { name: string }) => name === "tea-mine")).toHaveLength(1)
  })

  it("stops at 100 apps of an owner, which can still be replaced", async () => {
    const full = await startServer()
    try {
      const own = await sessionWith({ "index.html": PAGE }, full)
      expect((await publish(own, "own", full)).status).toBe(201)
      const { records } = full.stores
      const stored = await records.get(appKey("own"))
      const value = AppRecord.parse(stored?.value)
      for (let n = 0; n < 98; n++) {
        const record = { ...value, name: `more-${n}`, live: { ...value.live, sid: `sid-${n}` } }
        const listed = { list: `apps/${value.owner}`, order: String(n).padStart(15, "0") }
        await records.put(appKey(record.name), { value: record }, { ifAbsent: true, listed })
      }
      const [last, over] = [
        await sessionWith({ "index.html": PAGE }, full),
        await sessionWith({ "index.html": PAGE }, full),
      ]
      expect((await publish(last, "last", full)).status).toBe(201)
      const refused = await publish(over, "over", full)
      expect([refused.status, refused.body.error.details]).toEqual([403, { maximum: 100 }])
      expect((await get(hostOf("over", full), "/", { of: full })).status).toBe(404)
      expect((await publish(own, "own", full)).status).toBe(201)
    } finally {
      await full.close()
    }
  })

  it("gives a name to one of several requests that come at the same time", async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, n) => sessionWith({ "index.html": String(n) })))
    const answers = await Promise.all(ids.map((id) => publish(id, "tea-race")))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect((await get(hostOf("tea-race"))).body).toBe(String(answers.findIndex(({ status }) => status === 201)))
  })
})

describe("owners", () => {
  it("see and change only their own apps, and never get the name of another's, even a withdrawn one", async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
    const place = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN }, clock })
    try {
      const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
      const tokenOf = async (owner: string) => {
        const json = { name: "x", owner, scopes: ["read", "run"] }
        return bearer((await place.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })).body.secret)
      }
      const [ada, eve] = [await tokenOf("ada"), await tokenOf("eve")]
      await publish(await sessionWith({ "index.html": "Ada's" }, place, ada), "tea-garden", place, ada)
      const evil = await sessionWith({ "index.html": "Eve's" }, place, eve)
      expect((await publish(evil, "tea-garden", place, eve)).status).toBe(409)
      for (const method of ["GET", "DELETE"]) {
        expect((await place.call(method, "/api/v1/apps/tea-garden", { headers: eve })).status).toBe(404)
      }
      expect((await place.call("GET", "/api/v1/apps", { headers: eve })).body).toEqual({ apps: [] })
      expect((await get(hostOf("tea-garden", place), "/", { of: place })).body).toBe("Ada's")
      expect((await place.call("DELETE", "/api/v1/apps/tea-garden", { headers: ada })).status).toBe(200)
      expect((await publish(evil, "tea-garden", place, eve)).status).toBe(409)
      aheadMs = 364 * 86_400_000
      expect((await publish(evil, "tea-garden", place, eve)).status).toBe(409)
      expect((await get(hostOf("tea-garden", place), "/", { of: place })).status).toBe(404)
    } finally {
      aheadMs = 0
      await place.close()
    }
  })
})

describe("the host of an app", () => {
  it("serves pages that nobody frames, without cookies, and no service worker", async () => {
    const files = { "index.html": PAGE, "app.js": "let a", "about/index.html": "About" }
    await publish(await sessionWith(files), "tea-host")
    const { headers } = await get(hostOf("tea-host"), "/", { headers: { cookie: "switchyard=a-login" } })
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "origin-agent-cluster": "?1",
      "permissions-policy": expect.stringContaining("camera=()"),
      "x-robots-tag": "noindex",
    })
    expect(headers.has("set-cookie")).toBe(false)
    expect(headers.has("access-control-allow-origin")).toBe(false)
    expect((await get(hostOf("tea-host"), "/app.js", { headers: { "service-worker": "script" } })).status).toBe(403)
    const head = await get(hostOf("tea-host"), "/app.js", { method: "HEAD" })
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([200, "", "5"])
    const part = await get(hostOf("tea-host"), "/app.js", { headers: { range: "bytes=1-2" } })
    expect([part.status, part.body, part.headers.get("content-range")]).toEqual([206, "et", "bytes 1-2/5"])
    expect((await get(hostOf("tea-host"), "/app.js", { headers: { range: "bytes=9-" } })).status).toBe(416)
    expect((await get(hostOf("tea-host"), "/about")).headers.get("location")).toBe("/about/")
    expect((await get(hostOf("tea-host"), "/a/route", { headers: { accept: "text/html" } })).body).toBe(PAGE)
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expect((await get(hostOf("tea-host"), "/", { method })).status, method).toBe(405)
  })

  it("serves nothing outside of the app, whatever the path", async () => {
    await publish(await sessionWith({ "index.html": PAGE, ".env": "SECRET", "a/b.txt": "b" }), "tea-paths")
    const paths = [
      ...[
        "/.env",
        "/%2eenv",
        "/../.env",
        "/a/../.env",
        "/%2e%2e/.env",
        "/a/..%2f.env",
        "/..%5c.env",
        "//.env",
        "/a//b.txt",
      ],
      ...[
        "/manifest",
        "/%00",
        "/%",
        "/%ff",
        "/a%2fb.txt%00",
        "/a/",
        "/v1/me",
        "/api/v1/apps",
        "/assets/main.js",
        "/-//reporter.js",
      ],
      "/workspace/tree",
    ]
    for (const path of paths) {
      const answer = await get(hostOf("tea-paths"), path)
      expect(answer.status, path).toBe(404)
      expect(answer.body, path).not.toContain("SECRET")
    }
    expect((await get(hostOf("tea-paths"), "/a%2fb.txt")).body).toBe("b")
  })

  it("is recognised by its exact name, and is never the studio's or a preview's", async () => {
    await publish(await sessionWith({ "index.html": PAGE }), "tea-name")
    const port = portOf(server)
    for (const host of [`tea-name.localhost:${port}`, `TEA-NAME.LOCALHOST:${port}`, "tea-name.localhost"])
      expect((await get(host)).body, host).toBe(PAGE)
    const others = [
      ...[`tea-name.localhost.:${port}`, `a.tea-name.localhost:${port}`, `tea-name.example.org:${port}`, "tea-name"],
      ...[`tea-name.localhost:${port}@evil.example`, `localhost:${port}`, `127.0.0.1:${port}`, `www.localhost:${port}`],
      ...[`xn--tea-name-.localhost:${port}`, `tea-name%2elocalhost:${port}`, `tea_name.localhost:${port}`],
    ]
    for (const host of others) expect((await get(host)).body, host).not.toContain("<h1>Tea</h1>")
    // Hosts that aren't apps lead to the server as usual.
    expect((await get(`localhost:${port}`, "/health")).status).toBe(200)
    expect(
      (await get(`127.0.0.1:${port}`, "/health", { headers: { "x-forwarded-host": `tea-name.localhost` } })).body,
    ).not.toBe(PAGE)
  })

  it("may not call the API, by any means, even if every origin is allowed", async () => {
    const every = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN, CORS_ALLOWED_ORIGINS: "*" } })
    try {
      for (const of of [server, every]) {
        const port = portOf(of)
        for (const origin of [`http://tea-host.localhost:${port}`, `http://other.localhost:${port}`, "null"]) {
          const asked = await of.call("GET", "/health", { headers: { origin } })
          expect(asked.headers.get("access-control-allow-origin"), origin).not.toBe(origin)
          expect(asked.headers.get("access-control-allow-origin"), origin).not.toBe("*")
          const preflight = await of.call("OPTIONS", "/api/v1/sessions", {
            headers: { origin, "access-control-request-method": "POST" },
          })
          expect(preflight.headers.get("access-control-allow-origin"), origin).toBeNull()
        }
      }
      const allowed = await every.call("GET", "/health", { headers: { origin: "https://elsewhere.example" } })
      expect(allowed.headers.get("access-control-allow-origin")).toBe("https://elsewhere.example")
    } finally {
      await every.close()
    }
    const { port } = new URL(server.url)
    const posted = await get(`localhost:${port}`, "/v1/runs", {
      method: "POST",
      headers: { origin: `http://tea-host.localhost:${port}` },
    })
    expect(posted.status).toBe(403)
    for (const host of [`localhost:${port}`, `tea-host.localhost:${port}`]) {
      const socket = connect(Number(port), "127.0.0.1")
      const about = [
        `Host: ${host}`,
        `Origin: http://tea-host.localhost:${port}`,
        "Connection: Upgrade",
        "Upgrade: websocket",
      ]
      const key = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
      socket.write(["GET /ws/app-1 HTTP/1.1", ...about, ...key, "", ""].join("\r\n"))
      const [answer] = await once(socket, "data")
      socket.destroy()
      expect(String(answer).split(" ")[1], host).toBe("403")
    }
  })
})

describe("apps that share a host", () => {
  it("are paths whose pages have no origin, and work below them", async () => {
    const id = await sessionWith({ "index.html": PAGE, "style.css": "h1 { background: url(/a.png) }" }, opaque)
    expect(await describeApp(id, opaque)).toMatchObject({
      opaque: true,
      address: `http://previews.localhost:${portOf(opaque)}/{name}/`,
    })
    const { body } = await publish(id, "tea-path", opaque)
    expect(body.url).toBe(`http://previews.localhost:${portOf(opaque)}/tea-path/`)
    const at = (path: string, asked: Asked = {}) =>
      get(`previews.localhost:${portOf(opaque)}`, path, { of: opaque, ...asked })
    const shown = await at("/tea-path/")
    expect(shown.body).toContain('href="/tea-path/style.css"')
    const policy = shown.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("sandbox allow-scripts")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/allow-same-origin|top-navigation/)
    expect((await at("/tea-path/style.css")).body).toContain("url(/tea-path/a.png)")
    expect((await at("/tea-path/-//reporter.js")).body).not.toContain("postMessage({ switchyard")
    expect(await at("/tea-path")).toMatchObject({ status: 302 })
    expect((await at("/tea-path/style.css", { method: "OPTIONS" })).status).toBe(204)
    expect((await at("/tea-path/style.css", { headers: { "service-worker": "script" } })).status).toBe(403)
    for (const path of ["/", "/other/", "/TEA-PATH/", "/tea-path%2f", "/tea-path%00/", "//tea-path/"])
      expect((await at(path)).body, path).not.toContain("<h1>Tea</h1>")
    // Without its own host for apps, the server ignores app names in the Host header.
    expect((await get(hostOf("tea-path", opaque), "/", { of: opaque })).body).not.toContain("<h1>Tea</h1>")
    expect((await opaque.call("DELETE", "/api/v1/apps/tea-path")).status).toBe(200)
    const gone = await at("/tea-path/")
    expect(gone.status).toBe(404)
    // The header would clear data of the host's other pages.
    expect(gone.headers.has("clear-site-data")).toBe(false)
  })
})
