import { execFileSync } from "node:child_process"
import { mkdtemp, readdir, readFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { compose } from "@switchyard/functions/compose"
import { loadConfig } from "@switchyard/functions/config"
import type { Stores } from "@switchyard/functions/local/local-core"
import { type LocalOptions, startLocalServer } from "@switchyard/functions/local/server"
import { type Canaries, createCanaries } from "../canaries.ts"
import { modelFor } from "../core/work/workflow/model.ts"
import { ended } from "../ended.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { removeFolder } from "../remove-folder.ts"
import { checkAnswer } from "./described.ts"

/** Folder of a studio with three files. */
export const STUDIO = join(import.meta.dirname, "..", "fixtures", "studio")

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
  body: any
}

export interface Call extends Omit<RequestInit, "body"> {
  /** Body to send as JSON. */
  json?: unknown
  body?: RequestInit["body"]
}

/** A real server on its own folder, by default with a model that answers at once. */
export interface TestServer {
  url: string
  /** Folder of everything that the server stores. */
  folder: string
  /** Errors that the server reported as unexpected. */
  reported: unknown[]
  /** API keys that the test has given to the server. `close` fails if a file contains one of these keys. */
  canaries: Canaries
  stores: Stores
  /** Sends a request and checks the answer against the API description. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** Sends a request about a worktree. If the answer is 202, polls for the result. */
  settled(method: string, path: string, call?: Call): Promise<Answer>
  /** Resolves to the run once it has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
  ended(runId: string, call?: Call): Promise<any>
  /** Starts a run with this request, and resolves to the run once it has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
  run(json: object, call?: Call): Promise<any>
  /** Sends this text unchanged, except for `{host}`, and resolves to the raw response. */
  raw(text: string): Promise<string>
  /** Composes core on the same stores, as another process would. */
  core(options?: { aheadMs?: number; on?: Stores }): ReturnType<typeof compose>
  /** Returns the bytes of every stored file, by path. */
  kept(): Promise<Map<string, Buffer>>
  /** Stops the server and leaves its folder for a server started with `after`. */
  stop(): Promise<void>
  close(): Promise<void>
}

export interface TestServerOptions extends Partial<Omit<LocalOptions, "report">> {
  env?: Record<string, string>
  /** The stopped server whose folder to use. */
  after?: TestServer
  /** True if the test itself writes a key into a file. */
  leaks?: boolean
}

export async function startServer({
  env = {},
  after,
  leaks = false,
  wrapStores: placed,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const canaries = after?.canaries ?? createCanaries()
  canaries.note(env)
  const around = after ? dirname(after.folder) : await mkdtemp(join(tmpdir(), "switchyard-server-"))
  const folder = join(around, "data")
  const reported: unknown[] = []
  const config = loadConfig({ PORT: "0", SWITCHYARD_DATA: folder, RUNNERS_AT_ONCE: "0", WORKFLOW_REVIEW: "0", ...env })
  const opened = Promise.withResolvers<Stores>()
  const server = await startLocalServer(config, {
    version: "0",
    studioFolder: STUDIO,
    scripted: modelFor(["index.html", "README.md"]),
    report: (error) => reported.push(error),
    ...options,
    wrapStores: (stores) => {
      const used = placed?.(stores) ?? stores
      opened.resolve(used)
      return used
    },
  })
  const stores = await opened.promise
  const { host, port } = new URL(server.url)

  async function call(method: string, path: string, { json, ...init }: Call = {}): Promise<Answer> {
    canaries.note([json, init.headers])
    const headers = { ...(json !== undefined && { "content-type": "application/json" }), ...init.headers }
    const body = json === undefined ? init.body : JSON.stringify(json)
    const streamed = body instanceof ReadableStream ? { duplex: "half" } : {}
    const response = await fetch(`${server.url}${path}`, {
      redirect: "manual",
      ...init,
      ...streamed,
      method,
      headers,
      body,
    })
    const text = await response.text()
    const type = response.headers.get("content-type") ?? ""
    if (method !== "HEAD") checkAnswer(method, path.split("?")[0] ?? "", { status: response.status, type, text })
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: type.includes("json") && text ? JSON.parse(text) : text,
    }
  }

  async function settled(method: string, path: string, init?: Call): Promise<Answer> {
    const first = await call(method, path, init)
    if (first.status !== 202) return first
    const { links } = first.body
    let answer = first
    while (answer.status === 202) answer = await call("GET", links.result)
    // The command's result differs in form from the GET's answer, so the GET is sent again.
    return method === "GET" && answer.status === 200 ? settled(method, path, init) : answer
  }

  const endOf = (runId: string, init?: Call) =>
    ended(async (path) => {
      const { status, body } = await call("GET", path, init)
      if (status !== 200) throw new Error(`The run ${runId} answered ${status}.`)
      return body
    }, runId)

  async function run(json: object, init?: Call) {
    const { status, text, body } = await call("POST", "/v1/runs", { ...init, json })
    if (status !== 201) throw new Error(`A run was refused: ${status} ${text}`)
    return endOf(body.run_id, init)
  }

  async function raw(text: string): Promise<string> {
    const socket = connect(Number(port), "127.0.0.1")
    const chunks: Buffer[] = []
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", () => socket.destroy())
    socket.end(text.replaceAll("{host}", host))
    await new Promise((resolve) => socket.once("close", resolve))
    return Buffer.concat(chunks).toString()
  }

  return {
    url: server.url,
    folder,
    reported,
    canaries,
    stores,
    call,
    settled,
    ended: endOf,
    run,
    raw,
    core({ aheadMs = 0, on = stores } = {}) {
      return compose(config, {
        ...on,
        clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
        sealer: createSealer(new Uint8Array(32)),
        sealerOf: () => createSealer(new Uint8Array(32)),
        launcher: { start: async () => {} },
        writer: "test",
        report: (error) => reported.push(error),
      })
    },
    async kept() {
      const names = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      return new Map(await Promise.all(files.map(async (file) => [file, await bytesOf(file)] as const)))
    },
    stop: () => server.stop(),
    async close() {
      await server.stop()
      const found = leaks ? [] : await canaries.findUnder(around)
      // A runner that doesn't park in time ends by itself.
      await removeFolder(around, { kill: false })
      if (found.length > 0) throw new Error(`Keys were left behind: ${found.join(", ")}.`)
    },
  }
}

/** Reads SQLite's files in another process. Closing such a file in this process would release this process's locks. */
async function bytesOf(file: string): Promise<Buffer> {
  if (!file.includes(".sqlite")) return readFile(file)
  return execFileSync("cat", [file], { maxBuffer: 1 << 30 })
}

export interface Frame {
  id?: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of it
  data: any
}

/** Parses a whole event stream into frames. */
export function framesOf(text: string): Frame[] {
  return text.split("\n\n").flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
    const data = field("data")
    return data === undefined ? [] : [{ id: field("id"), event: field("event") ?? "", data: JSON.parse(data) }]
  })
}

/** Creates a model that answers only after `release`. */
export function heldModel() {
  const gate = Promise.withResolvers<void>()
  const provider = createScriptedProvider(() => [gate.promise, { type: "text", text: "Too late." }])
  return { provider, release: () => gate.resolve() }
}
