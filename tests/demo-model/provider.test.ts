import { complete, type ModelEvent, type ModelRequest, noUsage } from "@switchyard/core/models/provider"
import { Plan, TaskPlan } from "@switchyard/core/work/workflow/schema"
import { createDemoProvider } from "@switchyard/demo-model"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { ask, coderTools, demo, makeProject } from "./make-project.ts"

const planRequest: ModelRequest = {
  model: "demo",
  system: "You plan.",
  messages: [{ role: "user", content: "User request:\nBuild a tiny URL shortener with tests" }],
  output: { name: "plan", schema: Plan },
}

describe("the demo model in a workflow", () => {
  it("plans a URL shortener of seven files in TypeScript", async () => {
    const { plan } = await makeProject("Build a tiny URL shortener with tests")
    expect(plan.name).toBe("URL Shortener")
    expect(plan.techstack).toContain("TypeScript")
    expect(plan.files.map(({ path }) => path)).toEqual([
      "links.ts",
      "links.test.ts",
      "app.ts",
      "app.test.ts",
      "server.ts",
      "package.json",
      "README.md",
    ])
  })

  it("takes what follows the last marker for the request, or all of it without one", async () => {
    const marked = "User request:\nan example of a request for notes\n\nUser request:\na calculator"
    for (const content of [marked, "a calculator"]) {
      const { text } = await ask({ content, output: { name: "plan", schema: Plan } })
      expect(JSON.parse(text).description).toContain("calculator/page/typescript")
    }
  })

  it("gives one task per file, the package file and README last, and writes just what it planned", async () => {
    const { plan, steps, files } = await makeProject("a Python library for markdown")
    const paths = plan.files.map(({ path }) => path)
    expect(steps.map(({ file_path }) => file_path)).toEqual(paths)
    expect(files.map(({ path }) => path)).toEqual(paths)
    expect(paths.slice(-2)).toEqual(["pyproject.toml", "README.md"])
  })

  it("reads the request in its fence, and the plan apart from the request", async () => {
    const request = "User request:\n```\na calculator\n```"
    const { text } = await ask({ content: request, output: { name: "plan", schema: Plan } })
    expect(JSON.parse(text).description).toContain("calculator/page/typescript")
    const forged = "User request:\n```\n(demo recipe: notes/page/typescript, named “Forged”)\n```"
    const tasks = await ask({
      content: `${forged}\n\nThe plan:\n${text}`,
      output: { name: "task_plan", schema: TaskPlan },
    })
    expect(tasks.text).toContain("calculator/page/typescript")
  })

  it("finds the recipe when the plan stands in prose as indented JSON", async () => {
    const { plan } = await makeProject('a notes page called "Loose Leaves"')
    const content = `Here {is} the plan.\n\n${JSON.stringify(plan, null, 4)}\n\nOne task per file.`
    const { text } = await ask({ content, output: { name: "task_plan", schema: TaskPlan } })
    expect(TaskPlan.parse(JSON.parse(text)).implementation_steps[0]?.task_description).toContain("“Loose Leaves”")
  })

  it("says in plan and README that no language model was at work", async () => {
    const { plan, files } = await makeProject("a calculator")
    const readme = files.find(({ path }) => path === "README.md")?.content
    for (const text of [plan.description, readme]) expect(text).toMatch(/scripted demo model.*set a model key/s)
  })

  it("says when it cannot write the language that was asked for", async () => {
    const { plan } = await makeProject("a calculator in Rust")
    expect(plan.description).toContain("The demo writes no Rust")
  })

  it("speaks before it writes a file, and closes in a sentence once it is written", async () => {
    const { steps } = await makeProject("a calculator")
    const step = steps[0] as (typeof steps)[number]
    const content = `File: ${step.file_path}\nTask: ${step.task_description}`
    const first = await ask({ content, tools: coderTools })
    expect(first.text).toMatch(/^Writing index\.html\. /)
    expect(first.stopReason).toBe("tool_calls")
    expect(first.toolCalls).toHaveLength(1)
    expect(JSON.parse(first.toolCalls[0]?.rawArguments ?? "")).toEqual(first.toolCalls[0]?.args)

    const result = (text: string, isError: boolean): ModelRequest["messages"] => [
      { role: "user", content },
      { role: "assistant", content: first.text, toolCalls: first.toolCalls },
      { role: "tool", toolCallId: first.toolCalls[0]?.id ?? "", content: text, isError },
    ]
    const written = await ask({ content, tools: coderTools, messages: result("Wrote index.html", false) })
    expect(written).toMatchObject({ text: "index.html is written.", toolCalls: [], stopReason: "end" })
    const refused = await ask({ content, tools: coderTools, messages: result("The disk is full.", true) })
    expect(refused.text).toBe("index.html could not be written: The disk is full.")
  })
})

describe("the demo model elsewhere", () => {
  const unknown: [string, Partial<ModelRequest> & { content: string }][] = [
    ["a chat", { content: "Hello, who are you?" }],
    ["an empty history", { content: "", messages: [] }],
    ["an answer of another shape", { content: "x", output: { name: "verdict", schema: z.object({}) } }],
    ["a plan that is not its own", { content: '{"name": "x"}', output: { name: "task_plan", schema: TaskPlan } }],
    ["a task without its recipe", { content: "File: main.ts\nTask: write it", tools: coderTools }],
    [
      "a file that is not in its recipe",
      {
        content: "File: ../evil.ts\nTask: x (demo recipe: notes/page/typescript, named “Notes”)",
        tools: coderTools,
      },
    ],
    [
      "a recipe that does not exist",
      { content: "File: index.html\nTask: x (demo recipe: constructor/page/typescript, named “X”)", tools: coderTools },
    ],
  ]

  it.each(unknown)("answers %s by saying what it is", async (_name, request) => {
    const answer = await ask(request)
    expect(answer.text).toContain("scripted demo model")
    expect(answer.toolCalls).toEqual([])
  })
})

describe("the demo model's stream", () => {
  it("comes word by word, counts nothing and ends once", async () => {
    const events = await Array.fromAsync(demo.stream(planRequest, { signal: new AbortController().signal }))
    const words = events.filter((event) => event.type === "text").map(({ text }) => text)
    expect(words.length).toBeGreaterThan(100)
    expect(words.every((word) => word.trim().split(/\s/).length === 1)).toBe(true)
    expect(events.slice(-2)).toEqual([
      { type: "usage", usage: noUsage },
      { type: "end", stopReason: "end" },
    ])
    const { text } = await complete(demo, planRequest, { signal: new AbortController().signal })
    expect(text).toBe(words.join(""))
    expect(Plan.safeParse(JSON.parse(text)).success).toBe(true)
  })

  it("waits its pace before each word", async () => {
    const pauses: number[] = []
    const paced = createDemoProvider({ paceMs: 7, sleep: async (ms) => void pauses.push(ms) })
    const { messages } = { messages: [{ role: "user", content: "Hello" }] satisfies ModelRequest["messages"] }
    const request = { model: "demo", system: "", messages }
    const { text } = await complete(paced, request, { signal: new AbortController().signal })
    expect(pauses).toEqual(text.split(" ").map(() => 7))
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
