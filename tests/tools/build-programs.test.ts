import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")
const SERVER = "packages/functions/src/local/run.ts"
const WORDS = "packages/core/src/words.ts"

/** A checkout whose programs have one line each. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "programs-"))
  const tools = ["build-programs", "lock", "require-writable"].map((name) => `tools/${name}.mjs`)
  for (const file of [...tools, "packages/core/src/import-program.mjs"]) await cp(join(ROOT, file), join(root, file))
  await mkdir(join(root, "node_modules"))
  await symlink(join(ROOT, "node_modules/rolldown"), join(root, "node_modules/rolldown"))
  for (const file of [
    "runner/src/run.ts",
    "runner/src/isolation.ts",
    "runner/src/retire.ts",
    "runner/src/mock/agent.ts",
    "cli/src/command-line/program.ts",
  ])
    await put(`packages/${file}`, "export {}")
  await put("node_modules/.package-lock.json", "{}")
  await put("package.json", '{"type":"module"}')
  await put(WORDS, 'export const words: string = "first"')
  await put(
    SERVER,
    'export const place = import.meta.url\nexport const file = import.meta.filename\nexport const later = () => import("../../../core/src/words.ts")',
  )
  expect(node("tools/build-programs.mjs").stderr).toContain("Building the server")
})
afterEach(() => rm(root, { recursive: true, force: true }))

it("builds a program that finds what is beside its source, and loads its parts when it needs them", () => {
  const { file, place, words } = started()
  expect(file).toMatch(/\/node_modules\/\.cache\/built\/[\d-]+\/server\/server\.mjs$/)
  expect({ place, words }).toEqual({ place: sourceUrl(), words: "first" })
  expect(node("tools/build-programs.mjs").stderr).toBe("")
})

it.each([[], ["--source"]])("says which Node the server needs, and where it is: %j", (...args) => {
  const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.19.0"}})'
  const given = ["--import", older, "packages/functions/src/local/main.mjs", ...args]
  const { status, stderr } = spawnSync(process.execPath, given, { cwd: ROOT, encoding: "utf8" })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Switchyard requires Node 24, .*\.bin\/node\n$/)])
})

it("builds threads that load no program", () => {
  expect(spawnSync(process.execPath, ["tools/build-programs.mjs"], { cwd: ROOT }).status).toBe(0)
  const built = join(ROOT, "node_modules/.cache/built")
  const { programs } = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8"))
  for (const program of ["server", "runner"]) {
    const folder = join(built, dirname(programs[program].file))
    const loaded = new Set(readdirSync(folder).filter((file) => file.startsWith("thread-entry")))
    // A part that all threads share, and at least one thread.
    expect(loaded.size).toBeGreaterThan(1)
    for (const file of loaded) {
      const text = readFileSync(join(folder, file), "utf8")
      for (const [, name] of text.matchAll(/(?:from |import\(|import )"\.\/([^"]+)"/g)) loaded.add(name ?? "")
    }
    expect(loaded).not.toContain(`${program}.mjs`)
  }
})

it.each([
  ["a file that it loads later is edited", WORDS, 'export const words: string = "second, and longer"'],
  ["other packages are installed", "node_modules/.package-lock.json", '{"of":"another"}'],
])("starts from its source when %s, until it is built again", async (_, file, text) => {
  await put(file, text)
  expect(started().file).toBe(join(root, SERVER))
  expect(node("tools/build-programs.mjs").stderr).toContain("Building the server")
  const { file: built, words } = started()
  expect(built).not.toBe(join(root, SERVER))
  expect(text).toContain(file === WORDS ? words : "")
})

it("starts from its source where nothing was built", async () => {
  await rm(join(root, "node_modules/.cache"), { recursive: true })
  expect(started().file).toBe(join(root, SERVER))
})

it.each([
  ["moved", "mv", ["{from}", "{to}"]],
  ["copied", "cp", ["-a", "{from}", "{to}"]],
  ["reached by a link", "ln", ["-s", "{from}", "{to}"]],
  ["moved to a folder of another name", "mv", ["{from}", "{to} of #1 & 100%25 ü"]],
])("finds what is beside its source in a checkout that was %s", async (how, command, args) => {
  const from = root
  const to = args.at(-1)?.replace("{to}", `${from}-elsewhere`) ?? ""
  expect(
    spawnSync(
      command,
      args.map((arg) => arg.replace("{from}", from).replace("{to}", `${from}-elsewhere`)),
    ).status,
  ).toBe(0)
  try {
    root = to
    const { file, place, words } = started()
    expect(file).toContain("/node_modules/.cache/built/")
    // Node reports a program's real folder.
    expect([place, words]).toEqual([how.includes("link") ? sourceUrl(from) : sourceUrl(), "first"])
    expect(node("tools/build-programs.mjs").stderr).toBe("")
  } finally {
    await rm(to, { recursive: true, force: true })
    root = from
  }
})

it("serves the studio and reads the .env file of the folder to which a built checkout was copied", async () => {
  const [before, after] = [join(root, "before"), join(root, "after")]
  expect(spawnSync(process.execPath, ["tools/build-programs.mjs"], { cwd: ROOT }).status).toBe(0)
  await mkdir(before)
  // With `cp -a`, files keep their times to the nanosecond. Those times decide if a program is current.
  for (const name of ["packages", "tools", "package.json"]) spawnSync("cp", ["-a", join(ROOT, name), before])
  const modules = join(before, "node_modules")
  await cp(join(ROOT, "node_modules/.cache/built"), join(modules, ".cache/built"), { recursive: true })
  for (const name of await readdir(join(ROOT, "node_modules"))) {
    if (name === ".cache") continue
    if (name !== "@switchyard") await symlink(join(ROOT, "node_modules", name), join(modules, name))
  }
  const packages = await readdir(join(before, "packages"))
  await mkdir(join(modules, "@switchyard"))
  for (const name of packages) await symlink(`../../packages/${name}`, join(modules, "@switchyard", name))
  expect(spawnSync("mv", [before, after]).status).toBe(0)
  await put("after/packages/web/dist/index.html", "<title>The studio of the new folder</title>")
  await put("after/.env", "PORT=0\nSWITCHYARD_DATA=data-of-the-new-folder\n")
  const { PORT: _, SWITCHYARD_DATA: __, ...env } = process.env
  const server = spawn(process.execPath, ["packages/functions/src/local/main.mjs"], {
    cwd: after,
    env: { ...env, XDG_CONFIG_HOME: root },
  })
  try {
    const url = await addressOf(server)
    expect(await (await fetch(url)).text()).toContain("The studio of the new folder")
    expect(await readdir(after)).toContain("data-of-the-new-folder")
  } finally {
    server.kill()
    await once(server, "exit")
  }
})

/** Resolves to the address in a server's output. */
async function addressOf(server: ChildProcessWithoutNullStreams): Promise<string> {
  let output = ""
  server.stderr.on("data", (bytes) => {
    output += bytes
  })
  for await (const bytes of server.stdout) {
    output += bytes
    const url = /listening on (\S+)/.exec(output)?.[1]
    if (url) return url
  }
  throw new Error(output)
}

function started(): { file: string; place: string; words: string } {
  const program = `
    import { importProgram } from "./packages/core/src/import-program.mjs"
    const { file, place, later } = await importProgram("server", new URL(${JSON.stringify(sourceUrl())}))
    console.log(JSON.stringify({ file, place, words: (await later()).words }))`
  return JSON.parse(node("--input-type=module", "-e", program).stdout)
}

const sourceUrl = (folder = root) => pathToFileURL(join(folder, SERVER)).href

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}
