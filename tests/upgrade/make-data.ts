// Writes the data of a server of this version into an archive, as a fixture that later versions must open and continue:
// `node tests/upgrade/make-data.ts tests/upgrade/NAME.tgz`. Kills the server while a run is under way.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const MAIN = fileURLToPath(new URL("../../packages/functions/src/local/main.mjs", import.meta.url))
const archive = resolve(process.argv[2] ?? "data.tgz")
const folder = mkdtempSync(join(tmpdir(), "upgrade-"))
const data = join(folder, "data")

const env = { PATH: process.env.PATH, HOME: folder, PORT: "0", SWITCHYARD_DATA: data }

async function start() {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  let said = ""
  for await (const text of child.stdout.setEncoding("utf8")) {
    said += text
    const url = /listening on (\S+)\s/.exec(said)?.[1]
    const stop = (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    }
    if (url) return { url, stop }
  }
  throw new Error(`The server didn't start: ${said}`)
}

let server = await start()

// biome-ignore lint/suspicious/noExplicitAny: each answer has its own fields
async function call(method: string, path: string, json?: unknown): Promise<any> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    body: json === undefined ? null : JSON.stringify(json),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

async function ended(id: string): Promise<void> {
  for (;;) {
    const { status } = await call("GET", `/v1/runs/${id}?wait=50`)
    if (!/^(queued|running|parked)$/.test(status)) return console.log(`${id}: ${status}`)
  }
}

await call("PUT", "/api/v1/keys/groq", { api_key: "gsk_kept-across-versions", test: false })
const built = await call("POST", "/v1/runs", { user_prompt: "A to-do list", model: "scripted/demo" })
await ended(built.run_id)
const session = built.workspace_id
const message = {
  message: 'Replace "To-do List" with "Chores" in README.md.',
  files: ["README.md"],
  model: "scripted/demo",
}
await ended((await call("POST", `/api/v1/sessions/${session}/chat`, message)).run_id)
const task = { coding_agent: "mock", task_description: 'Do it. mock: {"files":{"made.txt":"By an agent.\\n"}}' }
const agents = await call("POST", "/api/v1/sessions", {})
await ended((await call("POST", `/api/v1/sessions/${agents.id}/tasks`, task)).task_id)
await ended((await call("POST", "/api/v1/teams", { goal: "A page about tea", model: "scripted/demo" })).run_id)

await server.stop("SIGTERM")

server = await start()
const open = await call("POST", "/v1/runs", { user_prompt: "A notes app", model: "scripted/demo" })
for (;;) {
  const { events } = await call("GET", `/v1/runs/${open.run_id}/events`)
  if (events.some(({ type }: { type: string }) => type === "workspace_committed")) break
}
await server.stop("SIGKILL")
execFileSync("tar", ["--create", "--gzip", "--file", archive, "--directory", folder, "--exclude=*.sample", "data"])
rmSync(folder, { recursive: true })
