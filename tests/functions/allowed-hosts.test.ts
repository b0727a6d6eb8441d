import { mkdirSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository } from "./agents/repository.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer } from "./server.ts"

/** Unrelated local server on a port that callers may guess. */
let internal: Server
let port: number
let asked = 0
beforeAll(async () => {
  internal = createServer((_request, response) => {
    asked++
    response.writeHead(404).end()
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => internal.once("listening", resolve))
  port = (internal.address() as AddressInfo).port
})
afterAll(() => internal.close())

describe("a server that only reaches public hosts", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ env: { ALLOWED_HOSTS: "192.0.2.0/24" } })
  })
  afterAll(() => server.close())

  const urls = () => [
    ...[`http://127.0.0.1:${port}/x.git`, `http://2130706433:${port}/x.git`, `http://[::ffff:127.0.0.1]:${port}/x`],
    ...["http://127.0.0.1:1/x.git", "https://localhost/x.git", "http://169.254.169.254/latest/meta-data"],
    ...[`http://bob:secret@localhost.:${port}/x.git`, "ssh://git@127.0.0.1/x.git", "git://0x7f.1/x.git"],
    ...["git@localhost:x.git", "git@[::1]:x.git", "https://nowhere.invalid/x.git"],
  ]

  it("refuses the addresses of repositories and accounts that aren't, in the same words, and asks nobody", async () => {
    const answers = new Set<string>()
    for (const repository of urls()) {
      const session = await server.call("POST", "/api/v1/sessions", { json: { repository } })
      answers.add(`${session.status} ${session.text}`)
      const run = { kind: "agent", coding_agent: "mock", user_prompt: "Do it.", repository }
      const { status, text } = await server.call("POST", "/v1/runs", { json: run })
      answers.add(`${status} ${text}`)
    }
    for (const base_url of urls().filter((url) => url.startsWith("http") && !url.includes("@"))) {
      const json = { name: "mine", provider: "claude", api_key: "sk-1", base_url }
      const { status, text } = await server.call("POST", "/api/v1/accounts", { json })
      answers.add(`${status} ${text}`)
    }
    expect([...answers]).toEqual([expect.stringContaining('422 {"error":{"code":"host_refused"')])
    expect(asked).toBe(0)
    expect((await server.call("GET", "/api/v1/sessions")).body.sessions).toEqual([])
    expect((await server.call("GET", "/api/v1/accounts")).body.accounts).toEqual([])
  })

  it("still works in folders of the machine", async () => {
    const repository = makeRepository(join(dirname(server.folder), "mine"))
    const session = await openSession(server, repository.folder)
    expect(await session.task({ files: { "a.txt": "a\n" } })).toMatchObject({ status: "completed" })
  })
})

describe("a server that reaches an exception", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ env: { ALLOWED_HOSTS: "127.0.0.1" } })
  })
  afterAll(() => server.close())

  it("says nothing of what it found there", async () => {
    const messages = new Set<string>()
    const before = asked
    for (const url of [`http://127.0.0.1:${port}/x.git`, "http://127.0.0.1:1/x.git", "ssh://git@127.0.0.1:1/x.git"]) {
      const session = await openSession(server, url)
      const { status, error } = await session.task({ files: {} })
      messages.add(`${status}: ${error.message}`)
    }
    expect([...messages]).toEqual(["failed: Nothing was found at this address, or this server may not connect to it."])
    expect(asked).toBeGreaterThan(before)
  })
})

describe("a server in development", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it("asks no metadata service, but any other address", async () => {
    const open = (host: string) =>
      server.call("POST", "/api/v1/sessions", { json: { repository: `http://${host}/x.git` } })
    for (const host of ["169.254.169.254", "[::ffff:169.254.169.254]"]) {
      expect(await open(host)).toMatchObject({ status: 422, body: { error: { code: "host_refused" } } })
    }
    expect((await open(`127.0.0.1:${port}`)).body.error?.code).not.toBe("host_refused")
    const url = "http://169.254.169.254/latest/meta-data"
    const webhook = await server.call("POST", "/api/v1/webhooks", { json: { url } })
    expect(webhook).toMatchObject({ status: 422, body: { error: { code: "host_refused" } } })
  })
})

describe("a folder that is named by a URL", () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it.each(["file:///etc", "file:///", "file:///nowhere", "file:///etc%2fx", "file:///etc?x", "file:///etc#x"])(
    "is refused where it is no repository: %s",
    async (repository) => {
      const { status, body } = await server.call("POST", "/api/v1/sessions", { json: { repository } })
      expect([status, body.error.code]).toEqual([400, "task_invalid"])
    },
  )

  it("takes the consent that its path takes", async () => {
    const folder = join(dirname(server.folder), "a b")
    mkdirSync(folder)
    makeRepository(folder)
    const account = { name: "mine", provider: "claude", api_key: "sk-1", base_url: `http://127.0.0.1:${port}` }
    expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBe(201)
    const run = { kind: "agent", coding_agent: "mine", user_prompt: "Do it.", repository: pathToFileURL(folder).href }
    const refused = await server.call("POST", "/v1/runs", { json: run })
    expect(refused.body.error).toMatchObject({ code: "consent_required", details: { repository: folder } })
  })
})
