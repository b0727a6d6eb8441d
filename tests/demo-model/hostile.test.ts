import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { kinds, languages } from "@switchyard/demo-model/project"
import { transform } from "esbuild"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { hostilePrompts } from "./hostile-prompts.ts"
import { type MadeProject, makeProject, run, temporaryFolder, writeProject } from "./make-project.ts"

const folder = temporaryFolder()
afterAll(folder.remove)

// Taking types away is experimental in Node, which says so once.
beforeAll(() => void vi.spyOn(process, "emitWarning").mockImplementation(() => {}))

/** Prompts of any characters, of hostile pieces, and with words that lead to each kind and language. */
const anyPrompt = fc
  .tuple(
    fc.oneof(fc.string({ unit: "binary", maxLength: 80 }), fc.constantFrom(...hostilePrompts)),
    fc.constantFrom("", "called ", 'called "', "a list of books named ", "notes called “"),
    fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), fc.constantFrom(...hostilePrompts)),
    fc.constantFrom(...kinds),
    fc.constantFrom(...languages),
  )
  .map(([before, called, name, kind, language]) => `${kind} ${language} ${before.slice(0, 500)} ${called}${name}`)

const fileName = /^[a-z0-9_-]+(\.test)?\.(ts|js|py|json|toml|html|css|md)$|^README\.md$/

async function expectSound({ plan, files }: MadeProject): Promise<void> {
  expect(files.length).toBeLessThanOrEqual(7)
  expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
  expect(plan.name).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} -]*$/u)
  for (const { path, content } of files) {
    expect(path).toMatch(fileName)
    expect(content.isWellFormed()).toBe(true)
    if (path.endsWith(".ts")) stripTypeScriptTypes(content)
    if (/\.[jt]s$/.test(path)) await transform(content, { loader: path.endsWith(".ts") ? "ts" : "js" })
    if (path === "package.json") expect(JSON.parse(content).name).toMatch(/^[a-z0-9][a-z0-9-]{0,60}$/)
    if (path === "index.html") {
      expect(content.match(/<(script|img|title)\b/g)).toEqual(["<title", "<script"])
      expect(content).toContain(`<title>${plan.name}</title>`)
    }
  }
}

describe("projects from odd and hostile prompts", () => {
  it("always have safe paths, valid names, JSON that parses and scripts that parse", async () => {
    await fc.assert(
      fc.asyncProperty(anyPrompt, async (prompt) => expectSound(await makeProject(prompt))),
      { numRuns: 150 },
    )
  })

  it("always have Python that compiles and TOML that parses", async ({ skip }) => {
    if ((await run("python3", ["-c", "import tomllib"])).code !== 0)
      skip("there is no python3 with tomllib; apt-get install python3")
    for (const [index, prompt] of hostilePrompts.entries()) {
      const { files } = await makeProject(`python ${kinds[index % kinds.length]} ${prompt}`)
      writeProject(join(folder.path, String(index)), files)
    }
    const check = [
      "import compileall, pathlib, sys, tomllib",
      "for path in pathlib.Path(sys.argv[1]).glob('*/pyproject.toml'): tomllib.loads(path.read_text(encoding='utf-8'))",
      "sys.exit(not compileall.compile_dir(sys.argv[1], quiet=1))",
    ].join("\n")
    expect(await run("python3", ["-c", check, folder.path])).toEqual({ code: 0, output: "" })
  })

  it("writes the same project again, byte by byte", async () => {
    for (const prompt of hostilePrompts) expect(await makeProject(prompt)).toEqual(await makeProject(prompt))
  })
})
