import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { environmentSection } from "@switchyard/core/work/gate/environment"
import type { RepositoryChecks } from "@switchyard/core/work/gate/schema"
import { describeVerdict } from "@switchyard/core/work/gate/verdict"
import { checkFiles } from "@switchyard/runner/gate/check-files"
import { prepareOwnHome, type Workdir, type WorkdirDeps } from "@switchyard/runner/gate/workdir"
import { openSupervisor } from "@switchyard/runner/processes/supervisor"
import { locate } from "@switchyard/runner/programs/locate"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createHurriedClock } from "../../clis/hurried-clock.ts"
import { never as signal } from "../../settings.ts"
import { checkProject } from "./checked.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "time-limit-"))
})
afterAll(() => rm(folder, { recursive: true }))

/** Reports that its tests pass, and never ends. */
const HANGS = `console.log("# tests 1\\n# pass 1\\n# fail 0")
require("node:fs").writeFileSync(process.env.HOME + "/said", "")
setInterval(() => {}, 1000)
`
const FILES = new Map([
  ["package.json", JSON.stringify({ scripts: { test: "node hangs.cjs" } })],
  ["hangs.cjs", HANGS],
])

/** Returns the time limit for tests, in seconds, that the prompt states. */
function toldSeconds(commands: RepositoryChecks | undefined): number {
  const section = environmentSection({ machine: undefined, commands, today: "2026-01-31" })
  return Number((/^- Time limits: .*\btest (\d+) s/m.exec(section) ?? /each command (\d+) s/.exec(section))?.[1])
}

it.each([
  { commands: undefined, seconds: 300 },
  { commands: { limits_seconds: { test: 600, lint: 1 } }, seconds: 600 },
  { commands: { limits_seconds: { test: 70 } }, seconds: 70 },
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
  expect(toldSeconds(commands)).toBe(seconds)
  clock.hurry(seconds * 1000)
  const verdict = await checking
  expect(verdict).toMatchObject({ status: "failed", checks: [{ name: "test", passed: false, exit_code: null }] })
  expect(describeVerdict(verdict)).toContain(`npm test: 1 test passed. It exceeded its time limit of ${seconds} s`)
})

it.each([{ commands: undefined }, { commands: { limits_seconds: { start: 7 } } }])(
  "starts a program by the rules that the prompt tells: $commands",
  async ({ commands }) => {
    const started: string[][] = []
    const files = { "package.json": JSON.stringify({ scripts: { start: "node -e 0" } }) }
    await checkProject(files, {
      commands,
      confine(_, program) {
        started.push(program.args)
        return program
      },
    })
    const about = JSON.parse(started.find(([file]) => file?.endsWith("start-probe.js"))?.[1] ?? "{}")
    const section = environmentSection({ machine: undefined, commands, today: "2026-01-31" })
    expect(section).toContain(`Start: within ${about.limitMs / 1000} s, the program answers`)
    expect(section).toContain(`with a status below ${about.failsFrom},`)
  },
)
