import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { recipeFiles } from "@switchyard/demo-model/recipe-files"
import { build } from "esbuild"
import { describe, expect, it } from "vitest"
import plugins from "../../infra/plugins.mjs"
import { needs } from "../needs.ts"
import { NODE_BANNER } from "./synth/bundle.ts"
import { missing, root } from "./synth/synth.ts"

/** The SST tool's host of plugins. It receives a line for each file, and answers with a line. */
const HOST = join(root, ".sst", "platform", "functions", "nodejs-runtime", "plugin.mjs")
const LOCALES = join(root, "node_modules", "zod", "v4", "locales", "index.js")
const RECIPE_FILES = join(root, "packages", "demo-model", "src", "recipe-files.ts")
const GRAMMAR_FILES = join(root, "packages", "core", "src", "files", "symbols", "grammar-files.ts")
const CSS_GRAMMAR = join(root, "node_modules", "@vscode", "tree-sitter-wasm", "wasm", "tree-sitter-css.wasm")

const SOURCE = `
  import * as z from "zod"
  globalThis.keepAll = z
  const Thing = z.object({ name: z.string().min(3), email: z.email(), count: z.int().max(5) })
  const { error } = Thing.safeParse({ name: "x", email: "no", count: 9.5, more: 1 })
  console.log(JSON.stringify(error.issues.map((issue) => issue.message)))
`

const RECIPES = `
  import { recipeFiles } from "@switchyard/demo-model/recipe-files"
  console.log(JSON.stringify(recipeFiles))
`

const PARSES = `
  import { withTree } from "@switchyard/core/files/symbols/grammars"
  const nodes = { python: "x = 1", c: "int x;", html: "<p>x</p>", typescript: "let x: number" }
  for (const [grammar, text] of Object.entries(nodes)) {
    console.log(grammar, await withTree(grammar, text, (tree) => tree.rootNode.firstChild.type))
  }
`

const PARSES_IN_THREADS = `
  import { factsInThread } from "@switchyard/core/files/symbols/in-thread"
  import { checkFileInThread } from "@switchyard/core/work/checks/in-thread"
  const { symbols } = await factsInThread("a.py", "def f(): pass\\n")
  const findings = await checkFileInThread({ path: "a.yml", text: "a: 1\\na: 2\\n" })
  console.log(JSON.stringify([symbols[0].name, findings[0].rule]))
`

const PAGE_SCRIPTS = `
  import { drawingCode, reporterCode } from "./src/previews/reporter.ts"
  const { default: draw } = await import("data:text/javascript," + encodeURIComponent(drawingCode()))
  const found = { studioOrigins: [], grant: { external: false }, address: "https://preview.test/" }
  console.log(draw.name, typeof new Function(reporterCode(found, false)))
`

/**
 * Bundles a program like our functions, with late parts in separate files, and runs it in a folder without packages.
 * Resolves to its output.
 */
async function runSplit(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "split-"))
  try {
    await build({
      ...{ stdin: { contents: source, resolveDir: join(root, "packages", "functions") }, plugins },
      ...{ bundle: true, splitting: true, minify: true, keepNames: true, format: "esm", platform: "node" },
      ...{ outdir: folder, outExtension: { ".js": ".mjs" }, banner: { js: NODE_BANNER } },
    })
    return (await promisify(execFile)(process.execPath, [join(folder, "stdin.mjs")])).stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function bundled(source: string, withPlugins: boolean): Promise<{ said: string; bytes: number }> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: join(root, "packages", "functions") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: withPlugins ? plugins : [],
  })
  const code = outputFiles[0]?.text ?? ""
  const child = spawn(process.execPath, ["--input-type=module", "-"], {
    // A folder without packages.
    cwd: tmpdir(),
    stdio: ["pipe", "pipe", "inherit"],
  })
  child.stdin.end(code)
  return { said: (await Array.fromAsync(createInterface({ input: child.stdout }))).join("\n"), bytes: code.length }
}

describe("what bundles functions", () => {
  it("leaves out the languages that we don't speak, and no word of the one that we do", async () => {
    const [less, all] = await Promise.all([bundled(SOURCE, true), bundled(SOURCE, false)])
    expect(less.said).toContain("Too small")
    expect(less.said).toBe(all.said)
    expect(less.bytes).toBeLessThan(all.bytes - 200_000)
  })

  it("puts every recipe of the demo model into the bundle, which has no folder of them beside it", async () => {
    const { said } = await bundled(RECIPES, true)
    expect(JSON.parse(said)).toEqual(recipeFiles)
    expect(Object.keys(recipeFiles).length).toBeGreaterThan(80)
  })

  it("puts the grammars into the bundle, which parses with no file beside it", async () => {
    const { said } = await bundled(PARSES, true)
    const types = {
      python: "expression_statement",
      c: "declaration",
      html: "element",
      typescript: "lexical_declaration",
    }
    expect(said.split("\n")).toEqual(Object.entries(types).map(([grammar, type]) => `${grammar} ${type}`))
  })

  it("bundles threads, which parse with no file beside the bundle", async () => {
    expect(JSON.parse(await runSplit(PARSES_IN_THREADS))).toEqual(["f", "duplicate_key"])
  })

  it("bundles the scripts of previewed pages as text, asynchronous ones too", async () => {
    expect((await runSplit(PAGE_SCRIPTS)).trim()).toBe("drawElement function")
  })

  it("says the same to the SST tool, in its own words", needs(existsSync(HOST) ? undefined : missing), async () => {
    const host = spawn(process.execPath, [HOST, join(root, "infra", "plugins.mjs")], {
      stdio: ["pipe", "pipe", "inherit"],
    })
    const ask = (id: number, path: string) =>
      host.stdin.write(`${JSON.stringify({ id, command: "load", value: { path, namespace: "file" } })}\n`)
    ask(0, join(root, "package.json"))
    ask(1, LOCALES)
    ask(2, RECIPE_FILES)
    ask(3, GRAMMAR_FILES)
    ask(4, CSS_GRAMMAR)
    const answers: { id: number; value: unknown }[] = []
    for await (const line of createInterface({ input: host.stdout })) {
      if (answers.push(JSON.parse(line)) === 5) host.kill()
    }
    const asked = [LOCALES, RECIPE_FILES, GRAMMAR_FILES, CSS_GRAMMAR]
    expect(asked.filter(existsSync)).toEqual(asked)
    expect(answers.sort((a, b) => a.id - b.id)).toEqual([
      { id: 0, value: {} },
      { id: 1, value: expect.objectContaining({ contents: expect.stringContaining("./en.js"), loader: "js" }) },
      { id: 2, value: expect.objectContaining({ contents: expect.stringContaining("createSamples"), loader: "js" }) },
      { id: 3, value: expect.objectContaining({ contents: expect.stringContaining("gunzipSync"), loader: "js" }) },
      {
        id: 4,
        value: expect.objectContaining({ contents: expect.stringMatching(/^export const packed/), loader: "js" }),
      },
    ])
  })
})
