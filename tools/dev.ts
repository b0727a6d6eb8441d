// Runs the server, restarting it on every change, behind the studio with hot reloading. Both share one address.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const root = new URL("../", import.meta.url)
const envFile = new URL(".env", root)
if (existsSync(envFile)) process.loadEnvFile(envFile)

// The studio is built for one server address, so the server must not move to another port.
process.env.PORT ||= "3000"
const api = `http://127.0.0.1:${process.env.PORT}`
const server = start(["--watch", "packages/functions/src/local/main.mjs", "--source"], ".")
const studio = start(
  ["../../node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--port", process.env.STUDIO_PORT || "5173"],
  "packages/web",
)

show(server, (line) => (line.startsWith("Switchyard listening on") ? undefined : line))
show(studio, (line) => {
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
  if (url) return `The studio with your changes: ${url}`
  return /^\s*$|VITE v|➜/.test(line) ? undefined : line
})

const stopped = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort())
// Either one is useless without the other.
const ended = [server, studio].map((child) => once(child, "exit").finally(() => stopped.abort()))
await once(stopped.signal, "abort").catch(() => undefined)
const failed = [server, studio].some((child) => child.exitCode)
for (const child of [server, studio]) child.kill("SIGTERM")
await Promise.all(ended)
process.exit(failed ? 1 : 0)

function start(args: string[], folder: string): ChildProcess {
  const env = { ...process.env, SWITCHYARD_API: api, NO_COLOR: "1" }
  const cwd = fileURLToPath(new URL(folder, root))
  return spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
}

function show(child: ChildProcess, said: (line: string) => string | undefined): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on("line", (line) => {
      const told = said(line)
      if (told !== undefined) console.log(told)
    })
  }
}
