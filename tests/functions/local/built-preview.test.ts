import { once } from "node:events"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Requests a path below a preview's address. Its host name only resolves in browsers. */
async function get(address: string, path = "") {
  const { host, pathname } = new URL(path, address)
  const to = { host: "127.0.0.1", port: new URL(server.url).port, path: pathname, agent: false }
  const [answer] = await once(request({ ...to, headers: { host } }).end(), "response")
  const policy = String(answer.headers["content-security-policy"])
  return { status: answer.statusCode as number, policy, body: await text(answer) }
}

const PAGE = '<!doctype html><div id="app"></div><script type="module" src="/src/main.tsx"></script>'
const manifest = (scripts: object) => JSON.stringify({ type: "module", scripts })
const build = (word: string) => `import { mkdirSync, writeFileSync } from "node:fs"
mkdirSync("dist/assets", { recursive: true })
writeFileSync("dist/index.html", '<script type="module" src="/assets/app.js"></script>')
writeFileSync("dist/assets/app.js", "document.title = '${word}'")
`

let sessions = 0
async function sessionWith(files: Record<string, string>) {
  const id = `built-${++sessions}`
  const edit = (path: string, content: string) =>
    server.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } })
  for (const [path, content] of Object.entries(files)) await edit(path, content)
  return {
    edit,
    look: async (query = "") => (await server.call("GET", `/api/v1/sessions/${id}/preview${query}`)).body,
    async check() {
      const { body } = await server.call("POST", `/api/v1/sessions/${id}/checks`, { json: { consent: true } })
      await server.ended(body.run_id)
    },
    async seqOf(type: string, version: number): Promise<number> {
      const { events } = (await server.call("GET", `/api/v1/sessions/${id}/events`)).body
      const isIt = (event: { type: string; version?: number }) => event.type === type && event.version === version
      return events.find(isIt).seq
    },
  }
}

describe("the preview of a project that must be built", () => {
  it("shows the output of a check of the same version, now and in a replay", async () => {
    const { edit, look, check, seqOf } = await sessionWith({
      "package.json": manifest({ build: "node build.js" }),
      "build.js": build("First"),
      "src/main.tsx": "export {}",
      "index.html": PAGE,
    })
    const before = await look()
    expect(before).toMatchObject({ available: false, url: null, entry: "index.html", needs_build: true, built: false })
    expect(before.reason).toContain("index.html")

    await check()
    const first = await look()
    expect(first).toMatchObject({ available: true, reason: null, needs_build: false, built: true, version: 4 })
    expect((await get(first.url)).body).toContain("/assets/app.js")
    const asset = await get(first.url, "/assets/app.js")
    expect(asset).toMatchObject({ status: 200, body: "document.title = 'First'" })
    expect((await get(first.url)).policy).toContain("default-src 'self'")
    // Sources aren't part of the built output.
    expect((await get(first.url, "/src/main.tsx")).status).toBe(404)
    expect((await get(first.url, "/build.js")).status).toBe(404)

    await edit("build.js", build("Second"))
    expect(await look()).toMatchObject({ needs_build: true, built: false, url: null })
    await check()
    const second = await look()
    // Data that the page stores survives a new build.
    expect(second.url).toBe(first.url)
    expect((await get(second.url, "/assets/app.js")).body).toBe("document.title = 'Second'")

    const replayed = await look(`?seq=${await seqOf("workspace_committed", 4)}`)
    expect(replayed).toMatchObject({ version: 4, built: true })
    expect((await get(replayed.url, "/assets/app.js")).body).toBe("document.title = 'First'")
    const unbuilt = await look(`?seq=${(await seqOf("workspace_committed", 4)) - 1}`)
    expect(unbuilt).toMatchObject({ version: 3, built: false, needs_build: false })
  })

  it("says that a replayed version's output isn't stored", async () => {
    const { edit, look, check, seqOf } = await sessionWith({ "index.html": PAGE, "build.js": build("Late") })
    await edit("package.json", manifest({ build: "node build.js" }))
    await check()
    expect(await look()).toMatchObject({ built: true, version: 3 })
    const replayed = await look(`?seq=${await seqOf("workspace_committed", 2)}`)
    expect(replayed).toMatchObject({ built: false, needs_build: true, url: null, version: 2 })
    expect(replayed.reason).toBe("Version 2 must be built first, and no build of it is stored.")
  })

  it("offers a bundler's dev script as the server", async () => {
    const { look } = await sessionWith({ "index.html": PAGE, "package.json": manifest({ dev: "vite" }) })
    expect(await look()).toMatchObject({ needs_build: true, server: { command: "npm run dev", reason: null } })
  })
})

describe("the preview of a plain page", () => {
  it("shows the files, even if a check stored the output of a build", async () => {
    const { look, check } = await sessionWith({
      "package.json": manifest({ build: "node build.js" }),
      "build.js": build("Built"),
      "index.html": "<h1>Plain</h1>",
    })
    await check()
    const shown = await look()
    expect(shown).toMatchObject({ available: true, built: false, needs_build: false })
    expect((await get(shown.url)).body).toContain("<h1>Plain</h1>")
  })
})
