import type { ModelEvent } from "@switchyard/core/models/provider"
import { turnCost } from "@switchyard/core/work/chat/turn/turn-cost"
import { expect, it } from "vitest"
import { createScriptedProvider } from "../../../../fixtures/scripted-model.ts"
import { openChatBench } from "../chat-bench.ts"

const none = { estimated_input: null, estimated_output: null }
const million = 1_000_000

it("a turn costs what its tokens do, those of the cache at their own price", () => {
  const model = "anthropic/claude-sonnet-4-5"
  const usage = { ...none, input: million, output: million, cache_read: million, cache_write: million }
  expect(turnCost(usage, model)).toBeCloseTo(3 + 15 + 0.3 + 3.75)
  expect(turnCost({ ...usage, cache_read: null, cache_write: null }, `${model}-20250929`)).toBeCloseTo(18)
  expect(turnCost(usage, "groq/llama")).toBeNull()
  expect(turnCost({ ...usage, input: null }, model)).toBeNull()
})

it("the cost of a turn is in its result, and that of all turns in the totals, with those whose price nobody knows", async () => {
  let usage: ModelEvent[] = [
    { type: "usage", usage: { input: 1000, cacheRead: 10_000, cacheWrite: null, output: 100 } },
  ]
  const model = createScriptedProvider(() => [
    { type: "text", text: "Yes." },
    ...usage,
    { type: "end", stopReason: "end" },
  ])
  const bench = await openChatBench(undefined, { model: "anthropic/claude-sonnet-4-5" })
  const ask = async () => bench.execute(await bench.ask("And?"), model)
  await ask()
  const cost = 0.003 + 0.003 + 0.0015
  expect((await bench.messages()).at(-1)?.result?.cost_usd).toBeCloseTo(cost)
  usage = []
  await ask()
  expect((await bench.messages()).at(-1)?.result?.cost_usd).toBeNull()
  const { totals } = (await bench.state()).chat
  expect(totals).toMatchObject({ turns: 2, unpriced_turns: 1 })
  expect(totals.cost_usd).toBeCloseTo(cost)
  await bench.close()
})
