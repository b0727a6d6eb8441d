import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterEach, expect, it } from "vitest"
import { evaluate, isPassed, type Step } from "../eval/evaluate.ts"
import { report } from "../eval/report.ts"
import { planOf, subjectOf, tasksOf } from "./core/work/workflow/model.ts"
import { createScriptedProvider, textAnswer, toolAnswer } from "./fixtures/scripted-model.ts"
import { startServer, type TestServer } from "./functions/server.ts"

let server: TestServer
afterEach(() => server.close())

const README = '# Sums\n\nIt says "Hello, Ada".\n'
const SUM = 'export const greet = () => "Hello, Ada"\nexport const add = (a, b) => a + b\n'
const project: Record<string, string> = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "sum.js": SUM,
  "sum.test.js":
    'import { test } from "node:test"\nimport { add } from "./sum.js"\ntest("adds", () => { if (add(1, 2) !== 3) throw new Error("sum.js is wrong") })\n',
  "README.md": README,
}
const [FIRST, SECOND] = ['A module that adds numbers and says "Hello, Ada".', 'Let it also say "Good night".'] as const

/** Returns a model that builds the project, and writes `changed` as `sum.js` when asked to change it. */
function modelThatChanges(changed: string) {
  return createScriptedProvider((request) => {
    const subject = subjectOf(request)
    const isChange = isAbout(request, "Good night")
    const paths = isChange ? ["sum.js"] : Object.keys(project)
    if (subject === "plan") {
      const plan = planOf(paths)
      return textAnswer(
        JSON.stringify({
          ...plan,
          files: plan.files.map((file) => ({ ...file, action: isChange ? "modify" : "create" })),
        }),
      )
    }
    if (subject === "task_plan") return textAnswer(JSON.stringify(tasksOf(paths)))
    if (subject === "review") return textAnswer('{"findings": []}')
    const path = paths.includes(subject) ? subject : "sum.js"
    if (request.messages.length > 2) return textAnswer("Done.")
    return toolAnswer("write_file", { path, content: isChange ? changed : (project[path] ?? "") })
  })
}

function isAbout({ messages, system }: ModelRequest, text: string): boolean {
  return JSON.stringify([system, messages]).includes(text)
}

async function stepsWith(changed: string): Promise<Step[]> {
  server = await startServer({ scripted: modelThatChanges(changed) })
  return Array.fromAsync(evaluate({ url: server.url }, "scripted/demo", [{ name: "sums", requests: [FIRST, SECOND] }]))
}

it("passes a model whose project does what each request asked and passes its checks", async () => {
  const steps = await stepsWith(`${SUM}export const leave = () => "Good night"\n`)
  expect(steps).toMatchObject([
    { case: "sums", number: 1, status: "completed", checks: "passed", literals: 1, missing: [] },
    { case: "sums", number: 2, status: "completed", checks: "passed", literals: 2, missing: [] },
  ])
  expect(steps.every(isPassed)).toBe(true)
  expect(steps[0]?.requests).toBeGreaterThanOrEqual(6)
  expect(report(steps)).toContain("2 of 2 requests passed.")
})

it("fails a model that loses what an earlier request asked for, and names it", async () => {
  const steps = await stepsWith('export const add = (a, b) => a + b\nexport const leave = () => "Good night"\n')
  expect(steps.map(isPassed)).toEqual([true, false])
  expect(steps[1]?.missing).toEqual(["Hello, Ada"])
  expect(report(steps)).toContain('sums, request 2: no file contains "Hello, Ada".\n1 of 2 requests passed.')
})

it("fails a model whose project doesn't pass its own tests, and asks for no further change", async () => {
  server = await startServer({ scripted: modelThatChanges(SUM.replace("a + b", "a - b")) })
  const cases = [{ name: "sums", requests: [FIRST, SECOND, "Add a title."] as const }]
  const steps = await Array.fromAsync(evaluate({ url: server.url }, "scripted/demo", cases))
  expect(steps.map(isPassed)).toEqual([true, false])
  expect(steps[1]).toMatchObject({ status: "failed" })
})
