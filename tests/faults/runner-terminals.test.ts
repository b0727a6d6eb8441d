import { execFileSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../functions/agents/frames.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { processesWith } from "../runner/agents/workshop.ts"
import { seeded } from "./random.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const CLIENTS = ["desk", "phone", "tablet"]

describe("tabs that fight over the size of a terminal", () => {
  it("leave it to whoever took it last: others are not heard, and the program has the owner's last size", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions")).body
    const path = `/api/v1/sessions/${id}`
    const json = { coding_agent: "mock", task_description: 'Wait. mock: {"hangs":true}' }
    await server.call("POST", `${path}/tasks`, { json })
    for await (const { data } of readFrames(server, `${path}/stream?include_terminal=false`)) {
      if (data.type === "agent_session_opened") break
    }
    const [{ pty }] = (await server.call("GET", `${path}/terminals`)).body.terminals
    const at = `${path}/terminals/${pty}`
    const frames = readFrames(server, `${at}/stream`)
    await frames.next()

    const random = seeded(7)
    let owner: string | undefined
    const counted: string[] = []
    const refused: string[] = []
    for (let round = 0; round < 60; round++) {
      const client = random.pick(CLIENTS)
      const take = random.next() < 0.2
      // All sizes differ, so each visible size identifies its client.
      const [rows, cols] = [20 + round, 60 + round]
      await server.call("POST", `${at}/resize`, { json: { client, rows, cols, take } })
      if (take || owner === undefined) owner = client
      ;(owner === client ? counted : refused).push(`${rows} ${cols}`)
    }
    const seen: string[] = []
    for await (const { event, data } of frames) {
      if (event === "resized" || event === "snapshot") seen.push(`${data.rows} ${data.cols}`)
      if (seen.at(-1) === counted.at(-1)) break
    }
    expect(refused.length).toBeGreaterThan(10)
    expect(seen.filter((size) => refused.includes(size))).toEqual([])
    const inOrder = seen.filter((size) => counted.includes(size)).map((size) => counted.indexOf(size))
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
    const [pid] = await processesWith(`HOME=${server.folder}/`)
    const size = execFileSync("stty", ["-F", `/proc/${pid}/fd/2`, "size"], { encoding: "utf8" })
    expect(size.trim()).toBe(counted.at(-1))
    expect(server.reported).toEqual([])
  })
})
