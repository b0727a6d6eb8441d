import { spawnSync } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")
const SERVER = "packages/functions/src/local/run.ts"
const WORDS = "packages/core/src/words.ts"

/** A checkout with programs of a line each. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "programs-"))
  for (const file of ["tools/build-programs.mjs", "tools/lock.mjs", "packages/core/src/import-program.mjs"])
    await cp(join(ROOT, file), join(root, file))
  await mkdir(join(root, "node_modules"))
  await symlink(join(ROOT, "node_modules/rolldown"), join(root, "node_modules/rolldown"))
  for (const file of ["runner/src/run.ts", "runner/src/isolation.ts", "runner/src/mock/agent.ts", "cli/src/program.ts"])
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
  expect(file).toMatch(/\/node_modules\/\.cache\/built\/[\d-]+\/server\.mjs$/)
  expect({ place, words }).toEqual({ place: sourceUrl(), words: "first" })
  expect(node("tools/build-programs.mjs").stderr).toBe("")
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

function started(): { file: string; place: string; words: string } {
  const program = `
    import { importProgram } from "./packages/core/src/import-program.mjs"
    const { file, place, later } = await importProgram("server", new URL(${JSON.stringify(sourceUrl())}))
    console.log(JSON.stringify({ file, place, words: (await later()).words }))`
  return JSON.parse(node("--input-type=module", "-e", program).stdout)
}

const sourceUrl = () => pathToFileURL(join(root, SERVER)).href

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}
