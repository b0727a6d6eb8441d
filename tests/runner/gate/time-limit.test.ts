import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describeVerdict } from "@switchyard/core/work/gate/verdict"
import { checkFiles } from "@switchyard/runner/gate/check-files"
import { prepareOwnHome, type Workdir, type WorkdirDeps } from "@switchyard/runner/gate/workdir"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createHurriedClock } from "../../clis/hurried-clock.ts"
import { never as signal } from "../../settings.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "time-limit-"))
})
afterAll(() => rm(folder, { recursive: true }))

/** Says that its tests pass, and never ends. */
const HANGS = `console.log("# tests 1\\n# pass 1\\n# fail 0")
require("node:fs").writeFileSync(process.env.HOME + "/said", "")
setInterval(() => {}, 1000)
`
const FILES = new Map([
  ["package.json", JSON.stringify({ scripts: { test: "node hangs.cjs" } })],
  ["hangs.cjs", HANGS],
])

it.each([
  { commands: undefined, seconds: 300 },
  { commands: { limits_seconds: { test: 600, lint: 1 } }, seconds: 600 },
  { commands: { limits_seconds: { test: 7 } }, seconds: 7 },
])("takes tests that say they pass and never end for no pass, once their time is over: $seconds s", async (about) => {
  const { commands, seconds } = about
  const hurried = createHurriedClock()
  const waits: number[] = []
  const clock: typeof hurried = {
    ...hurried,
    sleep(ms, options) {
      waits.push(ms)
      return hurried.sleep(ms, options)
    },
  }
  const deps = {
    ...{ clock, folder, homes: join(folder, "homes"), host: process.env, family: "time-limit" },
    supervisor: await openSupervisor((await locate("perl", process.env.PATH ?? ""))?.file),
    report: (error: unknown) => expect.unreachable(String(error)),
    confinement: async () => ({ confine: (_: unknown, program: object) => program }),
  } as unknown as WorkdirDeps
  let home = ""
  async function fill(workdir: Workdir): Promise<void> {
    await prepareOwnHome(workdir)
    await mkdir(workdir.cwd)
    home = workdir.home
    for (const [path, text] of FILES) await writeFile(join(workdir.cwd, path), text)
  }
  const project = {
    has: (path: string) => FILES.has(path),
    text: (path: string) => FILES.get(path),
    paths: () => FILES.keys(),
  }
  const context = { sid: "s", signal, write: async () => {}, awaitExternal: (work: () => Promise<unknown>) => work() }
  const checking = checkFiles(deps, context as unknown as Parameters<typeof checkFiles>[1], {
    ...{ purpose: "commits", once: "run", project, commands, fill, checked: { commit: "abc" } },
  })
  await expect.poll(() => existsSync(join(home, "said"))).toBe(true)
  expect(waits).toContain(seconds * 1000)
  clock.hurry(seconds * 1000)
  const verdict = await checking
  expect(verdict).toMatchObject({ status: "failed", checks: [{ name: "test", passed: false, exit_code: null }] })
  expect(describeVerdict(verdict)).toContain(`npm test: 1 test passed. It exceeded its time limit of ${seconds} s`)
})
