import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Random, seeded } from "../faults/random.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const TASKS = 30
const AT_ONCE = 3
const OVER = "2020-01-01T00:00:00.000Z"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // The mock's model "small" reaches a limit, and "large" doesn't.
  for (const [name, model] of [
    ["first", "small"],
    ["second", "large"],
  ]) {
    await server.call("POST", "/api/v1/accounts", { json: { name, provider: "mock", model } })
  }
  await server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: ["first", "second"] } })
})
afterAll(() => server.close())

/** Kinds of changes that a step makes, with a test that detects the change. */
const kinds: ((step: number) => { command: string; test: string })[] = [
  (step) => ({
    command: `echo 'one more ${step}' >> notes.md`,
    test: `assert.match(readFileSync("notes.md", "utf8"), /^one more ${step}$/m)`,
  }),
  (step) => ({
    command: `mkdir -p src/s${step} && echo ${step} > "src/s${step}/a file.txt"`,
    test: `assert.equal(readFileSync("src/s${step}/a file.txt", "utf8"), "${step}\\n")`,
  }),
  (step) => ({ command: `rm old-${step}.txt`, test: `assert.ok(!existsSync("old-${step}.txt"))` }),
  (step) => ({
    command: `mv old-${step}.txt renamed-${step}.txt`,
    test: `assert.equal(readFileSync("renamed-${step}.txt", "utf8"), "old ${step}\\n")`,
  }),
  (step) => ({
    command: `printf '#!/bin/sh\\nexit 0\\n' > run-${step} && chmod +x run-${step}`,
    test: `execFileSync("./run-${step}")`,
  }),
  (step) => ({
    command: `printf '\\000\\377\\200' > bytes-${step}.bin`,
    test: `assert.deepEqual([...readFileSync("bytes-${step}.bin")], [0, 255, 128])`,
  }),
]

/**
 * Returns the commands of a task with `count` steps, and its project. Each step adds its process to `done.txt`, and no
 * process repeats a step listed there. If a hand-over loses a change, the change stays lost and the project's test
 * fails.
 */
function scripted(random: Random, count: number) {
  const made = Array.from({ length: count }, (_, step) => ({ step, ...random.pick(kinds)(step) }))
  const taker = "$PPID-$(cut -d' ' -f22 /proc/$PPID/stat)"
  const commands = made.map(({ step, command }) => {
    return `grep -q '^${step} ' done.txt 2>/dev/null || { ${command} && echo "${step} ${taker}" >> done.txt; }`
  })
  const imports = `import assert from "node:assert"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { test } from "node:test"
`
  const tests = made.map(({ step, test }) => `test("step ${step}", () => { ${test} })\n`)
  const before: Record<string, string> = {
    "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
    "steps.test.js": imports + tests.join(""),
    "notes.md": "Notes\n",
  }
  for (const { step } of made) before[`old-${step}.txt`] = `old ${step}\n`
  return { commands, before }
}

/**
 * Runs a task that is cut and handed over. Resolves to the run, its steps in order, and the process that took each
 * step.
 */
async function cutTask(seed: number) {
  const random = seeded(seed)
  const count = random.between(2, 8)
  const after = random.between(0, count - 1)
  const { commands, before } = scripted(random, count)
  const { folder } = makeRepository(join(dirname(server.folder), `handed-over-${seed}`), before)
  const knobs = { files: {}, commands, limit: { models: ["small"], after, until: OVER } }
  const user_prompt = `Take the steps. mock: ${JSON.stringify(knobs)}`
  const json = { kind: "agent", coding_agent: "first", user_prompt, repository: folder, verify: true, consent: true }
  const run = await server.run(json)
  const types = "provider_switched,verification_attempt"
  const path = `/api/v1/sessions/${run.workspace_id}/events?limit=1000&event_types=${types}`
  const { events } = (await server.call("GET", path)).body
  const { body } = await server.call("GET", `/workspace/file?path=done.txt&workspace_id=${run.workspace_id}`)
  const lines: string[] = (body.content ?? "").trim().split("\n")
  const taken = lines.map((line) => line.split(" "))
  return { run, events, steps: taken.map(([step]) => Number(step)), takers: taken.map(([, by]) => by), count, after }
}

it(`loses no edit of a task that is cut at any of its steps and handed over, and passes its gate (${TASKS})`, async () => {
  const left = Array.from({ length: TASKS }, (_, index) => index + 1)
  let passed = 0
  const play = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const { run, events, steps, takers, count, after } = await cutTask(seed)
      const where = `seed ${seed}, cut after ${after} of ${count}: ${JSON.stringify([run.error, run.verdict])}`
      const switched = events.filter(({ type }: { type: string }) => type === "provider_switched")
      expect(switched, where).toMatchObject([{ from_account: "first", to_account: "second" }])
      expect(steps, where).toEqual(Array.from({ length: count }, (_, step) => step))
      const [before, later] = [new Set(takers.slice(0, after)), new Set(takers.slice(after))]
      expect([before.size, later.size], where).toEqual([Math.min(after, 1), 1])
      expect(before.isDisjointFrom(later), where).toBe(true)
      if (run.status === "completed" && run.verdict?.status === "passed") passed++
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, TASKS) }, play))
  expect(passed).toBeGreaterThanOrEqual(0.95 * TASKS)
})
