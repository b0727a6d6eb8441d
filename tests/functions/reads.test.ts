import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdtemp, readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { removeFolder } from "../remove-folder.ts"
import { makeRepository } from "./agents/repository.ts"
import { openSession } from "./agents/worktree-session.ts"
import { type Call, startServer, type TestServer } from "./server.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

/** Values of request parameters by name. */
type Names = Record<string, string>

interface Operation {
  path: string
  parameters: { name: string; in: string }[]
}

/** A server on the data of an ended one, with a session in which an agent worked. Nothing runs there any more. */
let folder: string
let server: TestServer
let tokens: { read: string; run: string }
let there: Names
const nowhere: Names = {
  id: "no-such-session",
  run: `run_${"0".repeat(26)}`,
  task: `run_${"0".repeat(26)}`,
  pty: "pty-1",
  agent: "nobody",
  webhook: "none",
  sha256: "0".repeat(64),
  archive: "0".repeat(64),
  command: `cmd_${"0".repeat(26)}`,
  name: "nobody",
  account: "nobody",
  node: "node-1",
  workspace_id: "no-such-workspace",
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-reads-"))
  const env = { AUTH_MODE: "token", ADMIN_TOKEN, SWITCHYARD_DATA: join(folder, "data") }
  const first = await startServer({ env })
  const tokenOf = async (scopes: string[]) => {
    const json = { name: "x", owner: "ada", scopes }
    return (await first.call("POST", "/v1/tokens", { json, headers: bearer(ADMIN_TOKEN) })).body.secret
  }
  tokens = { read: await tokenOf(["read"]), run: await tokenOf(["read", "run"]) }
  there = await work(asCaller(first, tokens.run))
  await first.close()
  // The session's runner ended with the first server.
  server = await startServer({ env })
})
afterAll(async () => {
  await server.close()
  await removeFolder(folder, { kill: false })
})

function asCaller(of: TestServer, secret: string): TestServer {
  const withToken = (call?: Call): Call => ({ ...call, headers: { ...bearer(secret), ...call?.headers } })
  return {
    ...of,
    call: (method, path, call) => of.call(method, path, withToken(call)),
    settled: (method, path, call) => of.settled(method, path, withToken(call)),
    ended: (run, call) => of.ended(run, withToken(call)),
  }
}

/** Runs an agent's task and creates more things. Resolves to all their names. */
async function work(caller: TestServer): Promise<Names> {
  const session = await openSession(caller, makeRepository(join(folder, "repository")).folder)
  const task = await session.task({ files: { "a.txt": "one\n" } })
  await caller.call("POST", "/api/v1/accounts", { json: { name: "mine", provider: "claude", api_key: "sk-none" } })
  await caller.call("POST", "/api/v1/accounts", { json: { name: "trying", provider: "mock" } })
  // A zip is stored at its first download, once per version.
  await caller.call("GET", `/workspace/download?workspace_id=${session.id}`)
  const { terminals } = (await caller.call("GET", `/api/v1/sessions/${session.id}/terminals`)).body
  await session.ask("POST", "/update", { json: {} })
  const hook = { json: { url: "https://hooks.example.org/switchyard" } }
  const { body: webhook } = await caller.call("POST", "/api/v1/webhooks", hook)
  const events = await session.events()
  const last = (type: string) => events.findLast((event) => event.type === type) as Names | undefined
  const sha256 = /"sha256":"([0-9a-f]{64})"/.exec(JSON.stringify(events))?.[1] ?? ""
  return {
    id: session.id,
    run: task.run_id,
    task: task.run_id,
    pty: terminals[0].pty,
    agent: "main",
    webhook: webhook.id,
    sha256,
    archive: last("workspace_committed")?.manifest ?? "",
    command: last("worktree_command_requested")?.command_id ?? "",
    name: "mine",
    account: "trying",
    provider: "scripted",
    workspace_id: session.id,
  }
}

/** Returns every GET operation of the API description. */
async function reads(): Promise<Operation[]> {
  const { paths } = (await server.call("GET", "/openapi.json")).body as {
    paths: Record<string, { get?: { parameters?: Operation["parameters"] } }>
  }
  return Object.entries(paths).flatMap(([path, { get }]) => (get ? [{ path, parameters: get.parameters ?? [] }] : []))
}

const QUERY: Names = {
  path: "a.txt",
  fresh: "true",
  variant: "editor",
  compare_branch: "main",
  link: "true",
  client: "tab",
  filename: "x",
  q: "words",
  project_path: "https://example.com/a.git",
}

/** Fills these names into the operation's path. Returns the path without and with each optional parameter. */
function variants({ path, parameters }: Operation, names: Names): string[] {
  const id = path.startsWith("/v1/runs/") ? names.run : names.id
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === "id" ? id : names[name]) ?? name)
  const workspace = parameters.some(({ name }) => name === "workspace_id") ? `workspace_id=${names.workspace_id}` : ""
  const query: Names = { ...QUERY, sources: `${names.id}:0,${names.id}/${names.pty}:0:tab` }
  const options = parameters.flatMap(({ name, in: place }) => {
    return place === "query" && query[name] !== undefined ? [`${name}=${query[name]}`] : []
  })
  return ["", ...options].map((option) => `${filled}?${[workspace, option].filter(Boolean).join("&")}`)
}

/** Sends a request and disconnects when the response begins, because some streams never end. */
async function begin(method: string, path: string, secret: string): Promise<number> {
  const left = new AbortController()
  const { status } = await fetch(`${server.url}${path}`, {
    method,
    redirect: "manual",
    headers: bearer(secret),
    signal: left.signal,
  })
  left.abort()
  return status
}

/** Returns everything stored, except times of last use and the sweep's pending hints. */
async function stored(): Promise<string[]> {
  const database = new DatabaseSync(join(folder, "data", "records.sqlite"), { readOnly: true })
  const rows = database.prepare("SELECT partition, sort, version, value FROM records").all() as Names[]
  database.close()
  const records = rows.flatMap(({ partition = "", sort, version, value }) => {
    if (partition === "due" || partition.startsWith("rate/")) return []
    const isUse = partition === "tokens" || partition.startsWith("session/")
    return [`${partition} ${sort} ${isUse ? "" : `${version} ${value}`}`]
  })
  const blobs = await readdir(join(folder, "data", "blobs"), { recursive: true })
  return [...records, ...blobs].sort()
}

/** Returns the process ids of the runners that this process has started. */
function runners(): string[] {
  const threads = readdirSync("/proc/self/task").map((name) => `/proc/self/task/${name}/children`)
  const children = threads.flatMap((file) => readFileSync(file, "utf8").split(" ").filter(Boolean))
  return children.filter((pid) => commandLine(pid).includes("runner/src/main.mjs"))
}

/** Returns a process's command line, or "" if the process has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

const hasProc = existsSync("/proc/self/task") ? undefined : "there is no /proc"

describe("a token that may only read", needs(hasProc), () => {
  it.each(["GET", "HEAD"])(
    "changes nothing and starts nothing by any %s, of what is there and of what isn't",
    async (method) => {
      const before = { stored: await stored(), runners: runners() }
      const asked: string[] = []
      const answered: string[] = []
      for (const operation of await reads()) {
        for (const path of [...variants(operation, there), ...variants(operation, nowhere)]) {
          const status = await begin(method, path, tokens.read)
          asked.push(path)
          if (status < 400) answered.push(operation.path)
          expect(status, path).toBeLessThan(500)
        }
      }
      expect({ stored: await stored(), runners: runners() }).toEqual(before)
      expect(asked.length).toBeGreaterThan(60)
      // With the names of existing things, every endpoint answers except these. The session's repository has no
      // versions, the run isn't a train, there are no bake-offs and teams, nothing is in conflict or published, no chat
      // has read the files, and only administrators see all owners.
      const silent = (await reads()).filter(({ path }) => !answered.includes(path)).map(({ path }) => path)
      expect(silent).toEqual([
        "/api/v1/sessions/{id}/versions/{version}/diff",
        "/api/v1/native-sessions",
        "/api/v1/sessions/{id}/symbols",
        "/api/v1/sessions/{id}/merge-trains/{run}",
        "/api/v1/sessions/{id}/bake-offs/{bake_off}",
        "/api/v1/teams/{id}/board",
        "/agents/{id}/board",
        "/api/v1/teams/{id}",
        "/agents/{id}",
        "/api/v1/teams/{id}/workers",
        "/agents/{id}/workers",
        "/api/v1/teams/{id}/tools",
        "/agents/{id}/tools",
        "/api/v1/teams/{id}/board/{node}",
        "/agents/{id}/board/{node}",
        "/api/v1/teams/{id}/events",
        "/agents/{id}/events",
        "/api/v1/teams/{id}/workspace",
        "/agents/{id}/workspace",
        "/api/v1/teams/{id}/memory",
        "/agents/{id}/memory",
        "/api/v1/teams/{id}/triggers",
        "/api/v1/sessions/{id}/worktree/conflicts",
        "/api/v1/apps/{name}",
        "/api/v1/owners",
        "/api/v1/agent-setups",
      ])
    },
  )

  it("sees a workspace that doesn't exist as an empty one", async () => {
    const { call } = asCaller(server, tokens.read)
    const about = { workspace_id: "nothing-yet", expires_at: expect.any(String) }
    const tree = await call("GET", "/workspace/tree?workspace_id=nothing-yet")
    expect(tree).toMatchObject({ status: 200, body: { ...about, nodes: [] } })
    const files = await call("GET", "/workspace/files?workspace_id=nothing-yet")
    expect(files).toMatchObject({ status: 200, body: { ...about, files: {}, skipped_binary: [] } })
    const file = await call("GET", "/workspace/file?workspace_id=nothing-yet&path=a.txt")
    expect([file.status, file.body.error.code]).toEqual([404, "workspace_not_found"])
    const zip = await call("GET", "/workspace/download?workspace_id=nothing-yet")
    expect([zip.status, zip.text]).toEqual([200, `PK\x05\x06${"\0".repeat(18)}`])
    const link = await call("GET", "/workspace/download?workspace_id=nothing-yet&link=1")
    expect([link.status, link.body.error.code]).toEqual([404, "workspace_not_found"])
    expect((await call("GET", "/api/v1/sessions/nothing-yet")).status).toBe(404)
  })

  it("gets the last report of a worktree, also where it asks for a new one", async () => {
    const { call } = asCaller(server, tokens.read)
    const at = `/api/v1/sessions/${there.id}/worktree`
    expect((await call("GET", `${at}?fresh=true`)).body).toMatchObject({ exists: true, as_of: expect.any(String) })
    expect((await call("GET", `${at}/branches?fresh=true`)).body).toMatchObject({ branches: ["main"] })
    expect((await call("GET", `${at}/diff/full?fresh=true`)).body.files).toMatchObject([{ new_path: "a.txt" }])
    for (const path of ["/diff?path=a.txt", "/diff/full?compare_branch=main", "/conflicts?path=a.txt"]) {
      const { status, body } = await call("GET", `${at}${path}`)
      expect([status, body.error.details]).toEqual([403, { scope: "run" }])
    }
  })
})

describe("a token that may run", needs(hasProc), () => {
  it("has no runner look where no worktree is", async () => {
    const { call } = asCaller(server, tokens.run)
    const { id } = (await call("POST", "/api/v1/sessions", { json: {} })).body
    const before = { stored: await stored(), runners: runners() }
    const at = `/api/v1/sessions/${id}/worktree`
    expect((await call("GET", `${at}?fresh=true`)).body).toMatchObject({ exists: false })
    for (const path of ["/diff?fresh=true", "/diff/full?path=a.txt", "/conflicts?path=a.txt"]) {
      expect((await call("GET", `${at}${path}`)).body.error.code).toBe("worktree_not_found")
    }
    expect({ stored: await stored(), runners: runners() }).toEqual(before)
  })

  it.each<Record<string, string>>([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
  ])("has no runner look where another page has its browser ask: %j", async (page) => {
    const login = await server.call("POST", "/login", { json: { token: tokens.run } })
    const headers = { cookie: login.headers.get("set-cookie")?.split(";")[0] ?? "", ...page }
    const before = { stored: await stored(), runners: runners() }
    const at = `/api/v1/sessions/${there.id}/worktree`
    for (const path of ["", "?fresh=true", "/diff?path=a.txt"]) {
      expect((await server.call("GET", `${at}${path}`, { headers })).status).toBe(403)
    }
    expect({ stored: await stored(), runners: runners() }).toEqual(before)
  })

  it.each<Record<string, string>>([{}, { "sec-fetch-site": "same-origin" }])(
    "has one look where it asks itself: %j",
    async (headers) => {
      const { settled } = asCaller(server, tokens.run)
      const { body } = await settled("GET", `/api/v1/sessions/${there.id}/worktree?fresh=true`, { headers })
      expect(body).toMatchObject({ exists: true })
      expect(body).not.toHaveProperty("as_of")
      expect(runners()).toHaveLength(1)
    },
  )
})
