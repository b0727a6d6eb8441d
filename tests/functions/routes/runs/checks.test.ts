import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { needs } from "../../../needs.ts"
import { processesWith } from "../../../runner/agents/workshop.ts"
import { needsSandbox } from "../../../runner/sandbox/confined.ts"
import { someOf } from "../../../settings.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const loopback = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
const needsIpv6 = needs(loopback.some(({ address }) => address === "::1") ? undefined : "there is no IPv6 loopback")

const manifest = (scripts: object) => `${JSON.stringify({ type: "module", scripts })}\n`
const TEST = 'import { test } from "node:test"\nimport assert from "node:assert"\n'

const sound = {
  "package.json": manifest({ build: "node build.js", test: "node --test", start: "node server.js" }),
  "build.js": 'import { writeFileSync } from "node:fs"\nwriteFileSync("built.txt", "built")\n',
  "lib.test.js": `${TEST}test("adds", () => assert.equal(1 + 1, 2))\ntest("waits", { skip: true }, () => {})\n`,
  "server.js":
    'import { createServer } from "node:http"\ncreateServer((_, res) => res.end("hello")).listen(process.env.PORT ?? 3000)\n',
}

/** Opens a session with these files, and returns requests that check it. */
async function withFiles(files: Record<string, string>) {
  const session = await openSession(server)
  for (const [path, content] of Object.entries(files)) await session.edit(path, content)
  return {
    ...session,
    ask: (json: object = { consent: true }) => server.call("POST", `/api/v1/sessions/${session.id}/checks`, { json }),
    async check() {
      const { body, status } = await server.call("POST", `/api/v1/sessions/${session.id}/checks`, {
        json: { consent: true },
      })
      expect(status, JSON.stringify(body)).toBe(201)
      return server.ended(body.run_id)
    },
  }
}

/** Returns a program that exits with 0 if it can't reach the server. */
const dialling = () => `import { connect } from "node:net"
connect(${new URL(server.url).port}, "127.0.0.1").on("connect", () => process.exit(1)).on("error", () => process.exit(0))
`

describe("a check", () => {
  it("takes the consent of whose machine it is, once", async () => {
    const fresh = await startServer()
    const session = await openSession(fresh)
    await session.edit("README.md", "Nothing to run.\n")
    const ask = (json: object) => fresh.call("POST", `/api/v1/sessions/${session.id}/checks`, { json })
    const message = expect.stringMatching(/^Checks run project code/)
    expect(await ask({})).toMatchObject({ status: 409, body: { error: { code: "consent_required", message } } })
    const { body } = await ask({ consent: true })
    await fresh.ended(body.run_id)
    expect((await ask({})).status).toBe(201)
    await fresh.close()
  })

  it("says what was shown, and for which version", async () => {
    const session = await withFiles(sound)
    const { status, verdict } = await session.check()
    expect([status, verdict], JSON.stringify(verdict)).toMatchObject([
      "completed",
      {
        status: "passed",
        workspace_version: 4,
        checks: [
          { name: "build", command: "npm run build", exit_code: 0 },
          { name: "test", command: "npm test", exit_code: 0, tests: { passed: 1, failed: 0, skipped: 1 } },
          {
            name: "start",
            command: "npm start",
            exit_code: 0,
            reason: expect.stringMatching(/responded to GET .* 200/),
          },
        ],
      },
    ])
    // Files that a check creates aren't part of the project.
    expect(Object.keys(await session.files()).sort()).toEqual(Object.keys(sound).sort())
  })

  it.each(
    someOf<[string, Record<string, string>, string]>(
      [
        ["a test that fails", { "lib.test.js": `${TEST}test("adds", () => assert.equal(1 + 1, 3))\n` }, "test"],
        [
          "no tests at all",
          { "package.json": manifest({ test: `node -e "console.log('# pass 0'); console.log('# fail 0')"` }) },
          "test",
        ],
        ["a build that fails", { "build.js": "process.exit(3)\n" }, "build"],
        ["a server that ends", { "server.js": 'throw new Error("no database")\n' }, "start"],
        [
          "a server that fails to answer",
          { "server.js": sound["server.js"].replace('res.end("hello")', 'res.writeHead(500).end("broken")') },
          "start",
        ],
      ],
      3,
    ),
  )("finds %s", async (_, files, name) => {
    const session = await withFiles({ ...sound, ...files })
    const { status, verdict } = await session.check()
    expect([status, verdict.status]).toEqual(["completed", "failed"])
    expect(verdict.checks.at(-1)).toMatchObject({ name, passed: false })
  })

  itDeep("finds a server at whichever address the machine takes for localhost", needsIpv6, async () => {
    const listening = sound["server.js"].replace("?? 3000)", '?? 3000, "::1")')
    const { verdict } = await (await withFiles({ ...sound, "server.js": listening })).check()
    expect(verdict.checks.at(-1)).toMatchObject({
      name: "start",
      reason: expect.stringMatching(/responded to GET .* 200/),
    })
  })

  it("is not run where there is nothing to run", async () => {
    const session = await withFiles({ "notes.txt": "Buy milk.\n" })
    const { status, verdict } = await session.check()
    expect([status, verdict]).toMatchObject(["completed", { status: "not_run", checks: [] }])
  })

  it("runs one at a time in a session, and can be cancelled", async () => {
    const session = await withFiles({ ...sound, "build.js": "setInterval(() => {}, 1000)\n" })
    const { body } = await session.ask()
    expect(await session.ask()).toMatchObject({ status: 409, body: { error: { code: "run_active" } } })
    await expect.poll(async () => (await session.events()).map(({ type }) => type)).toContain("check_started")
    await server.call("POST", `/v1/runs/${body.run_id}/cancel`)
    expect(await server.ended(body.run_id)).toMatchObject({ status: "cancelled" })
    expect(await processesWith(`HOME=${server.folder}/homes/checks/`)).toEqual([])
  })

  it("shows what was built nothing of the server", needsSandbox, async () => {
    const look = `import { readdirSync, readFileSync } from "node:fs"
// Its own home is below that folder.
if (readdirSync(${JSON.stringify(server.folder)}).some((name) => name !== "homes")) process.exit(1)
try {
  readFileSync(${JSON.stringify(join(server.folder, "records.sqlite"))})
  process.exit(1)
} catch {}
if (Object.keys(process.env).some((name) => /KEY|TOKEN|SECRET/.test(name))) process.exit(2)
`
    const session = await withFiles({ "package.json": manifest({ build: "node look.js" }), "look.js": look })
    expect((await session.check()).verdict).toMatchObject({ status: "passed" })
  })

  it(
    "ends a test that takes far too much memory",
    needs(process.platform === "linux" ? undefined : "not Linux"),
    async () => {
      const hog = "const held = [3e9, 3e9].map((bytes) => Buffer.alloc(bytes))\nconsole.log(held.length)\n"
      const session = await withFiles({ "package.json": manifest({ test: "node hog.js" }), "hog.js": hog })
      const { verdict } = await session.check()
      expect(verdict).toMatchObject({ status: "failed", checks: [{ name: "test", passed: false }] })
    },
  )

  it("has no network where it runs what was built", needsSandbox, async () => {
    const session = await withFiles({ "package.json": manifest({ build: "node dial.js" }), "dial.js": dialling() })
    expect((await session.check()).verdict).toMatchObject({ status: "passed" })
  })

  describe("with commands that a person set", () => {
    const at = (id: string) => `/api/v1/sessions/${id}/checks/commands`

    it("runs these in place of those that are found, and says so", async () => {
      const session = await withFiles({ ...sound, "other.test.js": `${TEST}test("other", () => {})\n` })
      const found = { build: "npm run build", test: "npm test", start: "npm start" }
      expect((await server.call("GET", at(session.id))).body).toEqual({ found, set: {} })
      const json = { test: "node --test other.test.js", start: "node -e 0" }
      expect((await server.call("PUT", at(session.id), { json })).body).toEqual({ found, set: json })
      const { verdict } = await session.check()
      expect([verdict.status, verdict.checks], JSON.stringify(verdict)).toMatchObject([
        "passed",
        [
          { name: "build", command: "npm run build" },
          { name: "test", command: json.test, set: true, tests: { passed: 1, failed: 0 } },
          { name: "start", command: json.start, set: true, exit_code: 0 },
        ],
      ])
      expect(verdict.checks[0].set).toBeUndefined()
      // Commands that aren't set are detected again.
      expect((await server.call("PUT", at(session.id), { json: {} })).body).toEqual({ found, set: {} })
      const events = (await session.events()).filter(({ type }) => type === "check_commands_set")
      expect(events).toHaveLength(2)
    })

    it("says that a program isn't there, and not that the project fails", async () => {
      const session = await withFiles({ "notes.txt": "Buy milk.\n" })
      await server.call("PUT", at(session.id), { json: { test: "no-such-program --test" } })
      expect((await session.check()).verdict).toMatchObject({
        status: "not_run",
        reason: "no-such-program isn't installed on this machine.",
      })
      await server.call("PUT", at(session.id), { json: { test: "exit 3" } })
      expect((await session.check()).verdict).toMatchObject({ status: "failed", checks: [{ exit_code: 3, set: true }] })
    })

    it("gives the network to none of them, not even to one that installs", needsSandbox, async () => {
      const session = await withFiles({ ...sound, "dial.js": dialling() })
      await server.call("PUT", at(session.id), { json: { install: "node dial.js" } })
      const { verdict } = await session.check()
      expect(verdict.checks[0]).toMatchObject({ name: "install", command: "node dial.js", passed: true, set: true })
    })

    it("takes a line of text each, and a session", async () => {
      const session = await withFiles(sound)
      for (const json of [{ test: "a\nb" }, { test: "" }, { deploy: "make" }]) {
        expect(await server.call("PUT", at(session.id), { json })).toMatchObject({ status: 422 })
      }
      expect((await server.call("GET", at(session.id))).body.set).toEqual({})
      expect(await server.call("PUT", at("nobodys"), { json: {} })).toMatchObject({ status: 404 })
      expect(await server.call("GET", at("nobodys"))).toMatchObject({ status: 404 })
    })
  })

  it("needs files, and a session", async () => {
    const session = await openSession(server)
    const ask = (id: string) => server.call("POST", `/api/v1/sessions/${id}/checks`, { json: {} })
    expect(await ask(session.id)).toMatchObject({ status: 404 })
    expect(await ask("nobodys")).toMatchObject({ status: 404 })
  })
})
