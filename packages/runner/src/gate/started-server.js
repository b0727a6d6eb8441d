// Starts a project with its command and finds its server. Runs in the project's own sandbox, which can't accept
// connections from outside. Plain JavaScript, because any version of Node must be able to run it.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { get } from "node:http"
import { createServer } from "node:net"

const LOOK_EVERY_MS = 100

/**
 * Starts the command. Calls `onExit` with the exit code and a description if it exits. Calls `onAnswer` once, with the
 * first server that responds to `GET /`: `{ host, port, status, isPage }`, or undefined if none does within the limit.
 *
 * @param {string} command
 * @param {{
 *   limitMs: number
 *   isAlone: boolean
 *   port?: number
 *   onExit: (code: number, words: string) => void
 *   onAnswer: (answer: { host: string, port: number, status: number, isPage: boolean } | undefined) => void
 * }} about `isAlone`: true if nothing else listens on ports here. `port`: the server's port, if known.
 */
export async function startServer(command, { limitMs, isAlone, port: setPort, onExit, onAnswer }) {
  // If another program listens on this port, it would be mistaken for the project's server.
  if (setPort !== undefined && !(await isFree(setPort))) {
    setImmediate(onExit, 1, `Port ${setPort} is in use by another program.`)
    return { kill() {} }
  }
  const port = setPort ?? (await freePort())
  const env = { ...process.env, PORT: String(port), HOST: "127.0.0.1" }
  const child = spawn("/bin/sh", ["-c", command], { env, detached: true, stdio: ["ignore", "inherit", "inherit"] })
  let isOver = false
  child.on("exit", (code, signal) => {
    if (isOver) return
    isOver = true
    const how = code === null ? `was ended by ${signal}` : `exited with exit code ${code}`
    onExit(code ?? 1, `It ${how}.`)
  })
  const startedAt = Date.now()

  function look() {
    if (isOver) return
    // The server may have chosen another port. Don't probe ports that may belong to other programs.
    const ports = isAlone && setPort === undefined ? [port, ...listening()] : [port]
    // Try both addresses: depending on the machine, `localhost` means one or the other.
    const places = [...new Set(ports)].flatMap((each) => ["127.0.0.1", "::1"].map((host) => ({ host, port: each })))
    ask(places, (answer) => {
      if (isOver) return
      if (answer || Date.now() - startedAt >= limitMs) onAnswer(answer)
      else setTimeout(look, LOOK_EVERY_MS)
    })
  }
  look()

  return {
    kill() {
      isOver = true
      try {
        process.kill(-child.pid, "SIGKILL")
      } catch {
        // The server has already exited.
      }
    },
  }
}

/** Tries one address after another. Calls back with the first response, or undefined. */
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
    const isPage = /^text\/html\b/i.test(response.headers["content-type"] ?? "")
    next({ ...first, status: response.statusCode, isPage })
  })
  request.on("timeout", () => request.destroy())
  request.on("error", () => next(undefined))
}

/** Lists listening TCP ports, if the system reports them. */
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

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer().on("error", () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
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
