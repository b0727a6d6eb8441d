import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { oldPriceText } from "@switchyard/core/models/price-age"
import { PRICES_AS_OF, priceList } from "@switchyard/core/models/price-list"
import { priceOf } from "@switchyard/core/models/prices"
import { afterAll, beforeAll, expect, it } from "vitest"
import { mergePrices, priceModule, readPrices } from "../../tools/prices/price-list.ts"

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
  "groq/openai/gpt-z": { ...chat, litellm_provider: "groq" },
  "ft:gpt-y": { ...chat, litellm_provider: "openai" },
  "azure/gpt-y": { ...chat, litellm_provider: "azure" },
  "gpt-embedding": { ...chat, mode: "embedding", litellm_provider: "openai" },
  "us.anthropic.claude-sonnet-x-20260101-v1:0": { ...chat, litellm_provider: "bedrock_converse" },
  "bedrock/us-gov-west-1/anthropic.claude-sonnet-x": { ...chat, litellm_provider: "bedrock" },
  "meta.llama-x": { ...chat, litellm_provider: "bedrock_converse" },
  "gpt-free": { ...chat, litellm_provider: "openai", input_cost_per_token: 0 },
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-prices-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const DAY = "2026-02-03"
const ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing"

it("reads the language models of our providers, without a date, and what caching costs", () => {
  const from = (source: string) => ({ asOf: DAY, source })
  expect(readPrices(LIST, DAY)).toEqual({
    groq: {
      "openai/gpt-z": { inputUsd: 2, outputUsd: 10, cacheRead: 1, cacheWrite: 1, ...from("https://groq.com/pricing") },
    },
    anthropic: { "claude-x": { inputUsd: 2, outputUsd: 10, cacheRead: 0.1, cacheWrite: 1.25, ...from(ANTHROPIC) } },
    openai: {
      "gpt-y": {
        ...{ inputUsd: 0.15, outputUsd: 10, cacheRead: 1, cacheWrite: 1 },
        ...from("https://developers.openai.com/api/docs/pricing"),
      },
    },
    bedrock: {
      // The version is part of the name.
      "us.anthropic.claude-sonnet-x-20260101-v1:0": {
        ...{ inputUsd: 2, outputUsd: 10, cacheRead: 1, cacheWrite: 1 },
        ...from("https://aws.amazon.com/bedrock/pricing/"),
      },
    },
  })
})

it("refuses a list in another form instead of dropping prices", () => {
  expect(() => readPrices({ models: [] }, DAY)).toThrow("The list has no prices for groq.")
})

it("keeps a price that is no longer listed, with its date", () => {
  const gone = { inputUsd: 1, outputUsd: 2, cacheRead: 1, cacheWrite: 1, asOf: "2025-01-01", source: ANTHROPIC }
  const read = readPrices(LIST, DAY)
  const merged = mergePrices({ anthropic: { "claude-gone": gone, "claude-x": gone } }, read)
  expect(merged.anthropic).toEqual({ "claude-gone": gone, ...read.anthropic })
})

it("writes the table of a copy of the list, with its date", () => {
  const [from, to] = [join(folder, "list.json"), join(folder, "price-list.ts")]
  writeFileSync(from, JSON.stringify(LIST))
  execFileSync(process.execPath, [TOOL, from, "--as-of", DAY, "--to", to])
  const written = readFileSync(to, "utf8")
  expect(written).toContain(`PRICES_AS_OF = "${DAY}"`)
  expect(written).toContain(`"claude-x": row("${DAY}", SOURCE_2, 2, 10, 0.1, 1.25),`)
  expect(written).toBe(priceModule(mergePrices(priceList, readPrices(LIST, DAY)), DAY))
})

it("has a date and the provider's page for each price", () => {
  for (const [provider, prices] of Object.entries(priceList)) {
    for (const [model, { asOf, source }] of Object.entries(prices)) {
      expect(asOf, `${provider}/${model}`).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(source, `${provider}/${model}`).toMatch(/^https:\/\//)
    }
  }
})

/** Returns the full names of the models with old prices. */
function oldPrices(now: number): string[] {
  return Object.entries(priceList).flatMap(([provider, prices]) =>
    Object.entries(prices).flatMap(([model, { asOf }]) =>
      oldPriceText(asOf, now) === null ? [] : [`${provider}/${model}`],
    ),
  )
}

it("marks a price after 90 days", () => {
  const now = Date.parse("2026-05-05T00:00:00Z")
  expect(oldPriceText("2026-02-04", now)).toBeNull()
  expect(oldPriceText("2026-02-03", now)).toBe("price of Feb 2026, may have changed")
  const read = Date.parse(priceOf("anthropic", "claude-sonnet-5")?.asOf ?? "")
  expect(oldPrices(read + 91 * 86_400_000)).toContain("anthropic/claude-sonnet-5")
})

it("lists exactly the prices of more than 90 days ago as old", () => {
  const newest = Date.parse(PRICES_AS_OF)
  const old = oldPrices(newest)
  for (const [provider, prices] of Object.entries(priceList))
    for (const [model, { asOf }] of Object.entries(prices))
      expect(old.includes(`${provider}/${model}`), model).toBe(newest - Date.parse(asOf) > 90 * 86_400_000)
})
