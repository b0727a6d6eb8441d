import { readFrames } from "../tests/functions/agents/frames.ts"
import { startServer, type TestServer } from "../tests/functions/server.ts"
import { type Line, percentile, type Question, timed } from "./measure.ts"

const ASKED = 60
const AT_MOST_MS = 150

export const questions: Question = {
  asks: "How soon does a person see what an agent asks, and the agent what the person answers?",
  async answer() {
    const server = await startServer()
    try {
      const requests: number[] = []
      for (let round = 0; round < ASKED; round++)
        requests.push(await timed(async () => (await fetch(`${server.url}/status`)).text()))
      const { toPerson, toAgent } = await conversation(server)
      return [
        line("an agent's question to the page that shows it", toPerson, requests),
        line("a person's answer to the agent that waits", toAgent, requests),
      ]
    } finally {
      await server.close()
    }
  },
}

function line(what: string, times: number[], requests: number[]): Line {
  const value = percentile(times, 95)
  const baseline = { what: "GET /status, p95", value: percentile(requests, 95) }
  const target = { of: "value", atMost: AT_MOST_MS } as const
  return { what: `${what}, p95 of ${times.length}`, value, unit: "ms", baseline, ratio: value / baseline.value, target }
}

/**
 * Runs an agent that asks before each command. Each command prints its time, which is shortly after its answer arrived
 * and shortly before the next question is asked.
 */
async function conversation({ call, url }: TestServer): Promise<{ toPerson: number[]; toAgent: number[] }> {
  const path = `/api/v1/sessions/${(await call("POST", "/api/v1/sessions")).body.id}`
  const commands = Array.from({ length: ASKED }, () => "date +%s%3N")
  const prompt = `Tell the time. mock: ${JSON.stringify({ commands, files: {} })}`
  await call("POST", `${path}/agents`, { json: { name: "clock", coding_agent: "mock", mode: "ask", prompt } })
  const seen: number[] = []
  const answered: number[] = []
  const ran: number[] = []
  for await (const { data } of readFrames({ url }, `${path}/stream?include_terminal=false`)) {
    if (data.type === "question_asked") {
      seen.push(Date.now())
      answered.push(Date.now())
      await call("POST", `${path}/questions/${data.question_id}/answer`, { json: { choice: "allow" } })
    }
    if (data.type === "tool_call_finished") ran.push(Number(data.llm_summary))
    if (ran.length === ASKED) break
  }
  await call("DELETE", path)
  const toAgent = ran.map((at, index) => at - (answered[index] ?? Number.NaN))
  const toPerson = seen.slice(1).map((at, index) => at - (ran[index] ?? Number.NaN))
  return { toPerson, toAgent }
}
