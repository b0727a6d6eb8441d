import type { ModelRequest } from "@switchyard/core/models/provider"
import { NodeUpdate } from "@switchyard/core/work/workflow/schema"
import { afterEach, describe, expect, it } from "vitest"
import { entriesOf } from "../core/files/archives/entries.ts"
import { planOf, subjectOf, tasksOf } from "../core/work/workflow/model.ts"
import { itDeep } from "../depth.ts"
import { createScriptedProvider, type ScriptedAnswer, textAnswer, toolAnswer } from "../fixtures/scripted-model.ts"
import { someOf } from "../settings.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer, type TestServerOptions } from "./server.ts"

const WRONG = "export const add = (a, b) => a - b\n"
const RIGHT = "export const add = (a, b) => a + b\n"
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { add } from "./sum.js"

test("adds", () => assert.equal(add(1, 2), 3, "sum.js is wrong"))
`
const MORE = TEST.replace('"adds", () => assert.equal(add(1, 2), 3', '"adds nothing", () => assert.equal(add(1, 0), 1')
const project: Record<string, string> = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "sum.js": RIGHT,
  "sum.test.js": TEST,
  "README.md": "# Sums\n\nAdds numbers.\n",
}

let server: TestServer | undefined
afterEach(() => server?.close())

/**
 * Starts a server whose model writes the project, with the next of `sums` as `sum.js` each time. The last one repeats.
 */
async function serverThatWrites(sums: string[], options: TestServerOptions = {}) {
  const told: string[] = []
  const left = [...sums]
  const provider = createScriptedProvider((request): ScriptedAnswer => {
    const subject = subjectOf(request)
    const isSum = subject === "sum.js" || isRepair(request)
    if (isRepair(request) && request.messages.length > 1) return textAnswer("Repaired.")
    if (!isSum) return plannedAnswer(subject, project)
    told.push(JSON.stringify(request.messages))
    const content = (left.length > 1 ? left.shift() : left[0]) ?? RIGHT
    return toolAnswer("write_file", { path: "sum.js", content })
  })
  server = await startServer({ scripted: provider, ...options })
  return { server, told }
}

function plannedAnswer(subject: string, files: Record<string, string>): ScriptedAnswer {
  if (subject === "plan") return textAnswer(JSON.stringify(planOf(Object.keys(files))))
  if (subject === "task_plan") return textAnswer(JSON.stringify(tasksOf(Object.keys(files))))
  return toolAnswer("write_file", { path: subject, content: files[subject] ?? "" })
}

function isRepair({ output, messages }: ModelRequest): boolean {
  return output === undefined && String(messages[0]?.content).startsWith("Repair: ")
}

/** Runs a request with a model that writes these files. Each repair receives its list of answers, then ends. */
async function serverThatRepairs(files: Record<string, string>, ...repairs: ScriptedAnswer[][]) {
  return repairedRun({ files, repairs })
}

interface Repairing {
  files: Record<string, string>
  repairs: ScriptedAnswer[][]
  /** Files of the workspace before the run. */
  before?: Record<string, string>
  /** Findings of the reviewer in tests that a repair changed. */
  findings?: object[]
  request?: object
}

async function repairedRun({ files, repairs, before = {}, findings = [], request = {} }: Repairing) {
  const first: string[] = []
  let left: ScriptedAnswer[] = []
  const provider = createScriptedProvider((request): ScriptedAnswer => {
    const subject = subjectOf(request)
    if (subject === "review") return textAnswer(JSON.stringify({ findings }))
    if (!isRepair(request)) return plannedAnswer(subject, files)
    if (request.messages.length === 1) {
      first.push(String(request.messages[0]?.content))
      left = [...(repairs[first.length - 1] ?? [])]
    }
    return left.shift() ?? textAnswer("That is all.")
  })
  server = await startServer({ scripted: provider })
  const session = await openSession(server)
  for (const [path, text] of Object.entries(before)) await session.edit(path, text)
  const run = await server.run({ ...asked, ...request, workspace_id: session.id })
  return { run, session, first, repairs: await repairsIn(session) }
}

/** Returns the session's node updates that list changed files, which is one per repair. */
async function repairsIn(session: Awaited<ReturnType<typeof openSession>>) {
  const updates = (await session.events()).map((event) => NodeUpdate.safeParse(event.update).data)
  return updates.filter((update) => update?.changed_files !== undefined)
}

const TYPED = 'export const one: number = "1"\n'
/** Reports errors like `tsc --noEmit`, with long output before and after them. */
const COMPILER = `import { readdirSync, readFileSync } from "node:fs"
const wrong = readdirSync("src").filter((name) => readFileSync("src/" + name, "utf8").includes('"1"'))
console.log("Reading the project …\\n".repeat(300))
for (const name of wrong) console.log("src/" + name + "(1,14): error TS2322: Type 'string' is not assignable to type 'number'.")
console.log("Nothing was written.\\n".repeat(300))
process.exit(wrong.length > 0 ? 2 : 0)
`

/** Returns a project with a type error in each of these files, and a build that reports them. */
function compiled(sources: string[]): Record<string, string> {
  const manifest = `${JSON.stringify({ type: "module", scripts: { build: "node compiler.js" } })}\n`
  const texts = Object.fromEntries(sources.map((path) => [path, TYPED]))
  return { "package.json": manifest, "compiler.js": COMPILER, ...texts }
}

const asked = { user_prompt: "Add numbers.", check: true, consent: true }

/** Downloads a workspace's zip. Resolves to its bytes and the text of its README. */
async function zippedReadme(server: TestServer, workspace: string) {
  const { body } = await server.call("GET", `/workspace/download?workspace_id=${workspace}&link=1`)
  const response = await fetch(body.url)
  const zip = Buffer.from(await response.arrayBuffer())
  expect(zip.length).toBe(Number(response.headers.get("content-length")))
  const readme = (await entriesOf(zip)).find(({ path }) => path === "README.md")
  return { text: readme?.bytes.toString(), zip }
}

describe("the zip of a run that was checked", () => {
  it("says so in its README, and no more once the files have changed", async () => {
    const { server } = await serverThatWrites([RIGHT])
    const session = await openSession(server)
    const { workspace_version: version } = await server.run({ ...asked, workspace_id: session.id })
    const { text, zip } = await zippedReadme(server, session.id)
    const line = `**Switchyard check:** passed for version ${version}. \`npm test\`: exit code 0, 1 test passed, 0 failed, 0 skipped.`
    expect(text).toBe(`# Sums\n\n${line}\n\nAdds numbers.\n`)
    expect((await zippedReadme(server, session.id)).zip.equals(zip)).toBe(true)
    // The check is noted in the zip's README, not in the workspace.
    expect(await session.files()).toEqual({ ...project })

    await session.edit("sum.js", WRONG)
    expect((await zippedReadme(server, session.id)).text).toContain(
      `\n**Switchyard check:** void. Version ${version} was checked, and the files have changed since.\n`,
    )
    const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/checks`, { json: {} })
    await server.ended(body.run_id)
    const failed = `failed for version ${version + 1}. \`npm test\`: exit code 1, 0 tests passed, 1 failed, 0 skipped.`
    expect((await zippedReadme(server, session.id)).text).toContain(failed)
  })

  itDeep("isn't evidence in another workspace", async () => {
    const { server } = await serverThatWrites([RIGHT])
    const [from, to] = [await openSession(server), await openSession(server)]
    await server.run({ ...asked, workspace_id: from.id })
    const { zip } = await zippedReadme(server, from.id)
    const json = { workspace_id: to.id, zip: zip.toString("base64") }
    expect((await server.call("PUT", "/workspace/archive", { json })).status).toBe(200)
    expect((await zippedReadme(server, to.id)).text).toBe(project["README.md"])
  })

  it("says that nothing was run where nothing was", async () => {
    const { server } = await serverThatWrites([RIGHT])
    const session = await openSession(server)
    await server.run({ user_prompt: "Add numbers.", workspace_id: session.id })
    expect((await zippedReadme(server, session.id)).text).toContain("\n**Switchyard check:** not run.\n")
    await server.call("DELETE", `/workspace/file?workspace_id=${session.id}&path=README.md`)
    expect((await zippedReadme(server, session.id)).text).toBeUndefined()
  })
})

describe("a run that is to be checked", () => {
  it("completes with what running it showed", async () => {
    const { server, told } = await serverThatWrites([RIGHT])
    const run = await server.run(asked)
    expect([run.status, run.verdict], JSON.stringify([run, server.reported.map(String)])).toMatchObject([
      "completed",
      { status: "passed", workspace_version: run.workspace_version, checks: [{ tests: { passed: 1, failed: 0 } }] },
    ])
    expect(told).toHaveLength(1)
  })

  it("has mended what fails, by a model that sees the output", async () => {
    const { server, told } = await serverThatWrites([WRONG, RIGHT])
    const run = await server.run(asked)
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    expect(told).toHaveLength(2)
    expect(told[1]).toContain("sum.js is wrong")
  })

  it("is checked by the commands that a person set, in a server that started since, too", async () => {
    const { server: first } = await serverThatWrites([RIGHT])
    const session = await openSession(first)
    const json = { test: "node --version" }
    await first.call("PUT", `/api/v1/sessions/${session.id}/checks/commands`, { json })
    await first.stop()
    server = (await serverThatWrites([RIGHT], { after: first })).server
    const run = await server.run({ ...asked, workspace_id: session.id })
    expect([run.status, run.verdict.checks], JSON.stringify(run)).toMatchObject([
      "completed",
      [{ name: "test", command: "node --version", set: true }],
    ])
    expect((await zippedReadme(server, session.id)).text).toContain("`node --version` (set manually): exit code 0")
  })

  it("fails when a repair changes none of the failures, and says with what", async () => {
    const { server, told } = await serverThatWrites([WRONG, `${WRONG}// 1\n`, `${WRONG}// 2\n`, `${WRONG}// 3\n`])
    const run = await server.run(asked)
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["failed", "failed"])
    expect(run.error.message).toContain("npm test: 1 test failed")
    expect(run.error.message).toContain("The last repair didn't change any of the failures.")
    expect(told).toHaveLength(2)
  })

  it("keeps a repair of the code that the failing test imports, and names it", async () => {
    const silent = TEST.replace(', "sum.js is wrong"', "")
    const edit = toolAnswer("edit_file", { path: "sum.js", edits: [{ search: "a - b", replace: "a + b" }] })
    const files = { ...project, "sum.js": WRONG, "sum.test.js": silent }
    const { run, session, first, repairs } = await serverThatRepairs(files, [edit])
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    expect(repairs).toMatchObject([{ changed_files: ["sum.js"] }])
    expect((await session.files())["sum.js"]).toBe(RIGHT)
    // The prompt names the code before its test.
    expect(first).toEqual([expect.stringMatching(/^Repair: sum\.js, sum\.test\.js\n/)])
  })

  it("keeps what a repair changes in several files, and what it adds and deletes", async () => {
    const files = { ...project, "sum.js": 'export { add } from "./add.js"\n', "add.js": WRONG, "old.js": "export {}\n" }
    const { run, session, repairs } = await serverThatRepairs(files, [
      toolAnswer("write_file", { path: "plus.js", content: RIGHT }),
      toolAnswer("write_file", { path: "sum.js", content: 'export { add } from "./plus.js"\n' }),
      toolAnswer("delete_file", { path: "add.js" }),
    ])
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    expect(repairs).toMatchObject([{ changed_files: ["plus.js", "sum.js", "add.js"] }])
    expect(Object.keys(await session.files())).not.toContain("add.js")
  })

  it("has all files repaired in one visit that a compiler reports errors in", async () => {
    const sources = ["a", "b", "c", "d", "e"].map((name) => `src/${name}.ts`)
    const repaired = (path: string) => toolAnswer("write_file", { path, content: TYPED.replace('"1"', "1") })
    const [first, second, ...others] = sources.map(repaired)
    const answers = [first, second, textAnswer("Done."), ...others].flatMap((answer) => (answer ? [answer] : []))
    const { run, session, first: told, repairs } = await serverThatRepairs(compiled(sources), answers)
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    expect(repairs).toMatchObject([{ changed_files: sources }])
    const events = await session.events()
    expect(events.filter(({ type }) => type === "check_requested")).toHaveLength(2)
    // The first errors reach the model, although the output around them is long.
    for (const path of sources) expect(told[0]).toContain(`${path}(1,14): error TS2322`)
    expect(events.find(({ type, passed }) => type === "check_finished" && !passed)).toMatchObject({
      errors: sources.map((path) => `${path}(1,14): error TS2322: Type 'string' is not assignable to type 'number'.`),
    })
  })

  it("ends with the compiler's own lines if its errors stay", async () => {
    const { run } = await serverThatRepairs(compiled(["src/a.ts"]), [textAnswer("It is right.")])
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["failed", "failed"])
    expect(run.error.message).toContain("src/a.ts(1,14): error TS2322: Type 'string' is not assignable")
  })

  it("goes on as long as repairs change the failures", async () => {
    const throwing = (message: string) => `export function add() {\n  throw new Error("${message}")\n}\n`
    const sums = [throwing("two"), throwing("three"), throwing("four"), throwing("five"), RIGHT]
    const writes = sums.map((content) => [toolAnswer("write_file", { path: "sum.js", content })])
    const { run, repairs } = await serverThatRepairs({ ...project, "sum.js": throwing("one") }, ...writes)
    expect(repairs).toHaveLength(5)
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
  })

  it.each(
    someOf<[string, ScriptedAnswer[], RegExp]>(
      [
        ["says that it can't", [toolAnswer("keep_file", { reason: "There is no compiler." })], /There is no compiler/],
        ["only explains", [textAnswer("The plus is a minus.")], /That is all/],
        ["saves what is there", [toolAnswer("write_file", { path: "sum.js", content: WRONG })], /That is all/],
      ],
      1,
    ),
  )("is not said to be repaired by a model that %s", async (_, answers, because) => {
    const { run, repairs } = await serverThatRepairs({ ...project, "sum.js": WRONG }, answers)
    expect([run.status, run.verdict.status]).toEqual(["failed", "failed"])
    expect(repairs).toMatchObject([{ changed_files: [], not_repaired: expect.stringMatching(because) }])
    expect(run.error.message).toMatch(because)
  })

  it("has no test changed by a repair without a reason", async () => {
    const answers = [
      toolAnswer("edit_file", { path: "sum.test.js", edits: [{ search: "2), 3", replace: "2), -1" }] }),
      toolAnswer("write_file", { path: "sum.test.js", content: "" }),
      toolAnswer("delete_file", { path: "sum.test.js" }),
      toolAnswer("rename_file", { path: "sum.test.js", to: "sum.checks.js" }),
    ]
    const { run, session, repairs } = await serverThatRepairs({ ...project, "sum.js": WRONG }, answers)
    expect([run.status, run.verdict.status]).toEqual(["failed", "failed"])
    expect(repairs).toMatchObject([{ changed_files: [] }])
    expect((await session.files())["sum.test.js"]).toBe(project["sum.test.js"])
  })

  const edit = (search: string, replace: string) =>
    toolAnswer("edit_file", { path: "sum.test.js", edits: [{ search, replace }], reason: "It asks too much." })

  it.each(
    someOf<[string, ScriptedAnswer, RegExp]>(
      [
        ["weakened", edit("assert.equal(add(1, 2), 3, ", "assert.ok(add(1, 2), "), /asserts less than before/],
        ["skipped", edit("test(", "test.skip("), /skips tests/],
        [
          "deleted",
          toolAnswer("delete_file", { path: "sum.test.js", reason: "Nobody needs it." }),
          /The test "adds" in sum\.test\.js is gone/,
        ],
        [
          "moved out of sight",
          toolAnswer("rename_file", { path: "sum.test.js", to: "sum.checks.js", reason: "It is no test." }),
          /is gone/,
        ],
      ],
      3,
    ),
  )("doesn't pass with a test of its own that a repair has %s", async (_, change, because) => {
    const { run } = await serverThatRepairs({ ...project, "sum.js": WRONG, "more.test.js": MORE }, [change])
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["failed", "failed"])
    expect(`${run.verdict.reason} ${run.error.message}`).toMatch(because)
    expect(run.verdict.changed_tests).toMatchObject([{ path: "sum.test.js" }])
  })

  it("lists a test that a repair corrected with its reason, after a comparison with the request", async () => {
    const files = { ...project, "sum.test.js": TEST.replace("2), 3", "2), 4") }
    const repairs = [[edit("2), 4", "2), 3")]]
    const { run, session } = await repairedRun({ files, repairs })
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    const changed = [{ path: "sum.test.js", reason: "It asks too much.", kind: "changed" }]
    expect(run.verdict.changed_tests).toEqual(changed)
    expect((await zippedReadme(server as TestServer, session.id)).text).toContain("Changed tests: `sum.test.js`.")
    await server?.close()

    const findings = [{ file: "sum.test.js", missing: "The request wants 4." }]
    const refused = await repairedRun({ files, repairs, findings })
    expect([refused.run.status, refused.run.verdict.status]).toEqual(["failed", "failed"])
    expect(refused.run.verdict).toMatchObject({ reason: expect.stringContaining("wants 4"), changed_tests: changed })
  })

  it("doesn't pass without the tests that were there before, unless the person allows it", async () => {
    const before = { "package.json": project["package.json"] ?? "", "sum.test.js": TEST }
    const files = { "sum.js": WRONG, "sum.test.js": TEST.replace("2), 3", "2), -1") }
    const { run } = await repairedRun({ files, repairs: [], before })
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["failed", "failed"])
    expect(run.verdict.reason).toContain("With the original tests: npm test: 1 test failed")
    expect(run.verdict.changed_tests).toEqual([{ path: "sum.test.js", reason: null, kind: "changed" }])
    await server?.close()

    const allowed = await repairedRun({ files, repairs: [], before, request: { allow_test_changes: true } })
    expect([allowed.run.status, allowed.run.verdict.status], JSON.stringify(allowed.run)).toEqual([
      "completed",
      "passed",
    ])
    expect(allowed.run.verdict.changed_tests).toHaveLength(1)
  })

  it("passes with tests that were there before and pass as they were", async () => {
    const before = { "package.json": project["package.json"] ?? "", "sum.test.js": TEST, "sum.js": WRONG }
    const files = { "sum.js": RIGHT, "sum.test.js": `${TEST}${MORE.slice(MORE.indexOf("test("))}` }
    const { run, session } = await repairedRun({ files, repairs: [], before })
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    expect(run.verdict.changed_tests).toEqual([{ path: "sum.test.js", reason: null, kind: "extended" }])
    const requests = (await session.events()).filter(({ type }) => type === "check_requested")
    expect(requests.map(({ tests_of }) => tests_of)).toEqual([undefined, expect.stringMatching(/^version /)])
  })

  it("is never said to have passed where nothing was run", async () => {
    const { server } = await serverThatWrites([WRONG])
    const run = await server.run({ user_prompt: "Add numbers." })
    expect([run.status, run.verdict.status]).toEqual(["completed", "not_run"])
  })

  it("takes the consent of whose machine it is", async () => {
    const { server } = await serverThatWrites([RIGHT])
    const { status, body } = await server.call("POST", "/v1/runs", { json: { ...asked, consent: false } })
    expect([status, body.error.code]).toEqual([409, "consent_required"])
    await server.run(asked)
    expect((await server.run({ user_prompt: "Again." })).verdict.status).toBe("passed")
  })

  it("takes its check along when it is cancelled", async () => {
    const { server } = await serverThatWrites([`${RIGHT}setInterval(() => {}, 1000)\n`])
    const session = await openSession(server)
    const { body } = await server.call("POST", "/v1/runs", { json: { ...asked, workspace_id: session.id } })
    const eventOf = async (wanted: string) => (await session.events()).find(({ type }) => type === wanted)
    await expect.poll(() => eventOf("check_started")).toBeDefined()
    await server.call("POST", `/v1/runs/${body.run_id}/cancel`)
    expect(await server.ended(body.run_id)).toMatchObject({ status: "cancelled", verdict: null })
    const requested = await eventOf("check_requested")
    expect(await server.ended(String(requested?.check_run_id))).toMatchObject({ status: "cancelled" })
  })

  it("waits without an executor, and goes on in another server where it was", async () => {
    const { server: first, told } = await serverThatWrites([RIGHT])
    const session = await openSession(first)
    const { body } = await first.call("POST", "/v1/runs", { json: { ...asked, workspace_id: session.id } })
    await expect.poll(async () => (await session.events()).map(({ type }) => type)).toContain("run_parked")
    await first.stop()
    server = await startServer({ after: first })
    const run = await server.ended(body.run_id)
    expect([run.status, run.verdict.status], JSON.stringify(run)).toEqual(["completed", "passed"])
    expect(told).toHaveLength(1)
  })
})
