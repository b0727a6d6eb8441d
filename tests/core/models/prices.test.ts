import { isPriced, priceOf } from "@switchyard/core/models/prices"
import { modelProviders } from "@switchyard/core/models/providers/providers"
import { requirePrice } from "@switchyard/core/people/budget/require-price"
import { expect, it } from "vitest"

it("has a price of each model that is used unless another is chosen", () => {
  for (const id of ["groq", "anthropic", "openai"] as const) {
    const { defaultModel, smallModel } = modelProviders[id]
    expect(isPriced(defaultModel ?? ""), `${defaultModel}`).toBe(true)
    if (smallModel) expect(priceOf(id, smallModel), smallModel).toBeDefined()
  }
})

it("finds the price of a model whose name has a date", () => {
  expect(priceOf("anthropic", "claude-haiku-4-5-20251001")).toEqual(priceOf("anthropic", "claude-haiku-4-5"))
  expect(priceOf("anthropic", "constructor")).toBeUndefined()
  expect(priceOf("constructor", "claude-haiku-4-5")).toBeUndefined()
})

it("finds the price of a Bedrock model by its ID, its profile and their ARNs", () => {
  const id = "anthropic.claude-sonnet-4-5-20250929-v1:0"
  const inUs = priceOf("bedrock", `us.${id}`)
  expect(inUs?.inputUsd).toBeGreaterThan(priceOf("bedrock", id)?.inputUsd ?? 0)
  expect(priceOf("bedrock", `arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.${id}`)).toEqual(inUs)
  expect(
    priceOf("bedrock", "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2"),
  ).toBeUndefined()
})

it("refuses a limit in dollars only where it could not be kept", () => {
  expect(() => requirePrice("local/mine", { usd: 5 })).toThrow("Limit tokens instead.")
  expect(() => requirePrice("local/mine", { usd: null, tokens: 1000 })).not.toThrow()
  expect(() => requirePrice("local/mine", undefined)).not.toThrow()
  expect(() => requirePrice("openai/gpt-5", { usd: 5 })).not.toThrow()
  expect(() => requirePrice("scripted/demo", { usd: 5 })).not.toThrow()
})
