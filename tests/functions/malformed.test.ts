import { once } from "node:events"
import { readdir } from "node:fs/promises"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sessionKey } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { ModelError } from "@switchyard/core/models/errors"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { modelFor } from "../core/work/workflow/model.ts"
import { cases } from "../settings.ts"
import { type Case, corpus } from "./corpus.ts"
import { checkAnswer, endpoints, parametersOf } from "./described.ts"
import { startServer, type TestServer } from "./server.ts"

const CASES_AN_ENDPOINT = cases({ usual: 10, deep: 80 })
const SEED = 20_251_121

let server: TestServer
let db: DatabaseSync
let knownId: string
const agent = new Agent({ keepAlive: true })
const provider = createServer((_, response) => response.writeHead(401).end("{}"))

beforeAll(async () => {
  // Some requests name a real model and contain a key. This address keeps them on this machine.
  provider.listen(0, "127.0.0.1")
  await once(provider, "listening")
  const elsewhere = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const env = { GROQ_BASE_URL: elsewhere, OPENAI_BASE_URL: elsewhere, ANTHROPIC_BASE_URL: elsewhere }
  server = await startServer({ scripted: modelFor(["a.txt"]), env })
  knownId = (await server.run({ user_prompt: "A page", workspace_id: "default" })).run_id
  db = new DatabaseSync(join(server.folder, "records.sqlite"), { readOnly: true })
})
afterAll(async () => {
  agent.destroy()
  provider.close()
  db.close()
  await server.close()
})

function send(method: string, { path, headers, body }: Case): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { "content-length": String(body.length) } : {}
    const options = { method, path, headers: { ...headers, ...length }, agent }
    const asked = request(`${server.url}/`, options, async (response) => {
      // A session's stream never ends, so the request counts as answered once the stream begins.
      if (response.headers["content-type"] === "text/event-stream" && path.startsWith("/api/v1/sessions/")) {
        response.on("error", () => {}).once("data", () => response.destroy())
        await once(response, "close")
        resolve({ status: response.statusCode ?? 0, type: "text/event-stream", text: "" })
        return
      }
      const text = Buffer.concat(await Array.fromAsync(response)).toString()
      resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text })
    })
    asked.on("error", reject)
    asked.end(body)
  })
}

/** Returns the path after the server has resolved `..`. */
function pathOf(sent: string): string {
  return URL.parse(sent, server.url)?.pathname ?? sent.split("?")[0] ?? ""
}

/** Returns the log of the default workspace and all runs. A refused request must not change them. */
function standing(): Map<string, string> {
  const sql = `SELECT partition || ' ' || sort AS key, version || ' ' || value AS record FROM records
    WHERE partition = ? OR (partition >= 'run/' AND partition < 'run0')`
  const rows = db.prepare(sql).all(logName(sessionKey("local", "default")))
  return new Map(rows.map(({ key, record }) => [String(key), String(record)]))
}

/** Returns a number that changes with every write. */
function writes(): unknown {
  return db.prepare("PRAGMA data_version").get()?.data_version
}

describe("what no client should send", () => {
  it("is tried on every endpoint", () => {
    expect(endpoints.length * CASES_AN_ENDPOINT).toBeGreaterThan(2000)
    expect(endpoints).toContainEqual({ method: "GET", path: "/blobs/:key" })
  })

  it.each(endpoints)("is answered by $method $path in the envelope, and leaves nothing behind", async (endpoint) => {
    const { method } = endpoint
    let before = { writes: writes(), standing: standing() }
    const seed = SEED + endpoints.indexOf(endpoint)
    for (const sent of corpus(
      { ...endpoint, parameters: parametersOf(endpoint) },
      { knownId, numRuns: CASES_AN_ENDPOINT, seed },
    )) {
      const shown = `${method} ${sent.path.slice(0, 200)} ${JSON.stringify(sent.headers)} ${sent.body.toString().slice(0, 300)}`
      const answer = await send(method, sent)
      const { status } = answer
      const code = status < 400 ? status : JSON.parse(answer.text).error.code
      checkAnswer(method, pathOf(sent.path), answer)
      // A run may fail because its key is invalid. Nothing else may fail.
      if (code !== "workflow_error") expect(status, `${shown}\n${answer.text}`).toBeLessThan(500)
      const refused = status >= 400 && status < 500
      if (refused && writes() !== before.writes) expect(standing(), shown).toEqual(before.standing)
      // The run must end before the next request, so that its writes aren't attributed to that request.
      const began = status === 201 ? JSON.parse(answer.text).run_id : undefined
      if (began) await server.ended(began)
      if (writes() !== before.writes) before = { writes: writes(), standing: standing() }
    }
    expect(server.reported.filter((error) => !(error instanceof ModelError))).toEqual([])
  })

  it("has left the server in good health, and files nowhere but where they belong", async () => {
    expect((await server.call("GET", "/health")).status).toBe(200)
    const run = await server.run({ user_prompt: "A page" })
    expect(run.status).toBe("completed")
    expect(await readdir(dirname(server.folder))).toEqual(["data"])
    // A request about a worktree may start a runner, which creates its own folders.
    const beside = (await readdir(server.folder)).filter(
      (name) => !/^(records\.sqlite.*|runner|projects|repositories)$/.test(name),
    )
    expect(beside.sort()).toEqual(["blobs", "master.key"])
  })
})
