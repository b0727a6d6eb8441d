import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { textAnswer, toolAnswer } from "../../../../fixtures/scripted-model.ts"
import { lastMessage, modelFor, planOf, subjectOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

const isRepair = (content: unknown) => String(content).startsWith("Repair: ")

/** Changes a project's file with a model that writes `after` and answers a repair with `repair`. */
async function change(
  before: Record<string, string>,
  after: Record<string, string>,
  { request = "Make it blue.", repair = [toolAnswer("keep_file", { reason: "It was meant." })] } = {},
) {
  if (Object.keys(before).length > 0) await studio.write(before)
  const left = [...repair]
  const paths = Object.keys(after)
  const model = modelFor(paths, (asked) => {
    if (isRepair(asked.messages[0]?.content)) return left.shift() ?? textAnswer("Done.")
    const subject = subjectOf(asked)
    if (subject === "plan") {
      const files = paths.map((path) => {
        return { path, purpose: "", action: path in before ? ("change" as const) : ("create" as const) }
      })
      return textAnswer(JSON.stringify({ ...planOf([]), files }))
    }
    const content = after[subject]
    return content === undefined ? undefined : toolAnswer("write_file", { path: subject, content })
  })
  const runId = await studio.start({ user_prompt: request })
  await studio.execute(runId, model)
  const run = await studio.run(runId)
  const asked = model.requests
    .filter(({ messages }) => isRepair(messages[0]?.content))
    .map((one) => lastMessage(one).content)
  return { run, asked, warning: (await studio.eventsOf("run_completed"))[0]?.warning }
}

const APP = `import { Cart } from "./cart.jsx"
import { Footer } from "./footer.jsx"

export function App() {
  return <main><Cart /><Footer /></main>
}

export function total(items) {
  return items.length
}
`
const PARTS = { "cart.jsx": "export const Cart = () => null\n", "footer.jsx": "export const Footer = () => null\n" }
const RULES = Array.from({ length: 12 }, (_, index) => `.part-${index} {\n  color: red;\n}\n`).join("")
const SERVER = `import express from "express"
const app = express()
app.get("/items", (_, response) => response.json([]))
app.get("/orders", (_, response) => response.json([]))
app.listen(process.env.PORT)
`
const TEST = `import { test } from "node:test"
import assert from "node:assert"
test("adds", () => assert.equal(1 + 1, 2))
test("subtracts", () => assert.equal(1 - 1, 0))
`
const LINES = Array.from({ length: 30 }, (_, index) => `Step ${index}\n`).join("")
const MANIFEST = { "package.json": '{ "type": "module", "dependencies": { "express": "5.0.0" } }\n' }

describe("what a change removes", () => {
  it.each<[string, Record<string, string>, Record<string, string>, string]>([
    [
      "a used component and an export",
      { "App.jsx": APP, ...PARTS },
      {
        "App.jsx": 'import { Cart } from "./cart.jsx"\n\nexport function App() {\n  return <main><Cart /></main>\n}\n',
      },
      "App.jsx: the export total, the component Footer",
    ],
    [
      "a route",
      { ...MANIFEST, "server.js": SERVER },
      { "server.js": SERVER.replace(/.*orders.*\n/, "") },
      "server.js: the route /orders",
    ],
    [
      "most rules of a stylesheet",
      { "main.css": RULES },
      { "main.css": ".part-0 {\n  color: blue;\n}\n" },
      "main.css: the style rules .part-1, .part-2, .part-3, .part-4, .part-5, .part-6, .part-7, .part-8 and 3 more, 33 of 36 lines",
    ],
    [
      "a test",
      { "sum.test.js": TEST },
      { "sum.test.js": TEST.replace(/test\("sub.*\n/, "") },
      "sum.test.js: the test subtracts",
    ],
    ["a third of the lines", { "steps.md": LINES }, { "steps.md": LINES.slice(0, 100) }, "steps.md: 16 of 30 lines"],
    [
      "an element of a page",
      {
        "index.html":
          '<!doctype html>\n<html lang="en"><head><title>A</title></head><body><form id="search"></form></body></html>\n',
      },
      { "index.html": '<!doctype html>\n<html lang="en"><head><title>A</title></head><body></body></html>\n' },
      "index.html: the element search",
    ],
  ])("goes back once, and is listed at the end: %s", async (_, before, after, things) => {
    const { run, asked, warning } = await change(before, after)
    expect(run).toMatchObject({ status: "completed" })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain(`- ${things}`)
    expect(warning).toContain(things)
    // The earlier text can be downloaded.
    const path = Object.keys(after)[0] ?? ""
    const hash = /artifacts\/([0-9a-f]{64}) \(/.exec(warning ?? "")?.[1]
    const commits = await studio.eventsOf("workspace_committed")
    expect(JSON.stringify(commits[0]?.changes)).toContain(hash)
    expect(warning).toContain(`(${path})`)
  })

  it("is no warning once it is back", async () => {
    const repair = [
      toolAnswer("write_file", { path: "App.jsx", content: APP.replace("<main>", '<main className="blue">') }),
    ]
    const after = { "App.jsx": 'import { Cart } from "./cart.jsx"\n\nexport function App() {\n  return <Cart />\n}\n' }
    const { asked, warning } = await change({ "App.jsx": APP, ...PARTS }, after, { repair })
    expect(asked[0]).toContain("return <main><Cart /><Footer /></main>")
    expect([asked.length, warning]).toEqual([1, undefined])
  })

  it.each<[string, Record<string, string>, Record<string, string>, string]>([
    [
      "was named",
      { ...MANIFEST, "server.js": SERVER },
      { "server.js": SERVER.replace(/.*orders.*\n/, "") },
      "Remove the route /orders.",
    ],
    [
      "moved to another file",
      { "steps.md": LINES },
      { "steps.md": LINES.slice(0, 100), "more.md": LINES.slice(100) },
      "Split it.",
    ],
    ["is rewritten by request", { "steps.md": LINES }, { "steps.md": "Start.\n" }, "Rewrite it from scratch."],
    ["is small", { "steps.md": LINES }, { "steps.md": LINES.slice(50) }, "Make it blue."],
    ["is a new file's", {}, { "steps.md": "Start.\n" }, "Make it blue."],
  ])("costs no call if it %s", async (_, before, after, request) => {
    const { run, asked, warning } = await change(before, after, { request })
    expect(run).toMatchObject({ status: "completed" })
    expect([asked, warning]).toEqual([[], undefined])
  })
})
