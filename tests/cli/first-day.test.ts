import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe("a mistake on the first day", () => {
  it("is named before the run where --out can't be written", async () => {
    const out = "/proc/nowhere/project"
    const { code, stderr } = await switchyard(["run", "A page", "--out", out], { url: server.url })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${out} can't be written`) })
    expect((await server.call("GET", "/v1/runs")).body.runs).toEqual([])
  })

  it("says which option lets an agent work", async () => {
    const account = { name: "mine", provider: "claude", api_key: "sk-ant-none" }
    expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBeLessThan(300)
    const { code, stderr } = await switchyard(["run", "x", "--agent", "mine"], { url: server.url })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("add --consent") })
  })
})
