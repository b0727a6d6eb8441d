import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { needs } from "../needs.ts"
import { startUpstream, type Upstream } from "../runner/gateway/upstream.ts"
import type { Depot } from "../runner/runner-process.ts"
import { ended, env, isRoot, openPassable, scripted, worktreeOf } from "./agent.ts"
import { fileAttempts } from "./attempts/files.ts"
import { networkAttempts } from "./attempts/network.ts"
import type { Attempt, Outcome, Place } from "./attempts/place.ts"
import { processAttempts } from "./attempts/processes.ts"

const KEY = "sk-REAL-CANARY-KEY"
const NOT_FOR_AGENTS = "not for agents"
const ADMIN_TOKEN = "the-admin-token-of-this-test-0123456789"
/** A group of nobody's, and a user of an agent's. */
const OTHER = { uid: 65534, gid: 300_000_000 }

/** All attempts of one agent in one task, and what is found afterwards. */
interface Afterwards {
  outcomes: Map<string, Outcome>
  depot: Depot
  place: Place
  upstream: Upstream
  stderr: string
  end: string
  uid: number
}

let server: TestServer
let upstream: Upstream
let depot: Depot
let after: Afterwards

async function preparePlace(): Promise<Place> {
  const secret = join(depot.folder, "root-only")
  mkdirSync(secret, { mode: 0o700 })
  writeFileSync(join(secret, "kept"), NOT_FOR_AGENTS)
  writeFileSync(join(depot.folder, "master.key"), NOT_FOR_AGENTS, { mode: 0o644 })
  const otherHome = join(depot.folder, "homes/bert-other/home")
  const otherProject = join(depot.folder, "projects/fedcba9876543210fedcba9876543210/1")
  for (const folder of [otherHome, otherProject]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "secret"), NOT_FOR_AGENTS)
    // As the runner of the other session left them.
    for (const path of [folder, join(folder, "secret")]) chownSync(path, OTHER.uid, OTHER.gid)
    chownSync(join(folder, ".."), 0, OTHER.gid)
    chmodSync(join(folder, ".."), 0o710)
  }
  const created = await server.call("POST", "/api/v1/sessions", { ...asAdmin, json: {} })
  expect(created.status).toBe(201)
  return {
    ...{ data: depot.folder, sid: depot.sid, secret, otherHome, otherProject },
    ...{ api: server.url, apiSession: created.body.id },
  }
}

/** Has an agent make all attempts in its worktree. */
async function afterAttempts(): Promise<Afterwards> {
  const place = await preparePlace()
  const programs = join(depot.folder, "programs")
  cpSync(join(import.meta.dirname, "attempts"), join(programs, "attempts"), { recursive: true })
  writeFileSync(join(programs, "place.json"), JSON.stringify(place))
  scripted(depot, `${process.execPath} ${programs}/attempts/main.ts ${programs}/place.json`)
  const runner = depot.start({ programs: [programs] }, { env })
  runner.run(await depot.create({}, null, { cli: "codex" }), 0, { api_key: KEY, base_url: upstream.url })
  const { type: end } = await ended(depot, 0)
  const file = join(await worktreeOf(depot), "outcomes.json")
  const { outcomes, uid } = JSON.parse(readFileSync(file, "utf8"))
  const byName = new Map<string, Outcome>(outcomes.map((outcome: Outcome) => [outcome.name, outcome]))
  return { outcomes: byName, depot, place, upstream, stderr: runner.stderr(), end, uid }
}

const asAdmin = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }

describe("an agent's program", needs(isRoot ? undefined : "this user isn't root"), () => {
  beforeAll(async () => {
    server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
    upstream = await startUpstream((request, response) => {
      // An API that repeats in its answer what it was asked with.
      response.setHeader("x-echo", request.headers.authorization ?? "")
      response.setHeader("content-type", "application/json").end(JSON.stringify(request.headers))
    })
    depot = await openPassable()
    after = await afterAttempts()
  })
  afterAll(async () => {
    await depot?.[Symbol.asyncDispose]()
    await upstream?.[Symbol.asyncDispose]()
    await server?.close()
  })

  const all = [...fileAttempts, ...processAttempts, ...networkAttempts]

  it("makes at least 80 attempts, each of its own", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    expect(all.length).toBeGreaterThanOrEqual(80)
    expect([...after.outcomes.keys()]).toEqual(all.map(({ name }) => name))
  })

  it.each(all)("gets nothing: $name", ({ name, isNothing }: Attempt) => {
    const outcome = after.outcomes.get(name) ?? { name, got: "it wasn't made" }
    if ("got" in outcome) expect(isNothing?.(outcome.got), outcome.got).toBe(true)
    expect(JSON.stringify(outcome)).not.toMatch(new RegExp(`${KEY}|${NOT_FOR_AGENTS}|${ADMIN_TOKEN}`))
  })

  it("ends its task as any other, and leaves the runner alive", () => {
    // The process that works on its own files for the runner runs as the agent, who may end it, and is started again.
    const told = after.stderr.replaceAll(/^Error: The process for agents' files ended\.\n( +at .*\n)*/gm, "")
    expect([after.end, told]).toEqual(["run_completed", ""])
    expect(after.uid).not.toBe(0)
  })

  it("leaves everything of others as it was", () => {
    const { secret, otherHome, otherProject, data } = after.place
    for (const file of [join(secret, "kept"), join(otherHome, "secret"), join(otherProject, "secret")]) {
      expect(readFileSync(file, "utf8")).toBe(NOT_FOR_AGENTS)
    }
    for (const folder of [secret, otherHome, otherProject]) expect(readdirSync(folder)).toHaveLength(1)
    for (const planted of [data, ...["blobs", "repositories", "homes", "projects"].map((name) => join(data, name))]) {
      expect(existsSync(join(planted, "planted"))).toBe(false)
    }
    for (const planted of ["/etc/planted", "/root/planted", "/etc/cron.d/planted"])
      expect(existsSync(planted)).toBe(false)
  })

  it("leaves the other server's session as it was", async () => {
    expect((await server.call("GET", `/api/v1/sessions/${after.place.apiSession}`, asAdmin)).status).toBe(200)
    expect(server.reported).toEqual([])
  })

  it("had the gateway ask the model's API for nothing but what it may", () => {
    const asked = after.upstream.asked.map(({ method, url }) => `${method} ${url}`)
    expect(asked.filter((each) => !/^(GET|POST) \/v1\//.test(each) && !each.includes("/elsewhere"))).toEqual([])
    expect(asked.join()).not.toContain("attacker")
  })
})
