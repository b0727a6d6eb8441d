import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { ModelError } from "@switchyard/core/models/errors"
import { readIntent } from "@switchyard/demo-model/intent"
import { plannedFiles } from "@switchyard/demo-model/planned-files"
import { kinds, languages, type Project, type ProjectFile } from "@switchyard/demo-model/project"
import { projectFiles } from "@switchyard/demo-model/project-files"
import { phrases } from "@switchyard/demo-model/prompt-words"
import { transform } from "esbuild"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { hostilePrompts } from "./hostile-prompts.ts"
import { makeProject, run, temporaryFolder, writeProject } from "./make-project.ts"

const folder = temporaryFolder()
afterAll(folder.remove)

// Taking types away is experimental in Node, which says so once.
beforeAll(() => void vi.spyOn(process, "emitWarning").mockImplementation(() => {}))

const known = [
  ...[
    "a to-do list",
    "notes",
    "a REST API for spaceships",
    "a calculator",
    "a landing page for",
    "a quiz",
    "page about",
  ],
  ...["with fields", "called", 'called "', "add a field", "rename it to", "add a sample item", "make it", "in German"],
  ...[
    "due date",
    "teal",
    "and",
    ",",
    ".",
    "in Python",
    "typescript",
    "command line",
    "constructor",
    "class",
    "🎉",
    "`",
  ],
]

/** Prompts of any characters, of hostile pieces, and of words that the demo knows. */
const anyPrompt = fc
  .array(
    fc.oneof(
      fc.constantFrom(...known),
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(...hostilePrompts).map((prompt) => prompt.slice(0, 300)),
    ),
    { maxLength: 7 },
  )
  .map((parts) => parts.join(" "))

/** Follow-ups, some of them of words that nobody means. */
const anyFollowUp = fc.oneof(
  anyPrompt,
  fc.constantFrom(
    "Add a due date",
    "Make it teal",
    "Use German texts",
    "Translate it into French",
    'Add "x" to the list',
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }).map((name) => `Rename it to "${name}"`),
  fc.string({ unit: "grapheme", maxLength: 20 }).map((name) => `Add a field called ${name}`),
  fc.string({ unit: "grapheme", maxLength: 20 }).map((item) => `Add a sample item: ${item}`),
)

const fileName = /^[a-z0-9_-]+(\.test)?\.(ts|js|py|json|toml|html|css|md)$|^README\.md$/

async function expectSound({ name }: Project, files: ProjectFile[]): Promise<void> {
  expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
  expect(name).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}’& -]*$/u)
  for (const { path, content } of files) {
    expect(path).toMatch(fileName)
    expect(content.isWellFormed()).toBe(true)
    if (path.endsWith(".ts")) stripTypeScriptTypes(content)
    if (/\.[jt]s$/.test(path)) await transform(content, { loader: path.endsWith(".ts") ? "ts" : "js" })
    if (path === "package.json") expect(JSON.parse(content).name).toMatch(/^[a-z0-9][a-z0-9-]{0,60}$/)
    if (path === "index.html") {
      expect(content.match(/<(script|img|title)\b/g)).toEqual(["<title", "<script"])
      expect(content).toContain(`<title>${name}</title>`)
    }
  }
}

/** What a prompt has done, or undefined where it is refused in words for people. Nothing else may happen. */
function workOrRefusal(prompt: string, texts = new Map<string, string>()) {
  try {
    return plannedFiles(prompt, { texts, hasAny: texts.size > 0 })
  } catch (error) {
    if (!(error instanceof ModelError && error.isBeyondDemo && error.message.startsWith("The demo c"))) throw error
    expect(error.message.isWellFormed()).toBe(true)
    expect(error.message.length).toBeLessThan(1200)
    return undefined
  }
}

/** Has Python compile the projects. */
async function expectCompiled(projects: ProjectFile[][]): Promise<void> {
  const place = join(folder.path, "fields")
  for (const [index, files] of projects.entries()) writeProject(join(place, String(index)), files)
  expect(await run("python3", ["-m", "compileall", "-q", place])).toEqual({ code: 0, output: "" })
}

describe("any prompt", () => {
  it("builds something sound or is refused in words for people", async () => {
    let built = 0
    await fc.assert(
      fc.asyncProperty(anyPrompt, async (prompt) => {
        const work = workOrRefusal(prompt)
        built += work ? 1 : 0
        if (work) await expectSound(work.project, work.files)
      }),
      { numRuns: 1000 },
    )
    expect(built).toBeGreaterThan(0)
  })

  it("changes a project soundly, with the project's record, or leaves it alone", async () => {
    const first = readIntent("a to-do list").project as Project
    let changed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyFollowUp, { maxLength: 3 }), async (prompts) => {
        let files = projectFiles(first)
        for (const prompt of prompts) {
          const texts = new Map(files.map(({ path, content }) => [path, content]))
          const work = workOrRefusal(prompt, texts)
          if (!work || work.isNew) continue
          files = projectFiles(work.project)
          await expectSound(work.project, files)
          changed += 1
        }
      }),
      { numRuns: 400 },
    )
    expect(changed).toBeGreaterThan(0)
  })

  it.each(hostilePrompts)("is harmless: %j", async (prompt) => {
    const named = [prompt, `a to-do list called "${prompt.slice(0, 60)}"`, `a landing page for ${prompt.slice(0, 60)}`]
    for (const text of named) {
      const work = workOrRefusal(text)
      if (work) await expectSound(work.project, work.files)
    }
  })
})

describe("fields with words of the languages for names", () => {
  const words = phrases(`
    class, const, new, this, import, export, function, return, async, await, enum, delete, default, switch, package,
    def, None, lambda, is, in, for, if, not, and, pass, raise, except, global, del, try, yield, starter, starters
  `)

  it.for(languages)("make sound projects in %s", async (language, { skip }) => {
    if (language === "python" && (await run("python3", ["--version"])).code !== 0)
      skip("there is no python3; apt-get install python3")
    const prompts = words.map((word) => `A REST API for spaceships in ${language} with fields ${word}`)
    const made = prompts.map((prompt) => workOrRefusal(prompt)).filter((work) => work !== undefined)
    expect(made.length).toBeGreaterThan(20)
    for (const { project, files } of made) await expectSound(project, files)
    if (language === "python") await expectCompiled(made.map(({ files }) => files))
  })
})

describe("projects with odd names", () => {
  const names = ["class import def None", "__proto__ constructor", "--", "12345", "é́ ñ", "クイズ", "O'Neil & Söhne"]

  it("always have Python that compiles and TOML that parses", async ({ skip }) => {
    if ((await run("python3", ["-c", "import tomllib"])).code !== 0)
      skip("there is no python3 with tomllib; apt-get install python3")
    for (const [index, name] of names.entries()) {
      const kind = ["server", "command line tool", "library", "page"][index % kinds.length]
      const { files } = await makeProject(`A to-do list as a ${kind} in python called "${name}"`)
      writeProject(join(folder.path, String(index)), files)
    }
    const check = [
      "import compileall, pathlib, sys, tomllib",
      "for path in pathlib.Path(sys.argv[1]).glob('*/pyproject.toml'): tomllib.loads(path.read_text(encoding='utf-8'))",
      "sys.exit(not compileall.compile_dir(sys.argv[1], quiet=1))",
    ].join("\n")
    expect(await run("python3", ["-c", check, folder.path])).toEqual({ code: 0, output: "" })
  })

  it("are written again byte by byte", async () => {
    for (const language of languages) {
      const prompt = `A list in ${language} called "${names[0]}"`
      expect(await makeProject(prompt)).toEqual(await makeProject(prompt))
    }
  })
})
