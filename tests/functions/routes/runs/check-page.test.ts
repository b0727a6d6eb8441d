import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { findBrowser } from "../../../../packages/runner/src/gate/page-results.ts"
import { locate } from "../../../../packages/runner/src/programs/locate.ts"
import { itDeep } from "../../../depth.ts"
import { needs } from "../../../needs.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

const browser = await findBrowser(process.env.PATH ?? "")
const needsBrowser = needs(browser === undefined ? "there is no Chromium on the path" : undefined)

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => vi.unstubAllEnvs())

/** Returns a PATH with only these programs. */
async function pathWith(programs: string[]): Promise<string> {
  for (const name of programs) {
    const found = await locate(name, process.env.PATH ?? "")
    await symlink(found?.file ?? "", join(server.folder, name))
  }
  return server.folder
}

const html = (body: string) =>
  `<!doctype html>\n<html lang="en"><head><title>List</title></head><body style="background:#246">${body}</body></html>\n`

async function check(files: Record<string, string>, of = server) {
  const session = await openSession(of)
  for (const [path, content] of Object.entries(files)) await session.edit(path, content)
  const { body } = await of.call("POST", `/api/v1/sessions/${session.id}/checks`, { json: { consent: true } })
  const { verdict } = await of.ended(body.run_id)
  const events = await session.events()
  const { picture } = (await of.call("GET", `/api/v1/sessions/${session.id}`)).body
  return { id: session.id, verdict, picture, opened: events.find(({ type }) => type === "page_opened") }
}

describe("a page that was built", () => {
  it("is opened by a browser, and its picture is the session's", needsBrowser, async () => {
    const { id, verdict, picture, opened } = await check({
      "index.html": html('<h1>List</h1><script src="app.js"></script>'),
      "app.js": "document.querySelector('h1').textContent = 'Mine'\n",
    })
    expect(verdict).toMatchObject({
      status: "passed",
      checks: [{ name: "start", command: "open index.html", reason: "A browser opened index.html without errors." }],
    })
    expect(opened).toMatchObject({ errors: [], other_hosts: [], picture: { width: 640, height: 400 } })
    expect(picture).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), version: 2, width: 640 })
    const sent = await fetch(`${server.url}/api/v1/sessions/${id}/artifacts/${picture.sha256}`)
    expect([sent.status, sent.headers.get("content-type")]).toEqual([200, "image/png"])
    expect((await sent.arrayBuffer()).byteLength).toBe(picture.size_bytes)
  })

  it("fails where it throws, with its words", needsBrowser, async () => {
    const { verdict, opened } = await check({
      "index.html": html('<script src="app.js"></script>'),
      "app.js": "\n[1].size.toString()\n",
    })
    expect(verdict.status).toBe("failed")
    const words = "Cannot read properties of undefined (reading 'toString') (app.js, line 2)"
    expect(verdict.checks[0].reason).toContain(words)
    expect(opened?.errors).toEqual([expect.stringContaining(words)])
  })

  itDeep("fails where its application never draws anything", needsBrowser, async () => {
    const { verdict, opened } = await check({
      "index.html": html('<div id="app"></div><script src="app.js"></script>'),
      "app.js": "const app = () => 'Hello'\n",
    })
    expect(verdict.status).toBe("failed")
    expect(verdict.checks[0].reason).toBe(
      "A browser opened index.html, which fails: it remains empty although it has scripts",
    )
    expect(opened?.errors).toHaveLength(1)
  })

  itDeep("isn't blamed for what it can't load from elsewhere", needsBrowser, async () => {
    const { verdict, opened } = await check({
      "index.html": html('<script src="https://elsewhere.invalid/lib.js"></script><script>lib.start()</script>'),
    })
    expect(verdict).toMatchObject({
      status: "passed",
      checks: [{ reason: expect.stringContaining("elsewhere.invalid") }],
    })
    expect(opened?.other_hosts).toEqual(["elsewhere.invalid"])
  })

  it("of a server is opened where that serves one", needsBrowser, async () => {
    const serving = (page: string) => ({
      "package.json": JSON.stringify({ type: "module", scripts: { start: "node server.js" } }),
      "server.js": `import { createServer } from "node:http"
createServer((_, response) => response.setHeader("content-type", "text/html").end(${JSON.stringify(page)})).listen(process.env.PORT)
`,
    })
    const sound = await check(serving(html("<h1>Hello</h1>")))
    expect(sound.verdict).toMatchObject({ status: "passed" })
    expect(sound.verdict.checks[0].reason).toMatch(
      /responded to GET .* 200, and a browser opened its page without errors/,
    )
    expect(sound.picture).not.toBeNull()
    const broken = await check(serving(html("<script>nothing()</script>")))
    expect(broken.verdict.status).toBe("failed")
    expect(broken.verdict.checks[0].reason).toContain("nothing is not defined")
  })

  it("isn't opened where nothing is to be shown by that, or no browser is there", async () => {
    const source = await check({ "index.html": html('<script type="module" src="/src/main.tsx"></script>') })
    expect([source.verdict.status, source.picture]).toEqual(["not_run", null])
    vi.stubEnv("PATH", await pathWith(["git", "perl", "sh"]))
    const without = await check({ "index.html": html("") })
    expect(without.verdict).toMatchObject({ status: "not_run", reason: expect.stringContaining("no browser") })
  })
})
