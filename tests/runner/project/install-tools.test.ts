import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultSetup } from "@switchyard/core/files/worktrees/setup-schema"
import { systemClock as clock } from "@switchyard/core/time"
import type { Archives } from "@switchyard/runner/project/setup/archives"
import { installTools } from "@switchyard/runner/project/setup/install-tools"
import { toolsInUse } from "@switchyard/runner/project/setup/prepare-worktree"
import { afterEach, beforeEach, expect, it } from "vitest"
import { removeFolder } from "../../remove-folder.ts"
import { never as signal } from "../../settings.ts"
import { archivesIn } from "./archives.ts"
import { writeMise } from "./mise.ts"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tools-"))
  writeMise(root)
})
afterEach(() => removeFolder(root, { kill: true }))

const confinement = { confine: (_: unknown, program: { file: string; args: string[] }) => program }
const host = { PATH: process.env.PATH }

/** Installs Node on this machine. */
function installHere(
  run: (script: InstallScript) => Promise<void>,
  { node = "22", key = "ours", archives }: { node?: string; key?: string; archives?: Archives } = {},
) {
  const inUse = () => toolsInUse(join(root, "runner"))
  const deps = { clock, host, confinement, dataFolder: join(root, "data"), user: undefined, archives, inUse }
  return installTools(deps, { key, mise: join(root, "mise"), tools: { node } }, run, { signal })
}

type InstallScript = Parameters<Parameters<typeof installTools>[2]>[0]

async function runHere({ program, cwd, env }: InstallScript) {
  execFileSync(program.file, program.args, { cwd, env })
}

/** Installs Node as a new machine with the same stored archives. Returns the tools and the number of mise's runs. */
async function install(system = "sha256:1", key = "ours") {
  await rm(join(root, "data"), { recursive: true, force: true })
  const archives = archivesIn(join(root, "stored"), system)
  let runs = 0
  const run = async (script: InstallScript) => {
    runs++
    await runHere(script)
  }
  const tools = await installHere(run, { key, archives })
  const [folder = "/nowhere"] = tools.path
  return { runs, tools, node: () => execFileSync(join(folder, "node")).toString().trim() }
}

it("takes tools from an archive of the same system, owner and repository, and runs mise otherwise", async () => {
  const first = await install()
  expect([first.runs, first.node()]).toEqual([1, "node@22"])
  const second = await install()
  expect([second.runs, second.node(), second.tools]).toEqual([0, "node@22", first.tools])
  expect((await install("sha256:2")).runs).toBe(1)
  expect((await install("sha256:1", "theirs")).runs).toBe(1)
})

it("does without an archive that is damaged", async () => {
  await install()
  const stored = join(root, "stored")
  for (const name of readdirSync(stored)) writeFileSync(join(stored, name), "no archive")
  const again = await install()
  expect([again.runs, again.node()]).toEqual([1, "node@22"])
})

it("puts nothing from outside its folder on the search path, whatever an archive says", async () => {
  const { folder } = (await install()).tools
  const stored = join(root, "stored")
  const [name = ""] = readdirSync(stored)
  const hostile = join(root, "hostile")
  mkdirSync(hostile)
  const environment = {
    PATH: `/tmp/evil:../evil:${folder}/../evil`,
    JAVA_HOME: "/tmp/evil",
    LD_PRELOAD: "/tmp/evil.so",
  }
  writeFileSync(join(hostile, "environment.json"), JSON.stringify(environment))
  execFileSync("tar", ["-cf", join(stored, name), "-C", hostile, "."])
  const { tools } = await install()
  expect([tools.path, tools.variables]).toEqual([[], {}])
  expect(readFileSync(join(tools.folder, "environment.json"), "utf8")).toContain("LD_PRELOAD")
})

it("returns tools that are there while another version is being installed", async () => {
  const tools = await installHere(runHere)
  const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = installHere(
    async (script) => {
      started.resolve()
      await finish.promise
      await runHere(script)
    },
    { node: "24" },
  )
  await started.promise
  expect(await installHere(runHere)).toEqual(tools)
  finish.resolve()
  await slow
})

it("removes the set that was used least recently, unless a worktree uses it", async () => {
  const [first, second] = [await installHere(runHere), await installHere(runHere, { node: "1" })]
  const used = { setup: defaultSetup, checkout: null, ports: [], linked: [], folder: "", isReady: true }
  mkdirSync(join(root, "runner/ses_1"), { recursive: true })
  writeFileSync(join(root, "runner/ses_1/1-ab.setup.json"), JSON.stringify({ ...used, installed: first }))
  writeFileSync(join(root, "runner/ses_1/2-ab.setup.json"), "damaged")
  for (const node of ["2", "3", "4", "5"]) await installHere(runHere, { node })
  expect([first, second].map(({ folder }) => existsSync(folder))).toEqual([true, false])
})
