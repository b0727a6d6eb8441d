import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

const MODEL = "anthropic/claude-sonnet-4-5"
const body = (name: string) => `export const ${name} = 1\n${`// ${name} ${"x".repeat(70)}\n`.repeat(250)}`
const files = { "a.ts": body("a"), "b.ts": body("b"), "c.ts": body("c") }

async function turn(): Promise<string[]> {
  const model = createScriptedProvider(() => textAnswer("Yes."))
  await bench.execute(await bench.ask("And?", { files: Object.keys(files) }), model)
  const { system, messages } = model.requests[0] as ModelRequest
  return [system, ...messages.map(({ content }) => String(content))]
}

describe("the forecast of the provider's cache", () => {
  it("is nothing before the first turn, and for providers that cache nothing", async () => {
    await bench.write(files)
    const nothing = { cached_tokens: 0, lost_tokens: 0, changes: [], cost_usd: null }
    expect(await bench.forecast(MODEL)).toEqual(nothing)
    await turn()
    expect(await bench.forecast("local/some")).toEqual(nothing)
  })

  it("names the file whose change has to be paid for, and what it costs; and comes true", async () => {
    await bench.write(files)
    for (let nth = 0; nth < 4; nth++) await turn()
    const before = await turn()
    const quiet = await bench.forecast(MODEL)
    expect(quiet).toMatchObject({ lost_tokens: 0, changes: [], cost_usd: 0 })
    expect(quiet.cached_tokens).toBeGreaterThan(14_000)

    await bench.write({ "b.ts": `${files["b.ts"]}// More.\n` })
    const forecast = await bench.forecast(MODEL)
    expect(forecast.changes).toContainEqual({ tier: "L3", path: "b.ts", reason: "edited" })
    expect(forecast.lost_tokens).toBeGreaterThan(14_000)
    expect(forecast.cost_usd).toBeCloseTo((forecast.lost_tokens * 3 * 1.25) / 1_000_000)

    const after = await turn()
    const differs = after.findIndex((text, at) => text !== before[at])
    const shared = after.slice(0, differs).reduce((sum, text) => sum + Math.round(text.length / 4), 0)
    // The provider doesn't cache a prefix shorter than its minimum.
    expect(shared - forecast.cached_tokens).toBeGreaterThanOrEqual(0)
    expect(shared - forecast.cached_tokens).toBeLessThan(1024)
  })

  it("knows what a selection changes before anything is sent", async () => {
    await bench.write(files)
    for (let nth = 0; nth < 4; nth++) await turn()
    await bench.select(["a.ts", "b.ts"])
    const { changes, lost_tokens } = await bench.forecast(MODEL)
    expect(changes).toContainEqual({ tier: "L3", path: "c.ts", reason: "removed" })
    expect(lost_tokens).toBeGreaterThan(0)
  })
})
