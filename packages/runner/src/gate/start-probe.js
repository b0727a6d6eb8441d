// Shows that a project starts: runs its start command, and asks what it serves for its first page. Run beside it, for a
// sandbox without the machine's network has no way in from outside. Ends with 0 if it answers, if it goes on without
// listening, or if it ends well by itself; the last line says which. Plain JavaScript, as a node of any version runs it.
//
// Arguments: the command, for how long it may start, in milliseconds, and `alone` if nothing else has ports here.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { get } from "node:http"
import { createServer } from "node:net"

const [command, limitMs] = [process.argv[2], Number(process.argv[3])]
const isAlone = process.argv[4] === "alone"
const LOOK_EVERY_MS = 100

const port = await freePort()
const env = { ...process.env, PORT: String(port), HOST: "127.0.0.1" }
const child = spawn("/bin/sh", ["-c", command], { env, detached: true, stdio: ["ignore", "inherit", "inherit"] })
child.on("exit", (code, signal) => {
  const how = code === null ? `by ${signal}` : `with exit code ${code}`
  end(code ?? 1, `It ended by itself, ${how}.`)
})

const startedAt = Date.now()
look()

function look() {
  // It may listen on a port of its own choice; of others' programs nothing is asked.
  const ports = isAlone ? [port, ...listening()] : [port]
  // `localhost` is one or the other, as the machine resolves it.
  const places = [...new Set(ports)].flatMap((port) => ["127.0.0.1", "::1"].map((host) => ({ host, port })))
  ask(places, (answer) => {
    if (answer) {
      const { status } = answer
      return end(status < 500 ? 0 : 1, `It answered GET / on port ${answer.port} with status ${status}.`)
    }
    if (Date.now() - startedAt < limitMs) return setTimeout(look, LOOK_EVERY_MS)
    end(0, "It went on running, and answered no HTTP request.")
  })
}

/** Asks one address after the other; calls back with the first answer, or with nothing. */
function ask([first, ...rest], done) {
  if (first === undefined) return done(undefined)
  let isOver = false
  const next = (answer) => {
    if (isOver) return
    isOver = true
    if (answer) done(answer)
    else ask(rest, done)
  }
  const request = get({ ...first, path: "/", timeout: 5000 }, (response) => {
    response.destroy()
    next({ port: first.port, status: response.statusCode })
  })
  request.on("timeout", () => request.destroy())
  request.on("error", () => next(undefined))
}

/** The TCP ports on which something listens, where the system tells. */
function listening() {
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => {
    try {
      const lines = readFileSync(file, "utf8").trim().split("\n").slice(1)
      const columns = lines.map((line) => line.trim().split(/\s+/))
      return columns
        .filter(([, , , state]) => state === "0A")
        .map(([, local]) => Number.parseInt(local.split(":")[1], 16))
    } catch {
      return []
    }
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port: free } = server.address()
      server.close(() => resolve(free))
    })
  })
}

function end(code, words) {
  child.removeAllListeners("exit")
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // It has ended.
  }
  // After what it has printed.
  setTimeout(() => {
    console.log(words)
    process.exit(code)
  }, 100)
}
