import { existsSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { readFrames } from "../tests/functions/agents/frames.ts"
import { startServer, type TestServer } from "../tests/functions/server.ts"
import type { Question, Target } from "./measure.ts"
import { cpuMs, familyOf, ownMb } from "./processes.ts"

const SESSIONS = 20
const SETTLE_MS = 20_000
const WATCHED_MS = 60_000
/** A runner parks 30 s after its work has ended. */
const PARKED_MS = 45_000

const share = (atMost: number): Target => ({ of: "ratio", atMost })

export const silentSessions: Question = {
  asks: `What do ${SESSIONS} sessions cost in which nothing happens?`,
  async answer() {
    if (!existsSync("/proc/self/stat")) return [{ what: "processor time of silent sessions", reason: "no /proc" }]
    const server = await startServer()
    try {
      const opened = await openAll(server)
      await setTimeout(SETTLE_MS)
      const running = await cpuShare(opened)
      for (const { path } of opened) await server.call("POST", `${path}/cancel`)
      await setTimeout(PARKED_MS)
      const memory = sum(await Promise.all((await familiesOf(opened)).map(ownMb)))
      const ended = await cpuShare(opened)
      const core = { what: "a core", value: WATCHED_MS }
      const line = (value: number) => ({ unit: "ms" as const, value, baseline: core, ratio: value / core.value })
      return [
        { what: "silent agents: runners and their programs", ...line(running.runners), target: share(0.15) },
        { what: "the same with the server", ...line(running.all) },
        { what: "ended sessions: with the server", ...line(ended.all), target: share(0.005) },
        { what: "memory of the ended sessions", unit: "MB", value: memory, target: { of: "value", atMost: 100 } },
      ]
    } finally {
      await server.close()
    }
  },
}

interface Opened {
  path: string
  runner: number
}

async function openAll(server: TestServer): Promise<Opened[]> {
  const opened: Opened[] = []
  for (let index = 0; index < SESSIONS; index++) opened.push(await openSilent(server))
  return opened
}

/** Opens a session whose agent has written a file and is silent from then on. */
async function openSilent({ call, url }: TestServer): Promise<Opened> {
  const path = `/api/v1/sessions/${(await call("POST", "/api/v1/sessions")).body.id}`
  const prompt = 'Wait. mock: {"hangs": true, "files": {"a.txt": "a"}}'
  await call("POST", `${path}/agents`, { json: { name: "silent", coding_agent: "mock", mode: "bypass", prompt } })
  let runner = 0
  for await (const { data } of readFrames({ url }, `${path}/stream?include_terminal=false`)) {
    if (data.type === "runner_claimed") runner = Number(/^local-(\d+)-/.exec(data.executor)?.[1])
    if (data.type === "agent_session_opened") break
  }
  return { path, runner }
}

async function familiesOf(opened: Opened[]): Promise<number[]> {
  const runners = opened.map(({ runner }) => runner).filter((pid) => existsSync(`/proc/${pid}`))
  return (await Promise.all(runners.map(familyOf))).flat()
}

/**
 * Returns milliseconds of CPU time in `WATCHED_MS`: of the runners with their programs, and of those plus the server.
 */
async function cpuShare(opened: Opened[]): Promise<{ runners: number; all: number }> {
  const pids = await familiesOf(opened)
  const taken = async () => sum(await Promise.all(pids.map((pid) => cpuMs(pid).catch(() => 0))))
  const before = await taken()
  const server = process.cpuUsage()
  await setTimeout(WATCHED_MS)
  const runners = (await taken()) - before
  const { user, system } = process.cpuUsage(server)
  return { runners, all: runners + (user + system) / 1000 }
}

function sum(values: number[]): number {
  return values.reduce((total, each) => total + each, 0)
}
