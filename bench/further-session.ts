import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readFrames } from "../tests/functions/agents/frames.ts"
import { startServer, type TestServer } from "../tests/functions/server.ts"
import { median, type Question } from "./measure.ts"
import { cpuMs, ownMb } from "./processes.ts"

const SESSIONS = 5

export const furtherSession: Question = {
  asks: "What does a further session cost, beside its agent's own program?",
  async answer() {
    if (!existsSync("/proc/self/smaps_rollup")) return [{ what: "memory of a further session", reason: "no /proc" }]
    const server = await startServer()
    const bare = await bareNode()
    try {
      const [ownOfBare, cpuOfBare] = [await ownMb(bare.pid ?? 0), await cpuMs(bare.pid ?? 0)]
      // The first session compiles the runner and stores the compiled code.
      await runnerOf(server)
      const runners: number[] = []
      for (let index = 0; index < SESSIONS; index++) runners.push(await runnerOf(server))
      const own = median(await Promise.all(runners.map(ownMb)))
      const cpu = median(await Promise.all(runners.map(cpuMs)))
      const node = "a Node process that waits"
      return [
        {
          ...{ what: "memory of its runner that isn't shared", unit: "MB", value: own },
          ...{ baseline: { what: node, value: ownOfBare }, ratio: own / ownOfBare, target: { of: "ratio", atMost: 5 } },
        },
        {
          ...{ what: "processor time of its runner until the agent is at work, git included", unit: "ms", value: cpu },
          ...{ baseline: { what: node, value: cpuOfBare }, ratio: cpu / cpuOfBare },
        },
      ]
    } finally {
      bare.kill()
      await server.close()
    }
  },
}

/** Starts a session with an agent that hangs. Returns the process ID of its runner. */
async function runnerOf({ call, url }: TestServer): Promise<number> {
  const path = `/api/v1/sessions/${(await call("POST", "/api/v1/sessions")).body.id}`
  const prompt = 'Wait. mock: {"hangs": true, "files": {}}'
  await call("POST", `${path}/agents`, { json: { name: "a", coding_agent: "mock", mode: "bypass", prompt } })
  let pid = 0
  for await (const { data } of readFrames({ url }, `${path}/stream?include_terminal=false`)) {
    if (data.type === "runner_claimed") pid = Number(/^local-(\d+)-/.exec(data.executor)?.[1])
    if (data.type === "agent_session_opened") break
  }
  return pid
}

async function bareNode(): Promise<ChildProcess> {
  const waits = 'console.log("ready"); setInterval(() => {}, 60_000)'
  const child = spawn(process.execPath, ["-e", waits], { stdio: ["ignore", "pipe", "inherit"] })
  if (child.stdout) await once(child.stdout, "data")
  return child
}
