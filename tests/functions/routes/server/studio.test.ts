import { createHash } from "node:crypto"
import { once } from "node:events"
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { STUDIO, startServer, type TestServer } from "../../server.ts"

const SCRIPT = `document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "dark"`
const ASSET = "/assets/main-B1x_3d.js"

let folder: string
let server: TestServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-studio-"))
  await cp(STUDIO, join(folder, "dist"), { recursive: true })
  const asset = await readFile(join(folder, "dist", ASSET))
  await writeFile(join(folder, "dist", `${ASSET}.br`), brotliCompressSync(asset))
  await writeFile(join(folder, "dist", `${ASSET}.gz`), gzipSync(asset))
  await writeFile(join(folder, "dist", ".env"), "SECRET=of the build")
  await writeFile(join(folder, "secret.txt"), "SECRET=beside it")
  server = await startServer({ studioFolder: join(folder, "dist") })
})
afterAll(async () => {
  expect(server.reported).toEqual([])
  await server.close()
  await rm(folder, { recursive: true })
})

/** Requests a path without the normalization that clients apply. */
async function asWritten(path: string): Promise<{ status: number; text: string }> {
  const asked = request(server.url, { path })
  const [response]: IncomingMessage[] = await once(asked.end(), "response")
  return { status: response?.statusCode ?? 0, text: Buffer.concat(await Array.fromAsync(response ?? [])).toString() }
}

const get = (path: string, headers: Record<string, string> = {}) => server.call("GET", path, { headers })

describe("the studio's page", () => {
  it.each([
    ...["/", "/studio", "/s/abc/run", "/s/abc/files/src/a.ts", "/p/x", "/needs", "/usage", "/settings", "/login"],
    ...["/settings/appearance", "/connect", "/about", "/docs", "/s/abc?seq=312"],
  ])("is at %s", async (path) => {
    const { status, text, headers } = await get(path)
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(text).toContain("The studio of a test")
    expect(await server.call("HEAD", path)).toMatchObject({ status: 200, text: "" })
  })

  it.each(["/nothing", "/api/v1/nothing", "/v1/nothing", "/stream", "/index.html", "/studio/x", "/needs/x"])(
    "is not at %s, which is the API's",
    async (path) => {
      const { status, body } = await get(path)
      expect([404, 405]).toContain(status)
      expect(["not_found", "method_not_allowed"]).toContain(body.error.code)
    },
  )

  it("is at every other address that somebody opens in a browser, but for the API's", async () => {
    const visit = (path: string) => get(path, { "Sec-Fetch-Dest": "document" })
    expect((await visit("/nothing")).text).toContain("The studio of a test")
    expect((await visit("/needs/x")).headers.get("content-security-policy")).toContain("default-src 'none'")
    for (const path of ["/api/v1/nothing", "/v1/nothing", "/assets/nothing.js"])
      expect((await visit(path)).body.error.code).toBe("not_found")
  })

  it("leaves the API's own page where it was", async () => {
    expect((await get("/api/docs")).text).toContain("Switchyard API")
    expect((await server.call("POST", "/login", { json: { token: "x" } })).status).toBe(422)
  })

  it("runs its own scripts and no others, is framed by nobody and sends nothing elsewhere", async () => {
    const { headers } = await get("/")
    const policy = new Map(
      (headers.get("content-security-policy") ?? "").split("; ").map((each) => {
        const [name = "", ...sources] = each.split(" ")
        return [name, sources]
      }),
    )
    const hash = createHash("sha256").update(SCRIPT).digest("base64")
    expect(policy.get("script-src")).toEqual(["'self'", `'sha256-${hash}'`])
    expect(policy.get("connect-src")).toEqual(["'self'", `ws://${new URL(server.url).host}`, expect.any(String)])
    expect([policy.get("default-src"), policy.get("frame-ancestors"), policy.get("base-uri")]).toEqual([
      ["'none'"],
      ["'none'"],
      ["'none'"],
    ])
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
    })
  })

  it("is asked for anew each time, and told again only when it has changed", async () => {
    const first = await get("/")
    expect(first.headers.get("cache-control")).toBe("no-cache")
    const etag = first.headers.get("etag") ?? ""
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get("/s/abc", { "if-none-match": known })
      expect([again.status, again.text]).toEqual([304, ""])
    }
    expect((await get("/", { "if-none-match": '"other"' })).status).toBe(200)
  })

  it("is the one that was built last", async () => {
    const page = join(folder, "dist", "index.html")
    const before = await readFile(page, "utf8")
    const { headers } = await get("/")
    await writeFile(page, before.replace("</body>", "<script>built()</script></body>"))
    const after = await get("/", { "if-none-match": headers.get("etag") ?? "" })
    await writeFile(page, before)
    expect(after.status).toBe(200)
    const hash = createHash("sha256").update("built()").digest("base64")
    expect(after.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`)
  })
})

describe("a file of the studio", () => {
  it("may be kept for ever when its name changes with it", async () => {
    const { status, text, headers } = await get(ASSET)
    expect([status, text]).toEqual([200, 'document.body.textContent = "the studio runs"\n'])
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
    })
    expect((await get("/favicon.svg")).headers.get("cache-control")).toBe("public, max-age=3600")
  })

  it.each([
    ["br, gzip", "br"],
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["identity", null],
  ])("comes compressed for who takes %s", async (accepted, encoding) => {
    const { headers, text } = await get(ASSET, { "accept-encoding": accepted })
    expect(headers.get("content-encoding")).toBe(encoding)
    expect(headers.get("vary")).toContain("Accept-Encoding")
    expect(text).toContain("the studio runs")
  })

  it.each([
    ...["/assets/nothing.js", "/assets/", "/assets/../index.html", "/assets/..%2f..%2fsecret.txt", "/assets/.env"],
    ...[
      "/assets/%2e%2e/%2e%2e/secret.txt",
      "/assets/..%5c..%5csecret.txt",
      "/secret.txt",
      "/.env",
      "/assets/main%00.js",
    ],
    ...["/assets//etc/passwd", "/assets/%2fetc%2fpasswd", "/..%2fsecret.txt", "/assets/main-B1x_3d.js/", "/robots.txt"],
  ])("is not to be had by %s", async (path) => {
    const { status, text } = await asWritten(path)
    expect(status).toBe(404)
    expect(text).not.toContain("SECRET")
  })
})

describe("a server without a studio", () => {
  it("says how to build one, and serves its API", async () => {
    const bare = await startServer({ studioFolder: undefined })
    const page = await fetch(bare.url)
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("npm start")])
    expect((await bare.call("GET", ASSET)).status).toBe(404)
    expect((await bare.call("GET", "/health")).status).toBe(200)
    await bare.close()
  })
})

describe("what the studio begins with", () => {
  it("says where the API is, who may come in and what model there is", async () => {
    const { body, headers } = await get("/config.json")
    expect(headers.get("cache-control")).toBe("no-cache")
    expect(body).toEqual({
      api_base: "",
      version: "0",
      auth_mode: "open",
      app_env: "development",
      default_model: "scripted/demo",
      demo: true,
      sockets: true,
      agents: { user: "server", sandbox: null, network: "machine", required: false },
    })
  })
})
