import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startModelServer } from "../fixtures/model-server/server.ts"
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
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`Can't write to ${out}`) })
    expect((await server.call("GET", "/v1/runs")).body.runs).toEqual([])
  })

  it("says which option lets an agent work", async () => {
    const account = { name: "mine", provider: "claude", api_key: "sk-ant-none" }
    expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBeLessThan(300)
    const { code, stderr } = await switchyard(["run", "x", "--agent", "mine"], { url: server.url })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("Add --consent") })
  })

  it("is told that the model's credit has run out, whoever found out, and that waiting doesn't help", async () => {
    const model = await startModelServer(() => ({ fail: { kind: "no_credit" } }))
    const poor = await startServer({ env: { GROQ_API_KEY: "the-server's-own", GROQ_BASE_URL: model.url } })
    try {
      const fails = JSON.stringify({ fails: { status: 402, message: "Payment required" } })
      for (const args of [
        ["run", "A page"],
        ["run", `mock: ${fails}`, "--agent", "mock"],
      ]) {
        const { code, stdout, stderr } = await switchyard(args, { url: poor.url })
        expect(code).not.toBe(0)
        expect(stdout + stderr).toMatch(/credit with the model provider has run out.*add credit/s)
        expect(stdout + stderr).not.toMatch(/wait a little/i)
      }
    } finally {
      await poor.close()
      await model.close()
    }
  })
})
