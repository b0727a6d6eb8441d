import { once } from "node:events"
import { request } from "node:http"
import { type AddressInfo, connect, createServer } from "node:net"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { SWITCHED_OFF } from "@switchyard/core/sessions/previews/server-preview"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { freePort } from "../../../free-port.ts"
import { processesWith } from "../../../runner/agents/workshop.ts"
import { confinement, needsSandbox } from "../../../runner/sandbox/confined.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const manifest = (scripts: object) => `${JSON.stringify({ type: "module", scripts })}\n`

/** Source of a server that echoes requests, and sets a cookie for more hosts than its own. */
const echo = (word: string) => `import { createServer } from "node:http"
const page = "<!doctype html><title>${word}</title>"
const server = createServer((request, response) => {
  if (request.url === "/") {
    response.writeHead(200, {
      "content-type": "text/html",
      "set-cookie": ["a=1; Domain=localhost; Path=/", "b=2"],
      "x-frame-options": "DENY",
      "content-security-policy": "img-src 'none'; frame-ancestors 'none'",
    })
    return response.end(page)
  }
  const [, to] = request.url.split("/leave?")
  if (to !== undefined) return response.writeHead(302, { location: decodeURIComponent(to) }).end()
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body })))
})
server.on("upgrade", (request, socket) => {
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n" + request.url)
  socket.pipe(socket)
})
server.listen(process.env.PORT, "127.0.0.1")
`

const project = (word: string) => ({ "package.json": manifest({ start: "node server.js" }), "server.js": echo(word) })

async function withFiles(files: Record<string, string>, of = server, repository?: string) {
  const session = await openSession(of, repository)
  for (const [path, content] of Object.entries(files)) await session.edit(path, content)
  const at = `/api/v1/sessions/${session.id}/preview`
  const look = async (query = "") => (await of.call("GET", `${at}${query}`)).body
  return {
    ...session,
    look,
    start: (json: object = { consent: true }) => of.call("POST", `${at}/server`, { json }),
    stop: () => of.call("DELETE", `${at}/server`),
    /** Resolves to the server's host once the server runs this version. */
    async hostOf(version: number): Promise<string> {
      const shown = async () => {
        const { server } = await look()
        return [server?.status, server?.version]
      }
      await expect.poll(shown).toEqual(["ready", version])
      return new URL((await look()).server.url).host
    },
  }
}

/** Sends a request with any Host header, which pages in browsers can't do. */
async function get(host: string, path = "/", { method = "GET", headers = {}, body = "" } = {}) {
  const to = { host: "127.0.0.1", port: new URL(server.url).port, path, method, agent: false }
  const [answer] = await once(request({ ...to, headers: { ...headers, host } }).end(body), "response")
  return { status: answer.statusCode as number, headers: answer.headers, body: await text(answer) }
}

describe("the server of a project", () => {
  it("is started, shown at a host of its own, and stopped", async () => {
    const session = await withFiles(project("first"))
    expect((await session.look()).server).toEqual({
      ...{ command: "npm start", status: "none", version: null, url: null, reason: null },
    })
    const started = await session.start()
    expect([started.status, started.body.server.status]).toEqual([202, expect.stringMatching(/requested|starting/)])
    const host = await session.hostOf(2)
    const page = await get(host)
    expect([page.status, page.body]).toEqual([
      200,
      '<!doctype html><script src="/-//reporter.js"></script><title>first</title>',
    ])
    // Only the studio may frame the page, and the page's cookies stay on its own host.
    expect(page.headers["x-frame-options"]).toBeUndefined()
    expect(page.headers["content-security-policy"]).toMatch(
      /^img-src 'none', default-src .*frame-ancestors 'self' http/,
    )
    expect(page.headers["set-cookie"]).toEqual(["a=1; Path=/", "b=2"])
    expect(page.headers["connection-allowlist"]).toBe("(response-origin);redirects=allow;webrtc=block")
    // Browsers don't apply the allowlist to redirects.
    const leave = async (to: string) => (await get(host, `/leave?${encodeURIComponent(to)}`)).status
    expect(await Promise.all(["/there", `http://${host}/there`].map(leave))).toEqual([302, 302])
    const elsewhere = ["http://elsewhere.example/", "//elsewhere.example", `http://${host}.elsewhere.example/`]
    expect(await Promise.all(elsewhere.map(leave))).toEqual([403, 403, 403])

    expect((await session.stop()).status).toBe(200)
    await expect.poll(async () => (await session.look()).server.status).toBe("none")
    expect((await get(host)).status).toBe(503)
    expect(await processesWith(`HOME=${server.folder}/homes/previews/`)).toEqual([])
    const types = (await session.events()).map(({ type }) => type).filter((type) => type.startsWith("server_preview"))
    expect(types).toEqual([
      "server_preview_requested",
      "server_preview_starting",
      "server_preview_ready",
      "server_preview_stop_requested",
      "server_preview_ended",
    ])
  })

  it("is sent what a page sends, and nothing that is the studio's", async () => {
    const session = await withFiles(project("echo"))
    await session.start()
    const host = await session.hostOf(2)
    const sent = await get(host, "/things?a=1", {
      method: "POST",
      body: "hello",
      headers: {
        cookie: "own=1; switchyard=a-login; __Host-switchyard=another",
        authorization: "Bearer sy_0123456789abcdefghjkmnpqrs_aa",
        "content-type": "text/x",
      },
    })
    const told = JSON.parse(sent.body)
    expect(told).toMatchObject({ method: "POST", url: "/things?a=1", body: "hello" })
    expect(told.headers).toMatchObject({ host, cookie: "own=1", "content-type": "text/x" })
    expect(told.headers.authorization).toBeUndefined()
    const own = await get(host, "/", { headers: { authorization: "Bearer of-the-app" } })
    expect(own.status).toBe(200)
    expect((await get(host, "/sw.js", { headers: { "service-worker": "script" } })).status).toBe(403)
    await session.stop()
  })

  it("has its pages' own sockets, and those of no other site", async () => {
    const session = await withFiles(project("socket"))
    await session.start()
    const host = await session.hostOf(2)
    const open = async (origin: string) => {
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
      const headers = [`Host: ${host}`, `Origin: ${origin}`, "Connection: Upgrade", "Upgrade: websocket"]
      socket.write(["GET /live HTTP/1.1", ...headers, "", ""].join("\r\n"))
      let heard = ""
      socket.on("data", (bytes) => {
        heard += bytes
      })
      const told = (what: string) => expect.poll(() => heard).toContain(what)
      return { socket, told }
    }
    const own = await open(`http://${host}`)
    await own.told("101 Switching Protocols")
    await own.told("/live")
    own.socket.write("ping")
    await own.told("/liveping")
    own.socket.destroy()
    const other = await open("http://elsewhere.invalid")
    await other.told("403")
    await session.stop()
  })

  it("follows the files, and shows an earlier version to whoever asks for that", async () => {
    const session = await withFiles(project("first"))
    await session.start()
    const host = await session.hostOf(2)
    await session.edit("server.js", echo("second"))
    expect(await session.hostOf(3)).toBe(host)
    expect((await get(host)).body).toContain("second")

    const commits = (await session.events()).filter(({ type }) => type === "workspace_committed")
    await session.start({ seq: commits[1]?.seq })
    expect(await session.hostOf(2)).toBe(host)
    expect((await get(host)).body).toContain("first")
    // The earlier version remains, whatever is written.
    await session.edit("notes.txt", "Buy milk.\n")
    expect((await get(host)).body).toContain("first")
    await session.start()
    expect(await session.hostOf(4)).toBe(host)
    await session.stop()
  })

  it("is started as its repository is set, on the port that is set", async () => {
    const other = createServer().listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port: taken } = other.address() as AddressInfo
    const port = await freePort()
    const fixed = echo("fixed").replace("process.env.PORT", String(port))
    const files = { ...project("usual"), "fixed.js": fixed, "silent.js": "setInterval(() => {}, 1000)\n" }
    const { folder } = makeRepository(join(dirname(server.folder), "shown"), files)
    const set = async (change: object) => {
      const put = await server.call("PUT", "/api/v1/config/project", { json: { project_path: folder, ...change } })
      expect(put.status, put.text).toBe(200)
    }
    const session = await withFiles({}, server, folder)
    expect((await session.task({ files: { "notes.txt": "Mine.\n" } })).status).toBe("completed")
    const { version, server: unset } = await session.look()
    expect(unset.command).toBeNull()

    await set({ preview_command: "node fixed.js", preview_port_mode: "manual", preview_port: port })
    expect((await session.look()).server.command).toBe("node fixed.js")
    await session.start()
    expect((await get(await session.hostOf(version))).body).toContain("fixed")
    await session.stop()
    await expect.poll(async () => (await session.look()).server.status).toBe("none")

    const reasons = async () => {
      const ends = (await session.events()).filter(({ type }) => type === "server_preview_ended")
      return ends.map(({ reason }) => reason)
    }
    const within = { start: "node fixed.js", limits_seconds: { start: 1 } }
    await server.call("PUT", "/api/v1/config/repositories", {
      json: { repositories: [{ repository: folder, checks: within }] },
    })
    await set({ preview_port_mode: "manual", preview_port: taken })
    await session.start()
    await expect.poll(reasons).toEqual(["It was stopped.", "The server exited by itself."])
    // A sandbox has its own ports, so the port is free there.
    const words = `Port ${taken} is in use by another program.`
    expect((await session.events()).findLast(({ type }) => type === "server_preview_ended")?.output).toContain(
      confinement.means === "bubblewrap" ? `It didn't respond to HTTP requests on port ${taken}` : words,
    )
    other.close()

    const checks = { start: "node silent.js", limits_seconds: { start: 1 } }
    await server.call("PUT", "/api/v1/config/repositories", {
      json: { repositories: [{ repository: folder, checks }] },
    })
    await session.start()
    await expect.poll(reasons).toHaveLength(3)
    expect((await session.events()).findLast(({ type }) => type === "server_preview_ended")?.output).toContain(
      "It didn't respond to HTTP requests within 1 s.",
    )
    await set({ preview_port_mode: "disabled" })
    expect((await session.look()).server).toMatchObject({ url: null, reason: SWITCHED_OFF })
    expect(await session.start()).toMatchObject({ status: 422, body: { error: { message: SWITCHED_OFF } } })
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [] } })
  })

  it("of a repository is started before anything was changed in it, and before its first task", async () => {
    const { folder } = makeRepository(join(dirname(server.folder), "untouched"), project("untouched"))
    const session = await withFiles({}, server, folder)
    expect((await session.look()).server).toMatchObject({ command: null, status: "none", reason: null })
    expect((await session.start()).status).toBe(202)
    expect((await get(await session.hostOf(0))).body).toContain("untouched")
    await session.stop()
    await expect.poll(async () => (await session.look()).server.status).toBe("none")
    // The server then shows the agent's changes.
    await session.task({ files: { "server.js": echo("changed") } })
    await session.start()
    const { version } = await session.look()
    expect((await get(await session.hostOf(version))).body).toContain("changed")
    await session.stop()
  })

  it("gives the commands before it the time that is set for them", async () => {
    const files = { ...project("x"), "package.json": manifest({ build: "sleep 1000", start: "node server.js" }) }
    const { folder } = makeRepository(join(dirname(server.folder), "slow"), files)
    const checks = { start: "node server.js", limits_seconds: { build: 1 } }
    await server.call("PUT", "/api/v1/config/repositories", {
      json: { repositories: [{ repository: folder, checks }] },
    })
    const session = await withFiles({}, server, folder)
    await session.task({ files: { "notes.txt": "Mine.\n" } })
    await session.start()
    const end = async () => (await session.events()).find(({ type }) => type === "server_preview_ended")
    const reason = "npm run build exceeded its time limit of 1 s."
    await expect.poll(end).toMatchObject({ failed: true, reason })
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [] } })
  })

  it("says why there is none", async () => {
    const broken = await withFiles({ ...project("x"), "server.js": 'throw new Error("no database")\n' })
    await broken.start()
    const end = async () => (await broken.events()).find(({ type }) => type === "server_preview_ended")
    await expect.poll(end).toMatchObject({ failed: true, reason: "The server exited by itself." })
    expect((await end())?.output).toContain("no database")
    expect((await broken.look()).server.status).toBe("none")

    const none = await withFiles({ "index.html": "<p>A page.</p>\n" })
    expect((await none.look()).server).toBeNull()
    const empty = await openSession(server)
    const path = `/api/v1/sessions/${empty.id}/preview/server`
    expect(await server.call("POST", path, { json: { consent: true } })).toMatchObject({ status: 404 })
  })

  it("takes the consent of whose machine it is", async () => {
    const fresh = await startServer()
    const session = await withFiles(project("x"), fresh)
    expect(await session.start({})).toMatchObject({ status: 409, body: { error: { code: "consent_required" } } })
    expect((await session.events()).some(({ type }) => type === "server_preview_requested")).toBe(false)
    await fresh.close()
  })

  it("reaches neither the machine's network nor its files", needsSandbox, async () => {
    const dial = `import { connect } from "node:net"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
let outcome = "waiting"
connect(${new URL(server.url).port}, "127.0.0.1").on("connect", () => (outcome = "REACHED")).on("error", () => (outcome = "refused"))
const seen = existsSync(${JSON.stringify(`${server.folder}/records.sqlite`)})
createServer((_, response) => response.end(outcome + " " + seen)).listen(process.env.PORT)
`
    const session = await withFiles({ ...project("x"), "server.js": dial })
    await session.start()
    const host = await session.hostOf(2)
    await expect.poll(async () => (await get(host)).body).toBe("refused false")
    await session.stop()
  })
})

describe("consent to a project's server on a machine without a sandbox", () => {
  it("is given for each session, says why, is listed and can be withdrawn", async () => {
    vi.stubEnv("SWITCHYARD_AGENT_SANDBOX", "off")
    const bare = await startServer()
    try {
      const first = await withFiles(project("One"), bare)
      const second = await withFiles(project("Two"), bare)
      const refused = await first.start({})
      expect(refused.body.error).toMatchObject({ code: "consent_required", details: { sandbox: false } })
      expect(refused.body.error.message).toContain("no sandbox")
      expect((await first.start()).status).toBe(202)
      expect((await first.start({})).status).toBe(202)
      expect((await second.start({})).body.error.code).toBe("consent_required")
      const { consents } = (await bare.call("GET", "/api/v1/consents")).body
      expect(consents).toMatchObject([{ kind: "server", repository: null, session_id: first.id }])
      await bare.call("DELETE", `/api/v1/consents/${consents[0].id}`)
      expect((await first.start({})).body.error.code).toBe("consent_required")
    } finally {
      vi.unstubAllEnvs()
      await bare.close()
    }
  })
})
