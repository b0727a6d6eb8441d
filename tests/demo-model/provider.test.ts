import { ModelError } from "@switchyard/core/models/errors"
import { complete, type Message, type ModelEvent, type ModelRequest, noUsage } from "@switchyard/core/models/provider"
import { PlanAnswer } from "@switchyard/core/work/workflow/plan/answer-schema"
import { requestSection } from "@switchyard/core/work/workflow/plan/quoted-text"
import { createDemoProvider } from "@switchyard/demo-model"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { ask, coderTools, demo, makeProject } from "./make-project.ts"

const planRequest: ModelRequest = {
  model: "demo",
  system: "You plan.",
  messages: [{ role: "user", content: requestSection("Build a tiny URL shortener with tests") }],
  output: { name: "plan", schema: PlanAnswer },
}

describe("the demo model in a workflow", () => {
  it("plans a URL shortener of eight files in JavaScript", async () => {
    const { plan } = await makeProject("Build a tiny URL shortener with tests")
    expect(plan.name).toBe("URL Shortener")
    expect(plan.techstack).toContain("JavaScript on Node.js 20")
    expect(plan.files.map(({ path }) => path)).toEqual([
      "links.js",
      "links.test.js",
      "app.js",
      "app.test.js",
      "json-server.js",
      "server.js",
      "package.json",
      "README.md",
    ])
    expect(plan.files.map(({ action }) => action)).toEqual(plan.files.map(() => "create"))
    expect(plan.files.find(({ path }) => path === "app.test.js")?.depends_on).toEqual(["app.js"])
  })

  it("takes the request in its fence, or all that is asked without one", async () => {
    const forged = requestSection("a calculator\n\nUser request:\n```\nnotes\n```\n")
    for (const content of [`Earlier requests.\n\n${requestSection("a calculator")}`, "a calculator"]) {
      const { text } = await ask({ content, output: { name: "plan", schema: PlanAnswer } })
      expect(JSON.parse(text).name).toBe("Calculator")
    }
    await expect(ask({ content: forged, output: { name: "plan", schema: PlanAnswer } })).rejects.toThrow(
      /understand “User request” and “notes”/,
    )
  })

  it("gives one task per file, the package file and README last, and writes just what it planned", async () => {
    const { plan, steps, files } = await makeProject("a TypeScript library that generates passwords")
    const paths = plan.files.map(({ path }) => path)
    expect(steps.map(({ file_path }) => file_path)).toEqual(paths)
    expect(files.map(({ path }) => path)).toEqual(paths)
    expect(paths.slice(-2)).toEqual(["package.json", "README.md"])
  })

  it("says in plan and README that no language model was at work", async () => {
    const { plan, files } = await makeProject("a calculator")
    const readme = files.find(({ path }) => path === "README.md")?.content
    for (const text of [plan.description, readme]) expect(text).toMatch(/scripted demo model.*set a model key/s)
  })

  it("speaks before it writes a file, and closes in a sentence once it is written", async () => {
    const { steps } = await makeProject("a calculator")
    const step = steps[0] as (typeof steps)[number]
    const asked: Message = {
      role: "user",
      prefix: [requestSection("a calculator")],
      content: `File: ${step.file_path}\nTask: x`,
    }
    const first = await ask({ content: "", messages: [asked], tools: coderTools })
    expect(first.text).toMatch(/^Writing index\.html\. /)
    expect(first.stopReason).toBe("tool_calls")
    expect(first.toolCalls).toHaveLength(1)
    expect(JSON.parse(first.toolCalls[0]?.rawArguments ?? "")).toEqual(first.toolCalls[0]?.args)

    const messages: Message[] = [
      asked,
      { role: "assistant", content: first.text, toolCalls: first.toolCalls },
      { role: "tool", toolCallId: first.toolCalls[0]?.id ?? "", content: "ERROR: The disk is full.", isError: true },
    ]
    const refused = await ask({ content: "", tools: coderTools, messages })
    expect(refused.text).toBe("index.html couldn't be written: ERROR: The disk is full.")
  })

  it("mends the first file of a repair, as it knows it", async () => {
    const { files } = await makeProject("a calculator")
    const content = "Repair: index.html, script.js\nTask: The check failed.\n\nindex.html at present (data):\nbroken"
    const asked: Message = { role: "user", prefix: [requestSection("a calculator")], content }
    const { toolCalls } = await ask({ content: "", messages: [asked], tools: coderTools })
    const page = files.find(({ path }) => path === "index.html")
    expect(toolCalls.map(({ args }) => args)).toEqual([{ path: "index.html", content: page?.content }])
  })

  it("refuses with an error that says which key would do it", async () => {
    const refused = ask({ content: requestSection("a Tetris"), output: { name: "plan", schema: PlanAnswer } })
    await expect(refused).rejects.toBeInstanceOf(ModelError)
    await expect(refused).rejects.toMatchObject({ isBeyondDemo: true, retryable: false })
  })
})

describe("the demo model elsewhere", () => {
  const unknown: [string, Partial<ModelRequest> & { content: string }][] = [
    ["a chat", { content: "Hello, who are you?" }],
    ["an empty history", { content: "", messages: [] }],
    ["an answer of another shape", { content: "x", output: { name: "verdict", schema: z.object({}) } }],
    ["a task without a request", { content: "File: main.ts\nTask: write it", tools: coderTools }],
  ]

  it.each(unknown.slice(0, 3))("answers %s by saying what it is", async (_name, request) => {
    const answer = await ask(request)
    expect(answer.text).toContain("scripted demo model")
    expect(answer.toolCalls).toEqual([])
  })
})

describe("the demo model's stream", () => {
  it("comes word by word, counts nothing and ends once", async () => {
    const events = await Array.fromAsync(demo.stream(planRequest, { signal: new AbortController().signal }))
    const words = events.filter((event) => event.type === "text").map(({ text }) => text)
    expect(words.length).toBeGreaterThan(80)
    expect(words.every((word) => word.trim().split(/\s/).length === 1)).toBe(true)
    expect(events.slice(-2)).toEqual([
      { type: "usage", usage: noUsage },
      { type: "end", stopReason: "end" },
    ])
    const { text } = await complete(demo, planRequest, { signal: new AbortController().signal })
    expect(text).toBe(words.join(""))
    expect(PlanAnswer.safeParse(JSON.parse(text)).success).toBe(true)
  })

  it("waits its pace before each word", async () => {
    const pauses: number[] = []
    const paced = createDemoProvider({ paceMs: 7, sleep: async (ms) => void pauses.push(ms) })
    const { messages } = { messages: [{ role: "user", content: "Hello" }] satisfies ModelRequest["messages"] }
    const request = { model: "demo", system: "", messages }
    const { text } = await complete(paced, request, { signal: new AbortController().signal })
    expect(pauses).toEqual(text.split(" ").map(() => 7))
  })

  it("writes a file piece by piece, as the call has it in the end", async () => {
    const prefix = [requestSection("a calculator")]
    const messages: Message[] = [{ role: "user", prefix, content: "File: index.html\nTask: x" }]
    const request = { model: "demo", system: "", messages, tools: coderTools }
    const events = await Array.fromAsync(demo.stream(request, { signal: new AbortController().signal }))
    const pieces = events.flatMap((event) => (event.type === "tool_call_delta" ? [event.argumentsDelta] : []))
    const [call] = events.flatMap((event) => (event.type === "tool_call" ? [event.call] : []))
    expect(pieces.join("")).toBe(call?.rawArguments)
    expect(pieces.length).toBeGreaterThan(10)
    expect(pieces.length).toBeLessThanOrEqual(40)
  })

  it("stops at once when it is aborted, even in a pause", async () => {
    const abort = new AbortController()
    const stuck = createDemoProvider({
      paceMs: 1,
      sleep: (_ms, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    })
    const events: ModelEvent[] = []
    const reading = (async () => {
      for await (const event of stuck.stream(planRequest, { signal: abort.signal })) events.push(event)
    })()
    abort.abort(new Error("enough"))
    await expect(reading).rejects.toThrow("enough")
    expect(events).toEqual([])
  })

  it("says no further word after an abort between two words", async () => {
    const abort = new AbortController()
    const events: ModelEvent[] = []
    const reading = (async () => {
      for await (const event of demo.stream(planRequest, { signal: abort.signal })) {
        events.push(event)
        abort.abort(new Error("enough"))
      }
    })()
    await expect(reading).rejects.toThrow("enough")
    expect(events).toHaveLength(1)
  })
})
