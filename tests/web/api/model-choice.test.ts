import { describe, expect, it } from "vitest"
import {
  afterKeyRemoved,
  afterKeySaved,
  choose,
  currentModel,
  type ModelChoice,
} from "../../../packages/web/src/api/model-choice.ts"

const nothing: ModelChoice = { chosen: null, recent: [] }
const DEMO = "scripted/demo"
const GROQ = "groq/openai/gpt-oss-120b"

describe("the model of the next run", () => {
  it("is the chosen one, else the server's default, which is the demo only while there is no key", () => {
    expect(currentModel({ ...nothing, chosen: "openai/gpt-5" }, GROQ, ["groq"])).toBe("openai/gpt-5")
    expect(currentModel(nothing, GROQ, [])).toBe(GROQ)
    expect(currentModel(nothing, DEMO, [])).toBe(DEMO)
    expect(currentModel(nothing, DEMO, ["groq"])).toBe(GROQ)
    // The models of a local server aren't known in advance.
    expect(currentModel(nothing, DEMO, ["local"])).toBe(DEMO)
    expect(currentModel({ ...nothing, chosen: DEMO }, DEMO, ["groq"])).toBe(DEMO)
  })

  it("becomes one of the provider whose key was saved, unless another was chosen", () => {
    const saved = (choice: ModelChoice, byDefault: string) => afterKeySaved(choice, byDefault, "anthropic").chosen
    expect(saved(nothing, GROQ)).toBe("anthropic/claude-sonnet-5")
    expect(saved({ ...nothing, chosen: DEMO }, DEMO)).toBe("anthropic/claude-sonnet-5")
    expect(saved({ ...nothing, chosen: "openai/gpt-5" }, GROQ)).toBe("openai/gpt-5")
    expect(afterKeySaved(nothing, GROQ, "groq")).toEqual(nothing)
    expect(afterKeySaved(nothing, DEMO, "local")).toEqual(nothing)
  })

  it("is no longer one of the provider whose key was removed", () => {
    const choice = { chosen: "anthropic/claude-x", recent: ["anthropic/claude-x"] }
    expect(afterKeyRemoved(choice, "anthropic").chosen).toBeNull()
    expect(afterKeyRemoved(choice, "groq")).toEqual(choice)
  })

  it("stands first among the five last chosen", () => {
    const choices = ["a/1", "b/2", "a/1", "c/3", "d/4", "e/5", "f/6"].reduce(choose, nothing)
    expect(choices).toEqual({ chosen: "f/6", recent: ["f/6", "e/5", "d/4", "c/3", "a/1"] })
  })
})
