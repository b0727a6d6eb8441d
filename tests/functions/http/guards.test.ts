import { once } from "node:events"
import { request } from "node:http"
import { scopeOf } from "@switchyard/functions/http/permissions"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { endpoints } from "../described.ts"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Sends a request with any Host header, which browsers can't do. Resolves to the status. */
async function withHost(host: string, headers = "", method = "GET", path = "/workspace/tree"): Promise<number> {
  const answer = await server.raw(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`)
  return Number(answer.split(" ")[1])
}

/** Sends a request with headers that `fetch` would set itself. Resolves to the status. */
async function statusOf(
  { url }: TestServer,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const sent = request(`${url}${path}`, { method, headers }).end()
  const [response] = await once(sent, "response")
  response.destroy()
  return response.statusCode
}

describe("a server without login", () => {
  it.each(["127.0.0.1", "localhost", "LOCALHOST:3000", "[::1]:3000", "127.0.0.1:1", "127.9.9.9", "{host}"])(
    "answers to %s",
    async (host) => {
      expect(await withHost(host)).toBe(200)
    },
  )

  it.each([
    "evil.test",
    "localhost.evil.test",
    "127.0.0.1.evil.test",
    "127.0.0.1.nip.io",
    "evil.test:3000",
    "10.0.0.1",
    "0.0.0.0",
    "[::]",
    "localhost@evil.test",
    "localhost:evil",
    "127.999.999.999",
    "127.0.0.256:3000",
    "127.0.0",
    "localhost:99999",
  ])("answers nobody who calls it %s: any name can be made to lead here", async (host) => {
    expect([403, 422]).toContain(await withHost(host))
    expect([403, 422]).toContain(await withHost(host, "", "DELETE", "/workspace/session"))
  })

  it("answers nobody who doesn't say whom they mean", async () => {
    expect(await withHost("")).toBe(422)
    const nobody = await server.raw("GET /health HTTP/1.0\r\n\r\n")
    expect(nobody).toMatch(/^HTTP\/1.1 422 .*"code":"validation_error"/s)
  })

  it.each([
    "http://evil.test",
    "https://localhost",
    "null",
    "http://localhost.evil.test:5173",
    "http://127.0.0.1:1",
    "http://localhost:5173/",
    "HTTP://LOCALHOST:5173",
    "",
    "file://",
  ])("answers no page of %j, whatever it asks", async (origin) => {
    const headers = { origin }
    for (const [method, path] of [
      ["GET", "/health"],
      ["GET", "/workspace/files"],
      ["DELETE", "/workspace/session"],
      ["POST", "/workspace/session"],
      ["OPTIONS", "/generate"],
    ] as const) {
      const answer = await server.call(method, path, { headers })
      expect([answer.status, answer.body.error?.code]).toEqual([403, "forbidden"])
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    }
  })

  it("answers its own pages, and no other port's", async () => {
    expect((await server.call("GET", "/health", { headers: { origin: server.url } })).status).toBe(200)
    for (const origin of ["http://localhost:5173", "http://127.0.0.1:3000"]) {
      expect((await server.call("GET", "/health", { headers: { origin } })).status).toBe(403)
    }
  })

  it.each(["cross-site", "same-site"])("is no image and no frame of another page: %s", async (site) => {
    const before = (await server.call("GET", "/api/v1/sessions")).body.sessions.length
    const ask = (mode: string, dest: string, path = "/workspace/tree?workspace_id=drive-by") => {
      const metadata = [`Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${dest}`]
      return withHost("{host}", metadata.map((line) => `${line}\r\n`).join(""), "GET", path)
    }
    expect(await ask("no-cors", "image")).toBe(403)
    expect(await ask("no-cors", "script")).toBe(403)
    expect(await ask("navigate", "iframe")).toBe(403)
    expect((await server.call("GET", "/api/v1/sessions")).body.sessions.length).toBe(before)
  })

  it.each(["cross-site", "same-site"])(
    "lets a link of another page lead to pages and nothing else: %s",
    async (site) => {
      const metadata = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
      const led: string[] = []
      for (const { method, path } of endpoints) {
        const filled = path
          .replace(/:file\{.*/, "favicon.svg")
          .replaceAll(/:\w+/g, "x")
          .replace("*", "x")
        const refused = (await statusOf(server, method, filled, metadata)) === 403
        const isPublic = scopeOf(`${method} ${path}`) === "public"
        // Links to zips and questions need a signature, which these requests lack.
        if (path !== "/blobs/:key" && path !== "/answer")
          expect(refused, `${method} ${path}`).toBe(method !== "GET" || !isPublic)
        if (!refused) led.push(path)
      }
      expect(led).toEqual(expect.arrayContaining(["/", "/s/*", "/health", "/api/docs"]))
      expect(await statusOf(server, "GET", "/no-such-page", metadata)).toBe(200)
    },
  )
})

describe("a page of a known origin", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ env: { CORS_ALLOWED_ORIGINS: "http://localhost:5173,http://127.0.0.1:3000" } })
  })
  afterAll(() => server.close())

  it("is answered, errors too", async () => {
    const known = await server.call("GET", "/health", { headers: { origin: "http://localhost:5173" } })
    expect(known.status).toBe(200)
    expect(known.headers.get("access-control-allow-origin")).toBe("http://localhost:5173")
    expect(known.headers.get("vary")).toContain("Origin")
    const failed = await server.call("GET", "/v1/runs/none", { headers: { origin: "http://localhost:5173" } })
    expect([failed.status, failed.headers.get("access-control-allow-origin")]).toEqual([404, "http://localhost:5173"])
  })

  it.each(["same-site", "cross-site"])(
    "may link to what is an owner's, but load none of it unasked: %s",
    async (site) => {
      const visit = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
      expect(await statusOf(server, "GET", "/workspace/tree", visit)).toBe(200)
      expect(await statusOf(server, "POST", "/workspace/session", visit)).toBe(403)
      expect(await statusOf(server, "GET", "/workspace/tree", { ...visit, "sec-fetch-dest": "iframe" })).toBe(403)
      const image = { "sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }
      expect(await statusOf(server, "GET", "/workspace/tree", image)).toBe(403)
    },
  )

  it("reads the zip at the signed address, and how much of it there is", async () => {
    const headers = { origin: "http://localhost:5173" }
    const json = { path: "a.txt", content: "a", workspace_id: "zipped" }
    await server.call("PUT", "/workspace/file", { json, headers })
    const { body } = await server.call("GET", "/workspace/download?workspace_id=zipped&link=1", { headers })
    const zip = await fetch(new URL(body.url, server.url), { headers: { ...headers, range: "bytes=0-3" } })
    expect([zip.status, await zip.text()]).toEqual([206, "PK\u0003\u0004"])
    expect(zip.headers.get("access-control-allow-origin")).toBe("http://localhost:5173")
    expect(zip.headers.get("access-control-expose-headers")).toMatch(/Content-Range.*ETag/)
  })

  it("is told beforehand what it may send", async () => {
    const headers = {
      origin: "http://127.0.0.1:3000",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "x-api-key, content-type",
    }
    const { status, headers: answer } = await server.call("OPTIONS", "/workspace/file", { headers })
    expect(status).toBe(204)
    expect(answer.get("access-control-allow-origin")).toBe("http://127.0.0.1:3000")
    expect(answer.get("access-control-allow-methods")).toBe("GET,POST,PUT,PATCH,DELETE,OPTIONS")
    expect(answer.get("access-control-allow-headers")?.toLowerCase()).toContain("x-api-key")
    expect(answer.get("access-control-allow-credentials")).toBe("true")
  })
})

describe("origins as configured", () => {
  it("are known by name or by pattern, with credentials only where they are known", async () => {
    const env = {
      CORS_ALLOWED_ORIGINS: "https://studio.example",
      CORS_ALLOWED_ORIGIN_REGEX: "https://pr-\\d+\\.preview\\.example",
    }
    const own = await startServer({ env })
    try {
      const ask = async (origin: string) => (await own.call("GET", "/health", { headers: { origin } })).status
      expect(await ask("https://studio.example")).toBe(200)
      expect(await ask("https://pr-12.preview.example")).toBe(200)
      expect(await ask("https://pr-12.preview.example.evil.test")).toBe(403)
      expect(await ask("http://localhost:5173")).toBe(403)
      const { headers, body } = await own.call("GET", "/health", { headers: { origin: "https://studio.example" } })
      expect(headers.get("access-control-allow-credentials")).toBe("true")
      expect(body.cors_configured).toBe(true)
    } finally {
      await own.close()
    }
  })
})

describe("every answer", () => {
  it.each(["/health", "/nothing", "/workspace/file?path=..", "/openapi.json", "/api/docs"])(
    "tells browsers that it is no page to play with: %s",
    async (path) => {
      const { headers } = await server.call("GET", path)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'.*frame-ancestors 'none'/)
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cache-control")).toBe("no-store")
    },
  )

  it("says at a known path what may be done there, and knows no others", async () => {
    for (const [method, path, allow] of [
      ["DELETE", "/health", "HEAD, GET"],
      ["GET", "/generate", "POST"],
      ["HEAD", "/stream", "POST"],
      ["PATCH", "/workspace/file", "HEAD, GET, PUT, DELETE"],
      ["PUT", "/v1/runs/some", "HEAD, GET"],
      ["QUERY", "/v1/runs", "HEAD, GET, POST"],
      ["POST", "/openapi.json", "HEAD, GET"],
    ] as const) {
      const { status, headers } = await server.call(method, path)
      expect([status, headers.get("allow")]).toEqual([405, allow])
    }
    for (const path of [
      "/nothing",
      "/health/",
      "//health",
      "/v1/runs/a/b/c",
      "/workspace",
      "/Health",
      "/health%00",
      "/%",
      "/%ff",
    ]) {
      const { status, body } = await server.call("GET", path)
      expect([status, body.error.code]).toEqual([404, "not_found"])
    }
  })

  it("to HEAD is the one to GET without its body, and begins no stream", async () => {
    const { run_id } = await server.run({ user_prompt: "A page" })
    for (const path of ["/health", `/v1/runs/${run_id}`, `/v1/runs/${run_id}/stream`, "/workspace/tree", "/api/docs"]) {
      const { status, text, headers } = await server.call("HEAD", path)
      expect([status, text]).toEqual([200, ""])
      expect(headers.get("content-type")).toBe((await server.call("GET", path)).headers.get("content-type"))
    }
  })

  it("is in the envelope also for a request that can't be read", async () => {
    for (const target of ["/a\\b", "http://[/", "*"]) {
      const answer = await server.raw(`GET ${target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1.1 422 .*"code":"validation_error"/s)
    }
    const long = await server.raw(`GET /${"x".repeat(70_000)} HTTP/1.1\r\nHost: {host}\r\n\r\n`)
    expect(long).toMatch(/^HTTP\/1.1 431 /)
  })
})
