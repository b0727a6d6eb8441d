import { createGroqProvider } from "@switchyard/core/models/groq"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { modelProviderContract } from "../../contracts/model-provider.ts"
import type { Turn } from "../../fixtures/model-server/script.ts"
import { ask } from "./asking.ts"

modelProviderContract("groq", {
  protocol: "groq",
  model: "openai/gpt-oss-120b",
  create: createGroqProvider,
  baseUrl: (server) => server,
})

describe("groq's own ways", () => {
  const json = { name: "todo" }
  const output = { name: "plan", schema: z.object({ name: z.string() }) }
  const askGroq = (turn: Turn, request: Partial<ModelRequest> & { model: string }, path = "") =>
    ask(createGroqProvider, path, turn, request)

  it("asks for a structured answer in one piece, for groq does not stream it", async () => {
    const { answer, sent } = await askGroq({ json }, { model: "openai/gpt-oss-120b", output })
    expect(sent.stream).toBe(false)
    expect(sent.response_format.json_schema).toMatchObject({ name: "plan", strict: true })
    expect(JSON.parse(answer.text)).toEqual(json)
    expect(answer.usage).toMatchObject({ input: 10, output: 5 })
  })

  it("asks other models for any JSON object, with the schema in words", async () => {
    const { answer, sent } = await askGroq({ json }, { model: "llama-3.3-70b-versatile", output })
    expect(sent.response_format).toEqual({ type: "json_object" })
    expect(sent.messages[0].content).toContain("JSON Schema")
    expect(JSON.parse(answer.text)).toEqual(json)
  })

  it("asks in words alone where there are tools, which groq refuses beside a format", async () => {
    const tools = [{ name: "look", description: "Looks.", parameters: z.object({}) }]
    const { answer, sent } = await askGroq({ json }, { model: "openai/gpt-oss-120b", output, tools })
    expect(sent).toMatchObject({ stream: true })
    expect(sent).not.toHaveProperty("response_format")
    expect(sent.messages[0].content).toContain("JSON Schema")
    expect(JSON.parse(answer.text)).toEqual(json)
  })

  it("demands a tool where it is asked to", async () => {
    const tools = [{ name: "look", description: "Looks.", parameters: z.object({}) }]
    const request = { model: "openai/gpt-oss-120b", tools, toolChoice: "required" as const }
    expect((await askGroq({ text: ["ok"] }, request)).sent.tool_choice).toBe("required")
  })

  it("keeps reasoning out of the text", async () => {
    const { answer, sent } = await askGroq({ thinking: "Hmm.", text: ["42"] }, { model: "qwen/qwen3-32b" })
    expect(answer.text).toBe("42")
    expect(sent.reasoning_format).toBe("parsed")
  })

  it("takes the base URL with or without the path that the SDK adds", async () => {
    const model = "llama-3.3-70b-versatile"
    for (const path of ["", "/", "/openai/v1", "/openai/v1/"]) {
      const asked = await askGroq({ text: ["ok"] }, { model }, path)
      expect(asked.path).toBe("/openai/v1/chat/completions")
    }
  })
})
