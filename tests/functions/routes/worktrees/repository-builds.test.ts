import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { ModelRequest } from "@switchyard/core/models/provider"
import type { PlannedFile } from "@switchyard/core/work/workflow/schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { entriesOf } from "../../../core/files/archives/entries.ts"
import { planOf, subjectOf, tasksOf } from "../../../core/work/workflow/model.ts"
import {
  createScriptedProvider,
  type ScriptedAnswer,
  textAnswer,
  toolAnswer,
} from "../../../fixtures/scripted-model.ts"
import { makeRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

/** Files of the plan, and their texts by path. */
let planned: Partial<PlannedFile>[] = []
let texts: Record<string, string> = {}
/** Called with each request before it is answered. */
let onRequest: (request: ModelRequest) => unknown = () => {}

const model = createScriptedProvider((request): ScriptedAnswer => {
  const subject = subjectOf(request)
  const paths = planned.map(({ path = "", to }) => to ?? path)
  const plan = { ...planOf([]), files: planned.map((file) => ({ purpose: "", ...file })) }
  const written = planned.flatMap(({ action }, index) => (action === "delete" ? [] : (paths[index] ?? [])))
  if (subject === "plan") return [Promise.resolve(onRequest(request)), ...answer(JSON.stringify(plan))]
  if (subject === "task_plan") return answer(JSON.stringify(tasksOf(written)))
  return toolAnswer("write_file", { path: subject, content: texts[subject] ?? "" })
})

function answer(text: string) {
  return textAnswer(text) as Exclude<ScriptedAnswer, Error>
}

const SUM = "export const add = (a, b) => a + b\n"
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "../src/sum.js"

test("adds", () => assert.equal(add(1, 2), 3))
`
const PARTS = Object.fromEntries(
  Array.from({ length: 26 }, (_, index) => [`src/part${index}.js`, `export const part${index} = ${index}\n`]),
)
const FILES = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "src/sum.js": SUM,
  "test/sum.test.js": TEST,
  "old.txt": "old\n",
  ...PARTS,
}

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: model })
})
afterAll(() => server.close())

async function openBuilds(name: string, files: Record<string, string> = FILES) {
  const repository = makeRepository(join(dirname(server.folder), name), files)
  const session = await openSession(server, repository.folder)
  const request = { user_prompt: "Improve the sums.", workspace_id: session.id, model: "scripted/test" }
  return {
    ...session,
    repository,
    start: (json: object = {}) => server.call("POST", "/v1/runs", { json: { ...request, ...json } }),
    build(files: Partial<PlannedFile>[], written: Record<string, string>, json: object = {}) {
      planned = files
      texts = written
      return server.run({ ...request, ...json })
    },
    async diff(): Promise<object[]> {
      return (await session.ask("GET", "/diff?fresh=true")).body.files
    },
  }
}

function shownTo(subject: string): string {
  const request = model.requests.findLast((one) => subjectOf(one) === subject)
  return request?.messages.map(({ content }) => content).join("\n") ?? ""
}

const CHANGED = `${SUM}export const subtract = (a, b) => a - b\n`

describe("a build in a session on a repository", () => {
  it("sees the repository's files and changes them in the worktree, the merge and the zip", async () => {
    const { id, build, diff, ask, files, repository } = await openBuilds("changed")
    const run = await build([{ path: "src/sum.js" }], { "src/sum.js": CHANGED })
    expect(run).toMatchObject({ status: "completed" })
    expect(shownTo("plan")).toContain("export const part25 = 25")
    expect(shownTo("src/sum.js")).toContain(SUM)
    expect(await diff()).toMatchObject([{ old_path: "src/sum.js", new_path: "src/sum.js", additions: 1, deletions: 0 }])
    expect(await files()).toEqual({ "src/sum.js": CHANGED })
    const { body } = await server.call("GET", `/workspace/download?workspace_id=${id}&link=1`)
    const zip = Buffer.from(await (await fetch(body.url)).arrayBuffer())
    expect((await entriesOf(zip)).map(({ path }) => path)).toContain("src/sum.js")
    expect((await ask("POST", "/merge")).body).toMatchObject({ status: "merged" })
    expect(repository.git("show", "main:src/sum.js")).toBe(CHANGED)
    expect(repository.git("show", "main:src/part3.js")).toBe(PARTS["src/part3.js"])
  })

  it("sees what an agent and a person changed since the last commit", async () => {
    const { build, diff, ask, task, edit } = await openBuilds("current")
    await task({ files: { "src/agent.js": "export const agent = 1\n" } })
    await edit("src/edited.js", "export const edited = 1\n")
    const { path } = (await ask("GET", "?fresh=true")).body
    writeFileSync(join(path, "src/part1.js"), "export const part1 = 'now'\n")
    expect(await build([{ path: "src/sum.js" }], { "src/sum.js": CHANGED })).toMatchObject({ status: "completed" })
    const plan = shownTo("plan")
    expect(plan).toContain("export const agent = 1")
    expect(plan).toContain("export const edited = 1")
    expect(plan).toContain("export const part1 = 'now'")
    expect((await diff()).length).toBe(4)
  })

  it("deletes and renames the repository's files", async () => {
    const { build, diff, ask, repository, files } = await openBuilds("moved")
    const plan = [
      { path: "old.txt", action: "delete" as const },
      { path: "src/part0.js", action: "rename" as const, to: "lib/part0.js" },
      { path: "src/sum.js" },
    ]
    const moved = "export const part0 = 'moved'\n"
    const run = await build(plan, { "lib/part0.js": moved, "src/sum.js": CHANGED })
    expect(run, JSON.stringify(run.error)).toMatchObject({ status: "completed" })
    const kinds = (await diff()).map((file) => Object(file).new_path)
    expect(kinds).toEqual(["lib/part0.js", "old.txt", "src/part0.js", "src/sum.js"])
    expect(await files()).toEqual({ "lib/part0.js": moved, "src/sum.js": CHANGED })
    await ask("POST", "/merge")
    const names = repository.git("ls-tree", "-r", "--name-only", "main").split("\n")
    expect(names).toContain("lib/part0.js")
    expect(names).not.toContain("old.txt")
    expect(names).not.toContain("src/part0.js")
  })

  it("is checked together with the repository's files", async () => {
    const { build } = await openBuilds("checked")
    const run = await build([{ path: "src/sum.js" }], { "src/sum.js": CHANGED }, { check: true, consent: true })
    expect(run).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    expect(run.verdict.checks).toMatchObject([{ name: "test", tests: { passed: 1 } }])
  })

  it("doesn't run while an agent works in the worktree, nor the other way round", async () => {
    const { id, start } = await openBuilds("busy")
    const held = Promise.withResolvers<void>()
    const planning = Promise.withResolvers<void>()
    onRequest = () => {
      planning.resolve()
      return held.promise
    }
    planned = [{ path: "src/sum.js" }]
    texts = { "src/sum.js": CHANGED }
    const { run_id } = (await start()).body
    await planning.promise
    const json = { coding_agent: "mock", agent_id: "helper", worktree: "main" }
    const give = (task_description: string) =>
      server.call("POST", `/api/v1/sessions/${id}/tasks`, { json: { ...json, task_description } })
    const refused = await give("Do it.")
    expect(refused.body.error).toMatchObject({
      code: "run_active",
      message: expect.stringMatching(/^A build is working/),
    })
    onRequest = () => {}
    held.resolve()
    expect(await server.ended(run_id)).toMatchObject({ status: "completed" })
    const { task_id } = (await give('Do it. mock: {"duration_ms": 60000}')).body
    const { error } = (await start()).body
    expect(error).toMatchObject({ code: "run_active", message: expect.stringMatching(/^Another agent is working/) })
    expect((await server.call("POST", `/v1/runs/${task_id}/cancel`)).status).toBe(200)
    expect(await server.ended(task_id)).toMatchObject({ status: "cancelled" })
  })
})
