import { Annotation, START, StateGraph } from "@langchain/langgraph"
import { AppError, type ErrorCode } from "@switchyard/core/errors"
import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import { classifyError } from "@switchyard/core/work/runs/classify-error"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { STATUS } from "../../../../packages/functions/src/http/errors.ts"

describe("classifyError", () => {
  it("takes a model's error for what it is, however deep it lies", () => {
    const model = new ModelError("context_limit", "invalid api key, status 429")
    const error = new AppError(
      "workflow_error",
      "The run failed.",
      {},
      { cause: new Error("rate limit", { cause: model }) },
    )
    expect(classifyError(error).error_type).toBe("context_limit")
  })

  it("explains that the step limit was too small", async () => {
    const endless = new StateGraph(Annotation.Root({ count: Annotation<number> }))
      .addNode("loop", ({ count }) => ({ count: count + 1 }))
      .addEdge(START, "loop")
      .addEdge("loop", "loop")
      .compile()
    const cause = await endless.invoke({ count: 0 }, { recursionLimit: 3 }).catch((error) => error)
    expect(classifyError(new AppError("workflow_error", "The run failed.", {}, { cause }))).toMatchObject({
      error_type: "invalid_request",
      hint: expect.stringContaining("recursion_limit"),
    })
  })

  it("knows our own errors and zod's", () => {
    const zod = z.object({ name: z.string() }).safeParse({}).error
    expect(classifyError(zod).error_type).toBe("invalid_request")
    expect(classifyError(new AppError("workspace_validation_error", "Path leaves.")).error_type).toBe("invalid_request")
    expect(classifyError(new AppError("workspace_unauthorized", "No key.")).error_type).toBe("auth_error")
    expect(classifyError(new AppError("internal_error", "A bug."))).toMatchObject({ error_type: "unknown_error" })
  })

  it("knows each of our errors by its code, and says what to do", () => {
    const notForRuns = ["internal_error", "model_error", "workflow_error"]
    for (const code of Object.keys(STATUS) as ErrorCode[]) {
      const { error_type, message, hint } = classifyError(new AppError(code, "It was so."))
      if (!notForRuns.includes(code)) expect(error_type, code).not.toBe("unknown_error")
      expect(message).toBe("It was so.")
      if (code !== "internal_error") expect(hint, code).not.toContain("unknown")
    }
    expect(classifyError(new AppError("workflow_error", "It refused."))).toMatchObject({ error_type: "incomplete" })
    expect(classifyError(new AppError("worktree_busy", "An agent is at work."))).toEqual({
      error_type: "worktree_busy",
      message: "An agent is at work.",
      hint: "Try again when the agent's task is finished, or cancel the task.",
    })
  })

  it.each<[string, ModelErrorType | "unknown_error"]>([
    ["Rate limit exceeded: invalid api key", "rate_limit"],
    ["Request failed with status code 429", "rate_limit"],
    ["You exceeded your current quota", "rate_limit"],
    ["Invalid API key", "auth_error"],
    ["HTTP status 403", "auth_error"],
    ["connect ECONNREFUSED 127.0.0.1:9", "connection_error"],
    ["Request timed out: schema", "connection_error"],
    ["socket timeout", "connection_error"],
    ["context length exceeded, invalid", "context_limit"],
    ["Response failed validation", "invalid_request"],
    ["Something else", "unknown_error"],
    ["ENOENT: /tmp/429/file401.txt", "unknown_error"],
    ["The file schematics.md is invalidated", "unknown_error"],
    ["Wrote 403 lines and 429 words", "unknown_error"],
  ])("reads %j as %s when there is nothing but text", (text, errorType) => {
    expect(classifyError(new Error(text)).error_type).toBe(errorType)
    expect(classifyError(text).error_type).toBe(errorType)
  })

  it("reads five links of a chain, and no more", () => {
    const chain = (links: number): Error =>
      links === 0 ? new Error("rate limit") : new Error("so it failed", { cause: chain(links - 1) })
    expect(classifyError(chain(4)).error_type).toBe("rate_limit")
    expect(classifyError(chain(5)).error_type).toBe("unknown_error")
  })

  it("ends on a chain that bites its tail, and on what is no error", () => {
    const error = new Error("a")
    error.cause = error
    expect(classifyError(error).error_type).toBe("unknown_error")
    expect(classifyError(undefined).error_type).toBe("unknown_error")
  })

  it("tells a limit that passes from credit that is used up, and from a plan's limit", () => {
    const hintOf = (error: unknown) => {
      const { error_type, hint } = classifyError(error)
      expect(error_type).toBe("rate_limit")
      return hint
    }
    expect(hintOf(new ModelError("rate_limit", "Slow down."))).toMatch(/^.*Wait a moment/)
    const credit = hintOf(new ModelError("rate_limit", "No.", { usedUp: "credit" }))
    expect(credit).toMatch(/credit .* has run out.*add credit/)
    expect(hintOf(new Error("Request failed with status code 402"))).toBe(credit)
    expect(hintOf(new Error("Your credit balance is too low"))).toBe(credit)
    expect(hintOf(new ModelError("rate_limit", "No.", { usedUp: "quota" }))).toContain("when its limit resets")
  })

  it("says which key would do what the demo model can't", () => {
    const { error_type, hint } = classifyError(new ModelError("invalid_request", "A Tetris?", { isBeyondDemo: true }))
    expect(error_type).toBe("invalid_request")
    expect(hint).toMatch(/add a key in the studio.*GROQ_API_KEY.*OPENAI_API_KEY, ANTHROPIC_API_KEY or LOCAL_BASE_URL/)
  })

  it("has a hint for every type", () => {
    const types = ["rate_limit", "auth_error", "connection_error", "context_limit", "invalid_request", "provider_error"]
    const hints = types.map((type) => classifyError(new ModelError(type as ModelErrorType, "x")).hint)
    expect(new Set(hints).size).toBe(types.length)
    expect(hints.every((hint) => hint.length > 20)).toBe(true)
  })
})
