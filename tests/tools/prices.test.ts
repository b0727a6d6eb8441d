import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { priceModule, readPrices } from "../../tools/prices/price-list.ts"

const TOOL = join(import.meta.dirname, "../../tools/prices.ts")
const chat = { mode: "chat", input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 }
const LIST = {
  sample_spec: { mode: "one of: chat, embedding", litellm_provider: "one of ours", input_cost_per_token: 0 },
  "claude-x-20260101": { ...chat, litellm_provider: "anthropic", input_cost_per_token: 9e-6 },
  "claude-x": {
    ...chat,
    litellm_provider: "anthropic",
    cache_read_input_token_cost: 2e-7,
    cache_creation_input_token_cost: 2.5e-6,
  },
  "gpt-y-2026-01-01": { ...chat, litellm_provider: "openai", input_cost_per_token: 1.5e-7 },
  "ft:gpt-y": { ...chat, litellm_provider: "openai" },
  "azure/gpt-y": { ...chat, litellm_provider: "azure" },
  "gpt-embedding": { ...chat, mode: "embedding", litellm_provider: "openai" },
  "gpt-free": { ...chat, litellm_provider: "openai", input_cost_per_token: 0 },
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-prices-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("reads the language models of our providers, without a date, and what caching costs", () => {
  expect(readPrices(LIST)).toEqual({
    anthropic: { "claude-x": { inputUsd: 2, outputUsd: 10, cacheRead: 0.1, cacheWrite: 1.25 } },
    openai: { "gpt-y": { inputUsd: 0.15, outputUsd: 10, cacheRead: 1, cacheWrite: 1 } },
  })
})

it("refuses a list in another form instead of dropping prices", () => {
  expect(() => readPrices({ models: [] })).toThrow("The list has no prices for anthropic.")
})

it("writes the table of a copy of the list, with its date", () => {
  const [from, to] = [join(folder, "list.json"), join(folder, "price-list.ts")]
  writeFileSync(from, JSON.stringify(LIST))
  execFileSync(process.execPath, [TOOL, from, "--as-of", "2026-02-03", "--to", to])
  expect(readFileSync(to, "utf8")).toBe(priceModule(readPrices(LIST), "2026-02-03"))
  expect(readFileSync(to, "utf8")).toContain('PRICES_AS_OF = "2026-02-03"')
})
