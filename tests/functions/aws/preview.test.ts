import { previewOriginSecret, previewSigningKey } from "@switchyard/functions/previews/keys"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { ask, awslambda, MASTER_KEY, ORIGIN, startAws } from "./lambda.ts"

const DOMAIN = "previews.example.net"
const STUDIO = "https://studio.example.com"
const SHARED = "https://d111111abcdef8.cloudfront.net"
const key = new Uint8Array(Buffer.from(MASTER_KEY, "base64"))
const secret = previewOriginSecret(key)

let aws: Awaited<ReturnType<typeof startAws>>
let api: unknown
let preview: unknown
/** Handlers of a stage without a preview domain. */
let apiOfPaths: unknown
let previewOfPaths: unknown

beforeAll(async () => {
  aws = await startAws()
  vi.stubGlobal("awslambda", awslambda)
  for (const [name, value] of Object.entries({ ...aws.env, PREVIEW_DOMAIN: DOMAIN, PUBLIC_URL: STUDIO })) {
    vi.stubEnv(name, value)
  }
  vi.spyOn(process.stdout, "write").mockReturnValue(true)
  api = (await import("@switchyard/functions/aws/api")).handler
  // As in `infra/previews.ts`: no secret that decrypts data, and no worker to start.
  for (const name of ["MASTER_KEY", "ADMIN_TOKEN", "ORIGIN_SECRET", "WORKER"]) vi.stubEnv(name, undefined)
  vi.stubEnv("PREVIEW_KEY", Buffer.from(previewSigningKey(key)).toString("base64"))
  vi.stubEnv("PREVIEW_SECRET", secret)
  preview = (await import("@switchyard/functions/aws/preview")).handler
  vi.resetModules()
  for (const name of ["PREVIEW_DOMAIN", "PUBLIC_URL"]) vi.stubEnv(name, undefined)
  previewOfPaths = (await import("@switchyard/functions/aws/preview")).handler
  vi.resetModules()
  for (const [name, value] of Object.entries({ ...aws.env, PREVIEW_ORIGIN: SHARED, PUBLIC_URL: STUDIO })) {
    vi.stubEnv(name, value)
  }
  apiOfPaths = (await import("@switchyard/functions/aws/api")).handler
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  await aws.stop()
})

const page = `<!doctype html>\n<link rel="stylesheet" href="/site/style.css"><h1>Tea</h1>`

async function sessionWith(id: string, of = api): Promise<string> {
  for (const [path, content] of Object.entries({ "index.html": page, "site/style.css": "h1 { color: teal }" })) {
    const json = { path, content, workspace_id: id }
    expect((await ask(of, "PUT", "/workspace/file", { json, headers: { "x-api-key": "k" } })).status).toBe(200)
  }
  const { text } = await ask(of, "GET", `/api/v1/sessions/${id}/preview`)
  return JSON.parse(text).url
}

/** Sends a request as the distribution does for a browser. */
const get = (host: string, path: string, { method = "GET", origin = secret } = {}) =>
  ask(preview, method, path, { headers: { "x-forwarded-host": host, "x-origin-secret": origin, authorization: "" } })

describe("previews on a stage with a domain for them", () => {
  it("are the files of a session, at a name of their own that only the studio frames", async () => {
    const url = new URL(await sessionWith("tea"))
    expect(url.href).toMatch(/^https:\/\/[0-9a-v]{63}\.previews\.example\.net\/$/)
    const shown = await get(url.host, "/")
    expect(shown.status).toBe(200)
    expect(shown.text).toContain("<h1>Tea</h1>")
    const policy = shown.headers["content-security-policy"] ?? ""
    expect(policy).toContain(`frame-ancestors 'self' ${STUDIO};`)
    expect(policy).toMatch(/sandbox allow-scripts (?!.*top-navigation)/)
    expect(shown.headers["set-cookie"]).toBeUndefined()
    expect((await get(url.host, "/site/style.css")).text).toBe("h1 { color: teal }")
    expect((await get(url.host, "/-//reporter.js")).text).toContain(JSON.stringify([STUDIO]))
    expect((await get(url.host, "/v1/runs")).status).toBe(404)
  })

  it("are refused to whoever goes round the distribution, under a name nobody signed, and once the session is gone", async () => {
    const { host } = new URL(await sessionWith("gone"))
    expect((await get(host, "/", { origin: ORIGIN })).status).toBe(403)
    expect((await get(`${"0".repeat(63)}.${DOMAIN}`, "/")).status).toBe(404)
    expect((await get(host.replace(DOMAIN, "evil.example"), "/")).status).toBe(404)
    expect((await get(host, "/", { method: "POST" })).status).toBe(405)
    await ask(api, "DELETE", "/api/v1/sessions/gone")
    expect((await get(host, "/")).status).toBe(404)
  })

  it("can't call the API, and start no server of a project", async () => {
    const { origin } = new URL(await sessionWith("calls"))
    const asked = await ask(api, "GET", "/api/v1/sessions", { headers: { origin } })
    expect(asked.headers["access-control-allow-origin"]).toBeUndefined()
    const started = await ask(api, "POST", "/api/v1/sessions/calls/preview/server", { json: {} })
    expect(started.status).toBe(501)
  })
})

describe("published apps on a stage", () => {
  const publish = async (id: string, of: unknown) => {
    await sessionWith(id, of)
    const json = { name: id }
    const { status, text } = await ask(of, "POST", `/api/v1/sessions/${id}/app`, { json })
    expect(status).toBe(201)
    return new URL(JSON.parse(text).url)
  }

  it("have a host of their own below the domain, whose origin may not call the API", async () => {
    const url = await publish("tea-stage", api)
    expect(url.href).toBe(`https://tea-stage.${DOMAIN}/`)
    expect(await get(url.host.toUpperCase(), "/")).toMatchObject({ status: 200, text: page })
    expect((await get(url.host, "/", { origin: ORIGIN })).status).toBe(403)
    for (const host of [`${url.host}.`, `a.${url.host}`, `tea-stage.evil.example`, `www.${DOMAIN}`, DOMAIN])
      expect((await get(host, "/")).status, host).toBe(404)
    for (const origin of [url.origin, `https://anything.${DOMAIN}`]) {
      const asked = await ask(api, "GET", "/api/v1/apps", { headers: { origin } })
      expect(asked.headers["access-control-allow-origin"], origin).toBeUndefined()
    }
    await ask(api, "DELETE", "/api/v1/sessions/tea-stage")
    expect((await get(url.host, "/")).status).toBe(200)
    expect((await ask(api, "DELETE", "/api/v1/apps/tea-stage")).status).toBe(200)
    const gone = await get(url.host, "/")
    expect([gone.status, gone.headers["clear-site-data"]]).toEqual([404, '"cache", "storage"'])
  })

  it("are paths of the previews' host without a domain", async () => {
    const url = await publish("tea-shared", apiOfPaths)
    expect(url.href).toBe(`${SHARED}/tea-shared/`)
    const headers = { "x-forwarded-host": url.host, "x-origin-secret": secret, authorization: "" }
    const shown = await ask(previewOfPaths, "GET", url.pathname, { headers })
    expect(shown.text).toContain('href="/tea-shared/site/style.css"')
    expect(shown.headers["content-security-policy"]).toMatch(/sandbox allow-scripts (?!.*same-origin)/)
  })
})

describe("previews on a stage without a domain for them", () => {
  const getAt = (url: URL, path = "", { method = "GET", origin = secret } = {}) => {
    const headers = { "x-forwarded-host": url.host, "x-origin-secret": origin, authorization: "" }
    return ask(previewOfPaths, method, url.pathname + path, { headers })
  }

  it("are at paths of one host, which name the studio that frames them", async () => {
    const url = new URL(await sessionWith("path-tea", apiOfPaths))
    expect(url.href).toMatch(/^https:\/\/d111111abcdef8\.cloudfront\.net\/[\w-]{80,}\/$/)
    const shown = await getAt(url)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain(`<link crossorigin rel="stylesheet" href="${url.pathname}site/style.css">`)
    const policy = shown.headers["content-security-policy"] ?? ""
    expect(policy).toContain(`default-src ${url.href} `)
    expect(policy).toContain(`frame-ancestors ${STUDIO};`)
    expect(policy).toMatch(/sandbox allow-scripts (?!.*(same-origin|top-navigation))/)
    expect(shown.headers["access-control-allow-origin"]).toBe("null")
    expect((await getAt(url, "site/style.css")).text).toBe("h1 { color: teal }")
    expect((await getAt(url, "-//reporter.js")).text).toContain(JSON.stringify([STUDIO]))
    expect((await getAt(url, "site/style.css", { method: "OPTIONS" })).status).toBe(204)
  })

  it("are refused to whoever goes round the distribution, at a path nobody signed, and once the session is gone", async () => {
    const url = new URL(await sessionWith("path-gone", apiOfPaths))
    expect((await getAt(url, "", { origin: ORIGIN })).status).toBe(403)
    expect((await getAt(new URL("/", url))).status).toBe(404)
    expect((await getAt(new URL(`/${"A".repeat(100)}/`, url))).status).toBe(404)
    expect((await getAt(new URL("/v1/me", url))).status).toBe(404)
    await ask(apiOfPaths, "DELETE", "/api/v1/sessions/path-gone")
    expect((await getAt(url)).status).toBe(404)
  })
})
