import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer, type Socket } from "node:net"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { getSystemErrorMap } from "node:util"
import { prctlNumber } from "./supervisor.ts"

export interface ProgramStart {
  cwd: string
  /** Complete environment of the program. */
  env: Record<string, string>
  user?: { uid: number; gid: number } | undefined
}

export interface ProgramExit {
  code: number | null
  killedBy: NodeJS.Signals | null
}

/**
 * A program in its own process group. `pid` is also the ID of the group. A stream that never had any output may already
 * be closed.
 */
export interface StartedProgram {
  pid: number
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /**
   * Resolves when the program has exited. The program's output may end later. Rejects if the program couldn't be
   * started.
   */
  exited: Promise<ProgramExit>
}

type StartProgram = typeof startProgram

/**
 * Starts a program. Rejects if the program can't be started. A small Perl process forks in place of this one, because
 * forking takes longer the more memory a process uses. On machines without Perl, this process itself forks.
 */
export async function startProgram(file: string, args: string[], start: ProgramStart): Promise<StartedProgram> {
  spawner ??= openSpawner(start.env.PATH).catch(() => undefined)
  const startThere = await spawner
  return (startThere ?? startHere)(file, args, start)
}

let spawner: Promise<StartProgram | undefined> | undefined

async function startHere(file: string, args: string[], { user, ...start }: ProgramStart): Promise<StartedProgram> {
  const child = spawn(file, args, { ...start, ...user, detached: true, stdio: "pipe" })
  const exited = new Promise<ProgramExit>((resolve) =>
    child.once("exit", (code, killedBy) => resolve({ code, killedBy })),
  )
  await once(child, "spawn")
  const { pid = 0, stdin, stdout, stderr } = child
  return { pid, stdin, stdout, stderr, exited }
}

const ID_CHARS = 32
/**
 * Name of the stream on which the spawner reports a program's state. The program's own streams are named 0, 1 and 2.
 */
const REPORTS = "r"

/** Starts the Perl process. Rejects if Perl doesn't work on this machine. */
async function openSpawner(path: string | undefined): Promise<StartProgram> {
  const source = await readFile(new URL("spawner.pl", import.meta.url), "utf8")
  const folder = await mkdtemp(join(tmpdir(), "switchyard-spawner-"))
  const requests = new Map<string, Request>()
  const server = createServer((stream) =>
    identify(stream, (id, name) => {
      const request = requests.get(id)
      if (request) request.receive(name, stream)
      else stream.destroy()
    }),
  )
  const close = () => {
    server.close()
    return rm(folder, { recursive: true, force: true })
  }
  try {
    await once(server.listen(join(folder, "socket")), "listening")
    const env = { PATH: path, PERL_BADLANG: "0" }
    const args = ["-e", source, folder, `${prctlNumber()}`]
    const perl = spawn("perl", args, { env, detached: true, stdio: ["pipe", "pipe", "ignore"] })
    perl.stdin.on("error", () => {})
    // Perl either reports that it is ready, or exits.
    const [said] = await Promise.race([once(perl.stdout, "data"), once(perl, "exit")])
    if (!Buffer.isBuffer(said)) throw new Error("Perl doesn't work.")
    perl.once("exit", () => {
      spawner = undefined
      for (const { lose } of requests.values()) lose()
      void close()
    })
    for (const handle of [perl, perl.stdin as Socket, perl.stdout as Socket, server]) handle.unref()
    return createSpawner(perl.stdin, server, requests)
  } catch (error) {
    await close()
    throw error
  }
}

function createSpawner(input: Writable, server: { ref(): void; unref(): void }, requests: Map<string, Request>) {
  return async (file: string, args: string[], { cwd, env, user }: ProgramStart): Promise<StartedProgram> => {
    const id = randomBytes(ID_CHARS / 2).toString("hex")
    const request = createRequest(file)
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    const fields = [id, user?.uid ?? "", user?.gid ?? "", cwd, variables.length, ...variables, file, ...args]
    requests.set(id, request)
    // Keep this process alive until the program's streams are connected. After that, the streams keep it alive.
    server.ref()
    input.write(framed(Buffer.concat(fields.map((field) => framed(Buffer.from(`${field}`))))))
    try {
      return await request.started
    } finally {
      requests.delete(id)
      if (requests.size === 0) server.unref()
    }
  }
}

interface Request {
  started: Promise<StartedProgram>
  receive(name: string, stream: Socket): void
  /** Fails the request because the spawner has exited. */
  lose(): void
}

function createRequest(file: string): Request {
  const started = Promise.withResolvers<StartedProgram>()
  const exited = Promise.withResolvers<ProgramExit>()
  const streams: Record<string, Socket> = {}
  let pid: number | undefined
  let hasEnded = false
  const fail = (error: Error) => {
    started.reject(error)
    exited.reject(error)
    for (const stream of Object.values(streams)) stream.destroy()
  }
  const lose = () => fail(new Error(`The spawner was killed while ${file} was running.`))
  // A caller that waits for `started` receives the error from there, so the rejection of `exited` must not count as
  // unhandled.
  exited.promise.catch(() => {})

  function report(line: string): void {
    const [what, ...numbers] = line.split(" ")
    const [first = 0, killedBy = 0] = numbers.map(Number)
    if (what === "started") pid = first
    else if (what === "failed") fail(systemError(file, first))
    else {
      hasEnded = true
      exited.resolve(killedBy === 0 ? { code: first, killedBy: null } : { code: null, killedBy: nameOf(killedBy) })
    }
  }

  return {
    started: started.promise,
    lose,
    receive(name, stream) {
      streams[name] = stream
      if (name === REPORTS) {
        let text = ""
        stream.on("data", (chunk: Buffer) => {
          const lines = (text + chunk.toString("latin1")).split("\n")
          text = lines.pop() ?? ""
          lines.forEach(report)
          complete()
        })
        // A program that exits quickly may end before its other streams are connected.
        stream.once("close", () => hasEnded || lose())
      }
      complete()
    },
  }

  function complete(): void {
    const { 0: stdin, 1: stdout, 2: stderr } = streams
    if (pid === undefined || !stdin || !stdout || !stderr) return
    // Without this, the socket wouldn't notice when the program closes its input.
    stdin.resume()
    started.resolve({ pid, stdin, stdout, stderr, exited: exited.promise })
  }
}

/** Reads the ID and the stream name at the beginning of a connection, and passes them on. */
function identify(stream: Socket, accept: (id: string, name: string) => void): void {
  stream.on("error", () => {})
  const read = () => {
    const name: Buffer | null = stream.read(ID_CHARS + 1)
    if (name === null) return
    stream.off("readable", read)
    accept(name.toString("latin1", 0, ID_CHARS), name.toString("latin1", ID_CHARS))
  }
  stream.on("readable", read)
}

function framed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function systemError(file: string, errno: number): Error {
  const [code = "UNKNOWN", message = "unknown error"] = getSystemErrorMap().get(-errno) ?? []
  return Object.assign(new Error(`${file} couldn't be started: ${message}`), { code, errno: -errno })
}

function nameOf(signal: number): NodeJS.Signals {
  const names = Object.entries(constants.signals).filter(([, number]) => number === signal)
  return (names[0]?.[0] ?? "SIGKILL") as NodeJS.Signals
}
