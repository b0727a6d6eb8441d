import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { readFrames } from "../tests/functions/agents/frames.ts"
import { startServer, type TestServer } from "../tests/functions/server.ts"
import { compared, type Line, median, percentile, type Question, sideBySide, timed } from "./measure.ts"

const KEYS = 100
const FLOOD_BYTES = 50_000_000
const AT_ONCE = 20
const MB = 1024 * 1024
const runner = fileURLToPath(new URL("../packages/runner/", import.meta.url))

export const agents: Question = {
  asks: "What do an agent's terminal, its runner and many of them cost, over HTTP on this machine?",
  async answer() {
    const server = await startServer()
    try {
      return [
        ...(await started(server)),
        ...(await typed(server)),
        ...(await flooded(server)),
        ...(await idling(server)),
        ...(await together(server)),
      ]
    } finally {
      await server.close()
    }
  },
}

/** Starts a task of the mock agent in a new session. Resolves to the session's path and the task's id. */
async function begin({ call }: TestServer, knobs: object): Promise<{ path: string; task: string }> {
  const path = `/api/v1/sessions/${(await call("POST", "/api/v1/sessions")).body.id}`
  const json = { coding_agent: "mock", task_description: `Test connection. mock: ${JSON.stringify(knobs)}` }
  return { path, task: (await call("POST", `${path}/tasks`, { json })).body.task_id }
}

async function completed({ call }: TestServer, task: string): Promise<void> {
  const { status } = (await call("GET", `/v1/runs/${task}?wait=50`)).body
  if (status === "running" || status === "queued") return completed({ call } as TestServer, task)
  if (status !== "completed") throw new Error(`The task is ${status}.`)
}

/**
 * Measures the time from the request to the first byte from the agent's terminal. That includes starting the runner,
 * clone, worktree and program.
 */
async function started(server: TestServer): Promise<Line[]> {
  const first = () =>
    timed(async () => {
      const { path } = await begin(server, {})
      for await (const { event } of readFrames(server, `${path}/stream`)) if (event === "terminal") return
    })
  return [
    compared("task asked for to first byte shown", "ms", "node -e 0", await sideBySide(first, nothing, { rounds: 3 })),
  ]
}

/** Measures the time from a key press until its echo arrives. */
async function typed(server: TestServer): Promise<Line[]> {
  const { path, task } = await begin(server, { hangs: true })
  for await (const { data } of readFrames(server, `${path}/stream?include_terminal=false`)) {
    if (data.type === "agent_session_opened") break
  }
  const [{ pty }] = (await server.call("GET", `${path}/terminals`)).body.terminals
  const at = `${path}/terminals/${pty}`
  const frames = readFrames(server, `${at}/stream?client=bench`)
  await frames.next()
  const times: number[] = []
  const bareTimes: number[] = []
  const bare = bareEcho()
  for (let key = 1; key <= KEYS; key++) {
    await thinking()
    times.push(await timed(() => press(key)))
    await thinking()
    bareTimes.push(await bare.press())
  }
  bare.close()
  const hurried: number[] = []
  for (let key = KEYS + 1; key <= 2 * KEYS; key++) hurried.push(await timed(() => press(key)))
  const asked: number[] = []
  for (let round = 0; round < KEYS; round++)
    asked.push(await timed(async () => (await fetch(`${server.url}/status`)).text()))
  const attached: number[] = []
  for (let round = 0; round < 20; round++) attached.push(await timed(() => attach(server, at)))
  await server.call("POST", `/v1/runs/${task}/cancel`)

  async function press(key: number): Promise<void> {
    const body = JSON.stringify({ client: "bench", client_seq: key, data: Buffer.from("k").toString("base64") })
    await fetch(`${server.url}${at}/input`, { method: "POST", headers: { "content-type": "application/json" }, body })
    for await (const { event, data } of { [Symbol.asyncIterator]: () => ({ next: () => frames.next() }) }) {
      if (event === "bytes" && Buffer.from(data.data, "base64").includes("k")) return
    }
  }

  const against = (what: string, to: string, value: number, baseline: number, atMost?: number): Line => ({
    ...{ what, value, unit: "ms", baseline: { what: to, value: baseline }, ratio: value / baseline },
    ...(atMost && { target: { of: "value", atMost } }),
  })
  const cat = "bare node-pty, cat"
  const beat = "with pauses"
  return [
    against("a key to its echo, with pauses as people make them, median", cat, median(times), median(bareTimes), 8),
    against("and p95", cat, percentile(times, 95), percentile(bareTimes, 95), 60),
    against(
      "the next key as soon as one shows, which waits for the beat, median",
      beat,
      median(hurried),
      median(times),
    ),
    against("opening a terminal's stream to its picture, median", "GET /status", median(attached), median(asked)),
  ]
}

/** Waits a random time between two keys. At a regular pace, all keys would hit the same phase of the log's interval. */
function thinking(): Promise<void> {
  return delay(50 + Math.random() * 150)
}

const BARE_ECHO = `
  import { spawn } from "@lydell/node-pty"
  import { createInterface } from "node:readline"
  const pty = spawn("cat", [], { rows: 24, cols: 80, encoding: null })
  let pressedAt = 0
  pty.onData(() => console.log(performance.now() - pressedAt))
  createInterface({ input: process.stdin }).on("line", () => {
    pressedAt = performance.now()
    pty.write("k")
  })
  process.stdin.on("end", () => pty.kill())
`

/** Starts a terminal that only its own process reads and writes. */
function bareEcho() {
  const child = spawn(process.execPath, ["--input-type=module", "-e", BARE_ECHO], {
    cwd: runner,
    stdio: ["pipe", "pipe", "inherit"],
  })
  const echoes = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async press(): Promise<number> {
      child.stdin.write("k\n")
      return Number((await echoes.next()).value)
    },
    close: () => child.stdin.end(),
  }
}

async function attach(server: TestServer, at: string): Promise<void> {
  for await (const { event } of readFrames(server, `${at}/stream`)) if (event === "snapshot") return
}

/** Measures an agent that writes 50 MB to its terminal, compared with a program that only a bare terminal reads. */
async function flooded(server: TestServer): Promise<Line[]> {
  const task = async (bytes: number) => {
    const { path, task } = await begin(server, { flood_bytes: bytes })
    return { path, ms: await timed(() => completed(server, task)) }
  }
  const flood = await sideBySide(async () => (await task(FLOOD_BYTES)).ms - (await task(0)).ms, bare, { rounds: 2 })
  const { path } = await task(FLOOD_BYTES)
  const [{ pty }] = (await server.call("GET", `${path}/terminals`)).body.terminals
  const late = () => timed(() => attach(server, `${path}/terminals/${pty}`))
  const asked = () => timed(async () => (await fetch(`${server.url}/status`)).text())
  return [
    compared("50 MB to a terminal, beyond a task without", "ms", "bare node-pty reader", flood),
    compared("attaching after 50 MB", "ms", "GET /status", await sideBySide(late, asked)),
  ]
}

const BARE = `
  import { spawn } from "@lydell/node-pty"
  const line = "0123456789abcdef".repeat(64) + "\\r\\n"
  const program = 'const line = Buffer.from(process.argv[1]); for (let at = 0; at < ${FLOOD_BYTES}; at += line.length) require("fs").writeSync(1, line)'
  const pty = spawn(process.execPath, ["-e", program, line], { rows: 24, cols: 80, encoding: null })
  pty.onData(() => {})
  pty.onExit(() => process.exit(0))
`

function bare(): Promise<number> {
  return timed(() => promisify(execFile)(process.execPath, ["--input-type=module", "-e", BARE], { cwd: runner }))
}

/** Measures the memory of a session's runner after its work is done. */
async function idling(server: TestServer): Promise<Line[]> {
  const { path, task } = await begin(server, {})
  await completed(server, task)
  const { events } = (await server.call("GET", `${path}/events?event_types=runner_claimed`)).body
  const pid = Number(/^local-(\d+)-/.exec(events[0].executor)?.[1])
  const idle = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log()"], {
    stdio: ["pipe", "pipe", "ignore"],
  })
  await once(idle.stdout, "data")
  const value = await heldMb(pid)
  const baseline = { what: "node that waits", value: await heldMb(idle.pid ?? 0) }
  idle.kill()
  return [{ what: "memory of one idle session", value, unit: "MB", baseline, ratio: value / baseline.value }]
}

async function heldMb(pid: number): Promise<number> {
  const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? []
  return (Number(kb) * 1024) / MB
}

async function together(server: TestServer): Promise<Line[]> {
  const one = () =>
    timed(async () => {
      await completed(server, (await begin(server, {})).task)
    })
  const all = () => timed(() => Promise.all(Array.from({ length: AT_ONCE }, one)))
  const { value, baseline, ratio } = await sideBySide(all, one, { rounds: 1 })
  const line = compared(`${AT_ONCE} sessions at once, to the end of all tasks`, "ms", "one session", {
    value,
    baseline,
    ratio,
  })
  return [line, { what: "and for each of them", value: value / AT_ONCE, unit: "ms" }]
}

function nothing(): Promise<number> {
  return timed(() => once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit"))
}
