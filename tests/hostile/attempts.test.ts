import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { needs } from "../needs.ts"
import { startUpstream, type Upstream } from "../runner/gateway/upstream.ts"
import type { Depot } from "../runner/runner-process.ts"
import { ended, env, isRoot, openPassable, worktreeOf } from "./agent.ts"
import { allAttempts } from "./attempts/all.ts"
import type { Outcome, Place } from "./attempts/place.ts"
import { gain, KEY, NOT_FOR_AGENTS, prepareStage, readOutcomes } from "./stage.ts"

const ADMIN_TOKEN = "the-admin-token-of-this-test-0123456789"
const asAdmin = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }

/** State after an agent has made all attempts in one task. */
interface Afterwards {
  outcomes: Map<string, Outcome>
  uid: number
  place: Place
  stderr: string
  end: string
}

let server: TestServer
let upstream: Upstream
let depot: Depot
let after: Afterwards

async function makeAllAttempts(): Promise<Afterwards> {
  const { body } = await server.call("POST", "/api/v1/sessions", { ...asAdmin, json: {} })
  const about = { data: depot.folder, node: process.execPath, api: server.url, apiSession: body.id }
  const place = prepareStage(depot, about)
  const runner = depot.start({ programs: [join(depot.folder, "programs")] }, { env })
  runner.run(await depot.create({}, null, { cli: "codex" }), 0, { api_key: KEY, base_url: upstream.url })
  const { type: end } = await ended(depot, 0)
  return { ...readOutcomes(await worktreeOf(depot)), place, stderr: runner.stderr(), end }
}

describe("an agent's program", needs(isRoot ? undefined : "this user isn't root"), () => {
  beforeAll(async () => {
    server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
    upstream = await startUpstream((request, response) => {
      // The API's answer repeats the headers of its request.
      response.setHeader("x-echo", request.headers.authorization ?? "")
      response.setHeader("content-type", "application/json").end(JSON.stringify(request.headers))
    })
    depot = await openPassable()
    after = await makeAllAttempts()
  })
  afterAll(async () => {
    await depot?.[Symbol.asyncDispose]()
    await upstream?.[Symbol.asyncDispose]()
    await server?.close()
  })

  it("makes at least 130 different attempts", () => {
    expect(new Set(allAttempts.map(({ name }) => name)).size).toBe(allAttempts.length)
    expect(allAttempts.length).toBeGreaterThanOrEqual(130)
  })

  it.each(allAttempts)("gets nothing: $name", (attempt) => {
    expect(gain(attempt, after.outcomes)).toBeUndefined()
  })

  it("ends its task as any other, and leaves the runner alive", () => {
    // The runner's process for the agent's files runs as the agent's user. The agent may kill it, and the runner starts
    // another.
    const told = after.stderr.replaceAll(
      /^Error: The process that reads and writes the agent's files exited\.\n( +at .*\n)*/gm,
      "",
    )
    expect([after.end, told]).toEqual(["run_completed", ""])
    expect(after.uid).not.toBe(0)
  })

  it("leaves everything of others as it was", () => {
    const { secret, otherHome, otherProject, data } = after.place
    for (const file of [join(secret, "kept"), join(otherHome, "secret"), join(otherProject, "secret")]) {
      expect(readFileSync(file, "utf8")).toBe(NOT_FOR_AGENTS)
    }
    for (const folder of [secret, otherHome, otherProject]) expect(readdirSync(folder)).toHaveLength(1)
    const ours = ["", "blobs", "repositories", "homes", "projects"].map((name) => join(data, name))
    for (const folder of [...ours, "/etc", "/root", "/etc/cron.d"])
      expect(existsSync(join(folder, "planted"))).toBe(false)
  })

  it("leaves the other server's session as it was", async () => {
    expect((await server.call("GET", `/api/v1/sessions/${after.place.apiSession}`, asAdmin)).status).toBe(200)
    expect(server.reported).toEqual([])
  })

  it("had the gateway ask the model's API for nothing but what it may", () => {
    const asked = upstream.asked.map(({ method, url }) => `${method} ${url}`)
    // The attack did reach the gateway.
    expect(asked).toContain("POST /v1/echo")
    expect(asked.filter((each) => !/^(GET|POST) \/v1\//.test(each))).toEqual([])
    expect(asked.join()).not.toContain("attacker")
  })
})
