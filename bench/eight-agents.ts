import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { readFrames } from "../tests/functions/agents/frames.ts"
import { startServer, type TestServer } from "../tests/functions/server.ts"
import type { Question, Target } from "./measure.ts"
import { familyOf } from "./processes.ts"

const AGENTS = 8
const AT_MOST: Target = { of: "ratio", atMost: 2 }

export const eightAgents: Question = {
  asks: "How much memory do eight agents of one session take?",
  async answer() {
    if (!existsSync("/proc/self/status")) return [{ what: "memory of eight agents", reason: "no /proc" }]
    const server = await startServer()
    try {
      const one = await taken(server, 1)
      const eight = await taken(server, AGENTS)
      const value = eight.runner + eight.programs
      const baseline = {
        what: "eight times the programs of a session of one, and its runner",
        value: one.runner + AGENTS * one.programs,
      }
      const line = { what: "runner and programs of eight agents at work", value, unit: "MB" as const, baseline }
      return [
        { ...line, ratio: value / baseline.value, target: AT_MOST },
        { what: "of that the runner", ...besides(eight.runner, one.runner) },
      ]
    } finally {
      await server.close()
    }
  },
}

function besides(value: number, alone: number) {
  return { value, unit: "MB" as const, baseline: { what: "a runner with one", value: alone }, ratio: value / alone }
}

/**
 * Returns the memory in MB of a session's runner, and that of all processes below it, while this many mock agents work.
 */
async function taken({ call, url }: TestServer, count: number): Promise<{ runner: number; programs: number }> {
  const path = `/api/v1/sessions/${(await call("POST", "/api/v1/sessions")).body.id}`
  for (let index = 0; index < count; index++) {
    const prompt = 'Wait. mock: {"hangs": true, "files": {}}'
    await call("POST", `${path}/agents`, {
      json: { name: `agent-${index}`, coding_agent: "mock", mode: "bypass", prompt },
    })
  }
  let pid = 0
  let opened = 0
  for await (const { data } of readFrames({ url }, `${path}/stream?include_terminal=false`)) {
    if (data.type === "runner_claimed") pid = Number(/^local-(\d+)-/.exec(data.executor)?.[1])
    if (data.type === "agent_session_opened" && ++opened === count) break
  }
  const held = await Promise.all((await familyOf(pid)).map(residentMb))
  await call("DELETE", path)
  const [runner = 0, ...programs] = held
  return { runner, programs: programs.reduce((sum, each) => sum + each, 0) }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
}
