import { AppError } from "@switchyard/core/errors"
import { keyOfTheWorker } from "@switchyard/core/models/names"
import { keyedProviders } from "@switchyard/core/models/providers/providers"
import { defaultModel, type ModelsConfig, misplacedKeys, resolveModel } from "@switchyard/core/models/resolve"
import { describe, expect, it } from "vitest"

const production: ModelsConfig = { development: false, allowScripted: false }
const development: ModelsConfig = { development: true, allowScripted: true }
const surface = "workflow"

describe("resolveModel", () => {
  it("prefers the caller's key to the installation's", () => {
    const config = { ...production, providers: { groq: { apiKey: "server" } } }
    expect(resolveModel(config, { surface, apiKey: " caller " })).toMatchObject({ provider: "groq", apiKey: "caller" })
    expect(resolveModel(config, { surface })).toMatchObject({ model: "openai/gpt-oss-120b", apiKey: "server" })
    expect(resolveModel(config, { surface, apiKey: "  " }).apiKey).toBe("server")
  })

  it("falls to the demo in development when no model is named and no key is there", () => {
    expect(resolveModel(development, { surface })).toMatchObject({ provider: "scripted", model: "demo" })
    expect(resolveModel(development, { surface, name: " " })).toMatchObject({ provider: "scripted" })
    expect(defaultModel(development)).toBe("scripted/demo")
  })

  it("does not fall to the demo when there is a key", () => {
    expect(resolveModel(development, { surface, apiKey: "k" })).toMatchObject({ provider: "groq" })
    expect(resolveModel({ ...development, providers: { groq: { apiKey: "k" } } }, { surface })).toMatchObject({
      provider: "groq",
    })
  })

  it("never falls to the demo in production, not even where it may be named", () => {
    expect(refusal(production, {})).toContain("GROQ_API_KEY")
    expect(refusal({ ...production, allowScripted: true }, {})).toContain("GROQ_API_KEY")
    expect(defaultModel(production)).toBe("groq/openai/gpt-oss-120b")
  })

  it("never gives another model than the one that was named", () => {
    expect(refusal(development, { name: "groq/llama" })).toContain("GROQ_API_KEY")
    expect(refusal(development, { name: "openai/gpt-4o" })).toContain("OPENAI_API_KEY")
    expect(refusal(development, { name: "anthropic/claude" })).toContain("X-API-KEY")
  })

  it("gives the first Bedrock model if none is named and there is no key for Groq", () => {
    const bedrock = {
      models: ["us.amazon.nova-pro-v1:0", "arn:aws:bedrock:x:1:inference-profile/y"],
      region: "us-east-1",
    }
    for (const config of [production, development]) {
      expect(resolveModel({ ...config, bedrock }, { surface })).toMatchObject({
        ...{ provider: "bedrock", model: "us.amazon.nova-pro-v1:0", apiKey: "" },
      })
    }
    const keyed = { ...production, bedrock, providers: { groq: { apiKey: "g" } } }
    expect(defaultModel(keyed)).toBe("groq/openai/gpt-oss-120b")
    expect(defaultModel({ ...production, bedrock }, "callers")).toBe("groq/openai/gpt-oss-120b")
    const name = "bedrock/arn:aws:bedrock:x:1:inference-profile/y"
    expect(resolveModel(keyed, { surface, name }).model).toBe("arn:aws:bedrock:x:1:inference-profile/y")
    expect(refusal(keyed, { name: "bedrock/other" })).toContain("BEDROCK_MODELS")
    expect(refusal(keyed, { name, apiKey: "k" })).toContain("Leave out the API key")
    expect(refusal(production, { name: "bedrock/any" })).toContain("BEDROCK_MODELS")
  })

  it("gives each provider its own key and URL", () => {
    const config: ModelsConfig = {
      ...production,
      providers: {
        groq: { apiKey: "g", baseUrl: "http://g" },
        openai: { apiKey: "o", baseUrl: "http://o" },
        anthropic: { apiKey: "a", baseUrl: "http://a" },
        local: { apiKey: "l", baseUrl: "http://l" },
      },
    }
    const names = ["groq/m", "openai/m", "anthropic/m", "local/m"]
    const resolved = names.map((name) => resolveModel(config, { surface, name }))
    expect(resolved.map(({ apiKey, baseUrl }) => [apiKey, baseUrl])).toEqual([
      ["g", "http://g"],
      ["o", "http://o"],
      ["a", "http://a"],
      ["l", "http://l"],
    ])
  })

  it("needs a URL for local models, but no key", () => {
    expect(refusal(production, { name: "local/llama" })).toContain("LOCAL_BASE_URL")
    const config = { ...production, providers: { local: { baseUrl: "http://localhost:11434/v1" } } }
    expect(resolveModel(config, { surface, name: "local/llama" }).apiKey).not.toBe("")
  })

  it("allows scripted models only where the installation does", () => {
    expect(refusal(production, { name: "scripted/demo" })).toContain("development")
    expect(resolveModel(development, { surface, name: "scripted/demo", apiKey: "k" }).provider).toBe("scripted")
  })

  it.each([
    ["sk-ant-api03-x", undefined, "an Anthropic key"],
    ["sk-ant-api03-x", "groq/llama", "an Anthropic key"],
    ["gsk_x", "anthropic/claude", "a Groq key"],
    ["gsk_x", "openai/gpt-5", "a Groq key"],
    ["sk-proj-x", "groq/llama", "an OpenAI key"],
    ["gsk_x", "local/llama", "a Groq key"],
  ])("refuses %s for %s, whatever the base URLs, and doesn't repeat it", (apiKey, name, what) => {
    const baseUrl = "http://127.0.0.1:9"
    const config = { ...development, providers: Object.fromEntries(keyedProviders.map((id) => [id, { baseUrl }])) }
    expect(refusal(config, { name, apiKey })).toContain(`The API key in the request is ${what}`)
    expect(refusal(config, { name, apiKey })).not.toContain(apiKey)
  })

  it.each([undefined, "anthropic/claude", "local/llama"])("refuses a subscription's token for %s", (name) => {
    const refused = refusal(
      { ...development, providers: { local: { baseUrl: "http://127.0.0.1:9" } } },
      { name, apiKey: "sk-ant-oat01-x" },
    )
    expect(refused).toContain("not an API key. Use a key from the Claude Console")
    expect(refused).not.toContain("oat01")
    const config = { ...production, providers: { anthropic: { apiKey: "sk-ant-oat01-x" } } }
    const what = "is the token of a Claude subscription (sk-ant-oat…)"
    expect(misplacedKeys(config)).toEqual([`ANTHROPIC_API_KEY ${what}, so it isn't used.`])
    expect(refusal(config, { name: "anthropic/claude" })).toContain(`ANTHROPIC_API_KEY on the server ${what}`)
  })

  it("never uses a key of the installation's own that is another provider's", () => {
    const config = { ...production, providers: { groq: { apiKey: "sk-ant-x" }, openai: { apiKey: "sk-proj-x" } } }
    expect(refusal(config, {})).toContain("GROQ_API_KEY on the server is an Anthropic key")
    expect(misplacedKeys(config)).toEqual(["GROQ_API_KEY is an Anthropic key (sk-ant-…), so it isn't used."])
    expect(resolveModel(config, { surface, apiKey: "gsk_x" }).apiKey).toBe("gsk_x")
  })

  it("takes the word that workers have a key for a key", () => {
    expect(resolveModel({ ...production, providers: { groq: { apiKey: keyOfTheWorker } } }, { surface }).provider).toBe(
      "groq",
    )
  })

  it("refuses a key that no header could carry, without repeating it", () => {
    for (const apiKey of ["two words", "sk-\u2026", "a\nb"]) {
      expect(refusal(production, { apiKey })).not.toContain(apiKey)
    }
  })
})

function refusal(config: ModelsConfig, request: { name?: string; apiKey?: string }): string {
  try {
    resolveModel(config, { surface, ...request })
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: "invalid_request" })
    return (error as AppError).message
  }
  throw new Error("It was not refused.")
}
