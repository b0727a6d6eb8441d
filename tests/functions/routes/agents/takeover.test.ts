import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readFrames } from "../../agents/frames.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("an agent that is taken over", () => {
  it("goes on in its own screen until it is handed back, and then with its task", async () => {
    const { id } = (await server.call("POST", "/api/v1/sessions")).body
    const path = `/api/v1/sessions/${id}`
    const refusal = async (what: string) => {
      const { status, body } = await server.call("POST", `${path}/${what}`)
      return [status, body.error.code, body.error.message]
    }
    expect(await refusal("take-over")).toEqual([400, "terminal_invalid", "No agent is working in this session."])

    const json = { coding_agent: "mock", task_description: 'Wait. mock: {"hangs":true}' }
    const { task_id } = (await server.call("POST", `${path}/tasks`, { json })).body
    const frames = readFrames(server, `${path}/stream?include_terminal=false`)
    const opened: { kind: string; pty: string }[] = []
    const until = async (type: string) => {
      for (;;) {
        const { value } = await frames.next()
        if (value?.data.type === "terminal_opened") opened.push(value.data)
        if (value?.data.type === type) return value.data
      }
    }
    await until("agent_session_opened")
    expect(await refusal("hand-back")).toEqual([400, "terminal_invalid", "The agent hasn't been taken over."])
    expect((await server.call("POST", `${path}/take-over`)).body).toEqual({ success: true, session_id: id })
    await until("agent_turn_finished")
    await until("terminal_opened")
    const own = opened.at(-1)
    expect(own?.kind).toBe("tui")
    // A second request, for example from another tab, changes nothing.
    expect((await server.call("POST", `${path}/take-over`)).status).toBe(200)
    const typed = { client: "tab", client_seq: 1, data: base64("every key") }
    await server.call("POST", `${path}/terminals/${own?.pty}/input`, { json: typed })
    let screen = ""
    for await (const { data } of readFrames(server, `${path}/terminals/${own?.pty}/stream`)) {
      screen += data.screen ?? Buffer.from(data.data ?? "", "base64").toString()
      if (screen.includes("> every key")) break
    }

    expect((await server.call("POST", `${path}/hand-back`)).status).toBe(200)
    await until("user_message")
    await until("agent_session_opened")
    expect(opened.map(({ kind }) => kind)).toEqual(["driver", "tui", "driver"])
    await server.call("POST", `${path}/cancel`)
    expect((await server.ended(task_id)).status).toBe("cancelled")
    expect(server.reported).toEqual([])
  })
})
