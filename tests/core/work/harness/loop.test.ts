import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { ModelError } from "@switchyard/core/models/errors"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { systemClock } from "@switchyard/core/time"
import { callModel } from "@switchyard/core/work/harness/call-model"
import type { HarnessContext } from "@switchyard/core/work/harness/context"
import { createConversation } from "@switchyard/core/work/harness/conversation"
import { generateObject } from "@switchyard/core/work/harness/generate-object"
import { type NextMove, runLoop, type Turn } from "@switchyard/core/work/harness/loop"
import { createPromptLimits } from "@switchyard/core/work/harness/prompt-limits"
import { defineTool } from "@switchyard/core/work/harness/tools"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import {
  createScriptedProvider,
  type ScriptedAnswer,
  textAnswer,
  toolAnswer,
} from "../../../fixtures/scripted-model.ts"

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  kind: "other",
  mistake: ({ code, message }) => (code === "validation_error" ? message : undefined),
  run({ a, b }) {
    if (a < 0) throw new AppError("validation_error", "Only what is above zero can be added.")
    if (b < 0) throw new AppError("storage_unavailable", "The store is not responding.")
    return { answer: String(a + b), summary: `Added ${a} and ${b}.` }
  },
})

/** Creates a model with these answers, and records events and requests. */
function place(...answers: ScriptedAnswer[]) {
  const requests: ModelRequest[] = []
  const events: NewEvent[] = []
  let ids = 0
  const provider = createScriptedProvider((request) => {
    requests.push(request)
    return answers[requests.length - 1] ?? textAnswer("I am done.")
  })
  const context: HarnessContext = {
    ...{ provider, model: "test", modelName: "scripted/test", clock: systemClock },
    newId: ((prefix: string) => `${prefix}_${++ids}`) as HarnessContext["newId"],
    signal: new AbortController().signal,
    nodeRef: {},
    cacheKey: "run_1",
    limits: createPromptLimits(),
    emitText: () => {},
    emitFileText: () => {},
    emitReasoning: () => {},
    write: async (more) => void events.push(...more),
    awaitExternal: (task) => task(),
    readImage: async () => "AAAA",
  }
  const untilDone = async ({ usedTools }: Turn): Promise<NextMove> => (usedTools ? "continue" : "end")
  const loop = (maxCalls: number, onTurn: (turn: Turn) => Promise<NextMove> = untilDone) => {
    const conversation = createConversation("What is 2 + 3?")
    return runLoop(context, { system: "", conversation, tools: [add], maxCalls, onTurn })
  }
  return { context, loop, requests, events, heard: () => requests.at(-1)?.messages.at(-1)?.content }
}

describe("a call of a model", () => {
  it("counts what failed attempts used, after it drops their text, and before it gives up", async () => {
    const failed = (retryable: boolean) => {
      const usage = { input: 3, cacheRead: null, cacheWrite: null, output: 4 }
      return new ModelError("provider_error", "The output couldn't be read.", { retryable, usage })
    }
    const { context, events } = place(failed(true), failed(false))
    const clock = { ...systemClock, sleep: async () => {} }
    const asked = { system: "", messages: [{ role: "user" as const, content: "2 + 3?" }] }
    await expect(callModel({ ...context, clock }, asked)).rejects.toThrow("couldn't be read")
    const used = {
      ...{ type: "model_usage", model: "scripted/test" },
      usage: { input: 3, cache_read: null, cache_write: null, output: 4 },
    }
    expect(events).toEqual([expect.objectContaining({ type: "model_retried" }), used, used])
  })
})

describe("the loop", () => {
  it("lets the model hear what its tools answered, and ends where it is told to", async () => {
    const { loop, events, heard } = place(toolAnswer("add", { a: 2, b: 3 }))
    expect(await loop(5)).toBe(true)
    expect(heard()).toBe("5")
    expect(events.map(({ type }) => type)).toEqual([
      ...["model_usage", "tool_call_started", "tool_call_finished", "model_usage"],
    ])
    expect(events).toContainEqual(expect.objectContaining({ exit_code: 0, llm_summary: "Added 2 and 3." }))
  })

  it("goes on with a reply, until the calls are used up", async () => {
    const { loop, requests } = place()
    const turns: Turn[] = []
    const goOn = async (turn: Turn) => {
      turns.push(turn)
      return { say: "Go on." }
    }
    expect(await loop(3, goOn)).toBe(false)
    expect(turns.map(({ usedTools, callsLeft }) => [usedTools, callsLeft])).toEqual([
      [false, 2],
      [false, 1],
      [false, 0],
    ])
    expect(requests).toHaveLength(3)
  })

  it("ends right after tools, if it is told to", async () => {
    const { loop, requests } = place(toolAnswer("add", { a: 1, b: 1 }))
    expect(await loop(4, async () => "end")).toBe(true)
    expect(requests).toHaveLength(1)
  })

  it.each([
    ["arguments that don't fit", { a: "two" }, /^ERROR: .*number/s],
    ["what the tool refuses", { a: -1, b: 1 }, /^ERROR: Only what is above zero can be added\.$/],
  ])("tells the model of %s", async (_, args, answer) => {
    const { loop, events, heard } = place(toolAnswer("add", args))
    await loop(5)
    expect(heard()).toMatch(answer)
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_call_finished", exit_code: 1 }))
  })

  it.each<[string, ScriptedAnswer]>([
    ["names a tool with a prefix", toolAnswer("functions.add:0", { a: 2, b: 3 })],
    [
      "writes a call as text",
      textAnswer(`I add.\n<tool_call>{"name": "add", "arguments": {"a": 2, "b": 3}}</tool_call>`),
    ],
  ])("runs the call of a model that %s, and keeps it in the conversation as a call", async (_, answer) => {
    const { loop, requests, heard } = place(answer)
    await loop(5)
    expect(heard()).toMatch(/^5(?:\n\nNote: You wrote this call as text\.|$)/)
    const [, asked] = requests[1]?.messages ?? []
    expect(asked).toMatchObject({ toolCalls: [{ name: "add", args: { a: 2, b: 3 } }] })
    expect(asked?.content).not.toContain("tool_call")
  })

  it("tells the model what was wrong with a call that could be read", async () => {
    const call = { id: "1", name: "add", args: { a: 2, b: 3 }, rawArguments: "", note: "Escape line breaks." }
    const { loop, heard } = place([
      { type: "tool_call", call },
      { type: "end", stopReason: "tool_calls" },
    ])
    await loop(5)
    expect(heard()).toBe("5\n\nNote: Escape line breaks.")
  })

  it("never runs a call that is written in an answer cut off at the limit", async () => {
    const text = `<tool_call>{"name": "add", "arguments": {"a": 2, "b": 3}}</tool_call>`
    const { loop, events } = place([
      { type: "text", text },
      { type: "end", stopReason: "max_tokens" },
    ])
    await loop(5)
    expect(events.map(({ type }) => type)).not.toContain("tool_call_started")
  })

  it("tells the model which tools there are", async () => {
    const { loop, heard } = place(toolAnswer("divide", {}))
    await loop(5)
    expect(heard()).toBe("ERROR: There is no tool divide. Available tools: add.")
  })

  it("throws what is not the model's mistake", async () => {
    const { loop } = place(toolAnswer("add", { a: 1, b: -1 }))
    await expect(loop(5)).rejects.toMatchObject({ code: "storage_unavailable" })
  })
})

describe("an answer that has to fit", () => {
  const parse = (answer: string) => {
    if (!/^\d+$/.test(answer)) throw new AppError("invalid_request", "That is no number.")
    return Number(answer)
  }

  it("may be given a second time, once the model has read what is wrong", async () => {
    const { context, requests } = place(textAnswer("five"), textAnswer("5"))
    expect(await generateObject(context, { system: "", prompt: "2 + 3?", parse })).toBe(5)
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(requests[1]?.messages[2]?.content).toContain("That is no number.")
  })

  it("is asked for more briefly if it was cut off, and people read only that it was", async () => {
    const cut = textAnswer("five").map((event) =>
      event.type === "end" ? { ...event, stopReason: "max_tokens" as const } : event,
    )
    const { context, requests, events } = place(cut, cut)
    const asked = { system: "", prompt: "2 + 3?", parse }
    const failure = await generateObject({ ...context, nodeRef: { node: "planner" } }, asked).catch(String)
    expect(requests[1]?.messages[2]?.content).toMatch(/cut off at the output limit\. Be briefer\./)
    expect(failure).toMatch(/cut off at the output limit\.$/)
    const rejected = { type: "answer_rejected", reason: expect.stringMatching(/output limit\.$/) }
    expect(events.filter(({ type }) => type === "answer_rejected")).toMatchObject([rejected])
  })

  it("fails the second time", async () => {
    const { context } = place(textAnswer("five"), textAnswer("V"))
    await expect(generateObject(context, { system: "", prompt: "2 + 3?", parse })).rejects.toMatchObject({
      code: "workflow_error",
      message: "The model's answer couldn't be used, even after a second try: That is no number.",
    })
  })
})
