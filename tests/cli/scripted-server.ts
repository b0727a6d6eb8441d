import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

export interface ScriptedEvent {
  seq: number
  event_id: string
  ts: string
  type: string
  run_id: string
  agent_id: string
  [field: string]: unknown
}

interface Script {
  /** Events in the log when the server starts. */
  events: ScriptedEvent[]
  /**
   * Returns the number of bytes after which event stream `stream` is cut, or undefined to leave it whole. Streams count
   * from 0.
   */
  cutAfter?: (stream: number) => number | undefined
  /**
   * Faults for requests whose method and path match `on`, one per request: a status code, a full resync, or a
   * connection that breaks before or after the request takes effect.
   */
  faults?: { on: RegExp; faults: (number | "resync" | "break" | "break after doing")[] }
  /** Events that the first cancellation appends. */
  onCancel?: ScriptedEvent[]
  zip?: Buffer
  /** Overrides fields of the run. An undefined value omits the field from the JSON. */
  run?: object
  /** Status URL of an archive, and how many requests for it get 202 before the archive is ready. */
  preparing?: { statusUrl: string; times: number }
}

export const RUN_ID = "run_1"
const WORKSPACE_ID = "ws-1"

/** Creates an event of the run at `seq`. */
export function event(seq: number, type: string, fields: object = {}): ScriptedEvent {
  const place = { seq, event_id: `evt_${seq}`, ts: "2026-01-01T00:00:00.000Z" }
  return { type, run_id: RUN_ID, agent_id: "main", ...fields, ...place }
}

/** Starts an HTTP server with a single run and the scripted log and faults. */
export async function startScriptedServer(script: Script) {
  const log = [...script.events]
  const keys = new Map<string, unknown>()
  const requests: { method: string; path: string; headers: IncomingMessage["headers"]; body?: unknown }[] = []
  const listeners = new Set<() => void>()
  let streams = 0
  let cancels = 0
  let prepared = 0

  const statusOf = () => {
    const last = log.at(-1)?.type
    return last?.match(/^run_(completed|failed|cancelled)$/)?.[1] ?? "running"
  }
  const run = () => {
    const end = log.at(-1)
    const { error_type, message, hint } = (end ?? {}) as Record<string, unknown>
    return {
      run_id: RUN_ID,
      workspace_id: WORKSPACE_ID,
      status: statusOf(),
      model: "scripted/demo",
      created_at: "2026-01-01T00:00:00.000Z",
      ended_at: null,
      cancel_requested: cancels > 0,
      duration_ms: null,
      workspace_version: null,
      warning: null,
      error: statusOf() === "failed" ? { error_type, message, hint } : null,
      links: { stream: "", events: "", download: "" },
      ...script.run,
    }
  }

  function push(...events: ScriptedEvent[]) {
    log.push(...events)
    for (const listener of listeners) listener()
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? "/", "http://localhost")
    const path = `${request.method} ${url.pathname}`
    const body = request.method === "POST" && request.headers["content-type"] ? await json(request) : undefined
    const asked = { path: `${url.pathname}${url.search}`, headers: request.headers, body }
    // The CLI requests the estimate before every run, so the tests don't count it.
    if (url.pathname !== "/api/v1/usage/estimate") requests.push({ method: request.method ?? "", ...asked })
    const fault = script.faults?.on.test(path) ? script.faults.faults.shift() : undefined
    if (fault === "break") return request.socket.destroy()
    if (fault === "resync") return answer(response, 410, refusal("resync", "Start again."))
    if (typeof fault === "number") return answer(response, fault, refusal("storage_unavailable", "Not now."))
    act(path, url, request, response, fault ? () => request.socket.destroy() : undefined)
  }

  function act(path: string, url: URL, request: IncomingMessage, response: ServerResponse, instead?: () => void) {
    const say = (status: number, value: unknown) => (instead ? instead() : answer(response, status, value))
    if (path === "POST /v1/runs") {
      const key = String(request.headers["idempotency-key"])
      if (!keys.has(key)) keys.set(key, run())
      return say(201, run())
    }
    if (path === `GET /v1/runs/${RUN_ID}`) return say(200, run())
    if (path === "GET /v1/runs") return say(200, { runs: [run()], next: null })
    if (path === `POST /v1/runs/${RUN_ID}/cancel`) {
      if (cancels++ === 0) push(...(script.onCancel ?? []))
      return say(200, run())
    }
    if (path === `GET /v1/runs/${RUN_ID}/events`) return events(url, request, response)
    if (path === "GET /status") return say(200, { status: "healthy", version: "1.2.3", uptime_seconds: 5 })
    if (path.startsWith("GET /api/v1/sessions/")) {
      const session = { id: path.split("/").at(-1), name: "A page", last_activity: "2026-01-01T00:00:00.000Z" }
      return say(200, { ...session, repository: null })
    }
    if (path === "GET /workspace/tree") return say(200, { nodes: TREE })
    if (path === "GET /workspace/download" || path === "GET /workspace/archives/abc") {
      const { statusUrl, times } = script.preparing ?? { times: 0 }
      if (prepared++ >= times) return say(200, { url: "/blobs/signed?x=1", expires_at: "" })
      return say(202, { status: "preparing", status_url: statusUrl, retry_after_seconds: 0 })
    }
    if (path === "GET /blobs/signed") return response.end(script.zip)
    say(404, refusal("run_not_found", "There is no such run."))
  }

  function events(url: URL, request: IncomingMessage, response: ServerResponse) {
    const since = Number(request.headers["last-event-id"] ?? url.searchParams.get("since_seq") ?? 0)
    const head = log.at(-1)?.seq ?? 0
    if (since > head) return answer(response, 410, refusal("resync", "Start again."))
    const after = () => log.filter(({ seq }) => seq > since)
    if (!request.headers.accept?.includes("text/event-stream")) {
      const page = after().slice(0, 3)
      return answer(response, 200, { events: page, latest_seq: page.at(-1)?.seq ?? since, status: statusOf() })
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    stream(response, since, script.cutAfter?.(streams++))
  }

  /** Streams the log after `since` until the run ends or `allowed` bytes are written. */
  function stream(response: ServerResponse, since: number, allowed = Number.POSITIVE_INFINITY) {
    let left = allowed
    let told = since
    const write = (text: string) => {
      const bytes = Buffer.from(text)
      if (left <= 0) return
      const part = bytes.subarray(0, left)
      left -= part.length
      response.write(part)
      if (part.length < bytes.length || left === 0) left = 0
    }
    const tell = () => {
      for (const event of log.filter(({ seq }) => seq > told)) {
        write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        told = event.seq
      }
      if (statusOf() !== "running") write(`event: end\ndata: {"status":"${statusOf()}"}\n\n`)
      if (left <= 0) response.write("", () => response.destroy())
      else if (statusOf() !== "running") response.end()
    }
    write(": hello\n\n")
    tell()
    listeners.add(tell)
    response.on("close", () => listeners.delete(tell))
  }

  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    push,
    /** Replaces the scripted faults. */
    fail: (faults: Script["faults"]) => void Object.assign(script, { faults }),
    /** Appends to the log without notifying open streams. */
    append: (...events: ScriptedEvent[]) => void log.push(...events),
    /** Number of runs that were started. */
    runs: () => keys.size,
    cancels: () => cancels,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

const TREE = [
  {
    name: "src",
    path: "src",
    type: "directory",
    children: [{ name: "a.ts", path: "src/a.ts", type: "file", size: 2 }],
  },
  { name: "README.md", path: "README.md", type: "file", size: 1500 },
]

function answer(response: ServerResponse, status: number, value: unknown) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}

function refusal(code: string, message: string) {
  return { error: { code, message, details: null } }
}
