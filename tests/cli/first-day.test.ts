import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { demoOffer } from "@switchyard/core/models/demo-offer"
import { createDemoProvider } from "@switchyard/demo-model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe("a prompt that the demo can't build", () => {
  it("fails with what it can, and with the key for the rest", async () => {
    const demo = createDemoProvider({ paceMs: 0, sleep: async () => {} })
    const own = await startServer({ scripted: demo })
    try {
      const out = join(own.folder, "out")
      const { code, stdout, stderr } = await switchyard(["run", "Build a Tetris", "--out", out], { url: own.url })
      expect(code).not.toBe(0)
      expect(stdout).toContain(`The built-in demo is answering, not a language model. ${demoOffer}`)
      expect(stdout + stderr).toMatch(/The demo can't build “Build a Tetris”, so nothing was written.*GROQ_API_KEY/s)
      expect(existsSync(join(out, "README.md"))).toBe(false)
      expect((await switchyard(["run", "A to-do list", "--out", out], { url: own.url })).code).toBe(0)
      expect(readFileSync(join(out, "README.md"), "utf8")).toMatch(/^\*\*Switchyard check:\*\* not run\.$/m)
    } finally {
      await own.close()
    }
  })
})

describe("a mistake on the first day", () => {
  it("is named before the run where --out can't be written", async () => {
    const out = "/proc/nowhere/project"
    const { code, stderr } = await switchyard(["run", "A page", "--out", out], { url: server.url })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`Can't write to ${out}`) })
    expect((await server.call("GET", "/v1/runs")).body.runs).toEqual([])
  })

  it("is named with the model that has no key, and with the option that sends one", async () => {
    const { code, stderr } = await switchyard(["run", "A page", "--model", "nonsense"], { url: server.url })
    expect(code).toBe(2)
    expect(stderr).toContain("The model groq/nonsense needs an API key for Groq.")
    expect(stderr).toMatch(/ See --api-key\.\n$/)
  })

  it("says which option lets a check run what was built", async () => {
    const { code, stderr } = await switchyard(["run", "x", "--check"], { url: server.url })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("Add --consent") })
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
