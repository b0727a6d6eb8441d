import { isAppError } from "@switchyard/core/errors"
import { type ModelSurface, parseModelName } from "@switchyard/core/models/names"
import { defaultModelName } from "@switchyard/core/models/providers/groq"
import { describe, expect, it } from "vitest"

describe("parseModelName", () => {
  it.each<[ModelSurface, string, string, string]>([
    ["workflow", defaultModelName, "groq", "openai/gpt-oss-120b"],
    ["workflow", "openai/gpt-oss-120b", "groq", "openai/gpt-oss-120b"],
    ["workflow", "OpenAI/gpt-oss-20b", "groq", "openai/gpt-oss-20b"],
    ["workflow", "openai/gpt-4o", "openai", "gpt-4o"],
    ["workflow", "llama-3.3-70b-versatile", "groq", "llama-3.3-70b-versatile"],
    ["workflow", "claude-sonnet-4-5", "groq", "claude-sonnet-4-5"],
    ["workflow", "meta-llama/llama-4-scout", "groq", "meta-llama/llama-4-scout"],
    ["workflow", "constructor/x", "groq", "constructor/x"],
    ["workflow", "anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["workflow", "Anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["workflow", "local/org/model:7b", "local", "org/model:7b"],
    ["workflow", "  scripted/demo ", "scripted", "demo"],
    ["general", defaultModelName, "groq", "openai/gpt-oss-120b"],
    ["general", "openai/gpt-oss-120b", "openai", "gpt-oss-120b"],
    ["general", "claude-opus-4-1", "anthropic", "claude-opus-4-1"],
    ["general", "gpt-4o", "openai", "gpt-4o"],
    ["general", "o1-mini", "openai", "o1-mini"],
    ["general", "o3", "openai", "o3"],
    ["workflow", "claude-code/opus", "claude-code", "opus"],
    ["general", "Claude/opus", "claude-code", "opus"],
  ])("reads on %s endpoints %s as %s's %s", (surface, name, provider, model) => {
    expect(parseModelName(name, surface)).toEqual({ provider, model })
  })

  it.each<[ModelSurface, string]>([
    ["workflow", ""],
    ["workflow", "groq/"],
    ["workflow", "two words"],
    ["workflow", "codex/gpt-5"],
    ["workflow", "Codex"],
    ["workflow", "claude-code"],
    ["workflow", "claude-code/"],
    ["workflow", "x".repeat(201)],
    ["general", "gemini/pro"],
    ["general", "llama-3.3-70b-versatile"],
    ["general", "meta-llama/llama-4-scout"],
    ["general", "mistral/gpt-4o"],
  ])("refuses on %s endpoints the name %j", (surface, name) => {
    expect(thrown(() => parseModelName(name, surface))).toSatisfy((error) => isAppError(error, "invalid_request"))
  })

  it("says what it knows instead", () => {
    expect(thrown(() => parseModelName("mistral/x", "general"))).toMatchObject({
      message: expect.stringContaining("groq, anthropic, openai, bedrock, local, claude-code, scripted"),
    })
  })
})

function thrown(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
