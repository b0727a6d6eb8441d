import { stripTypeScriptTypes } from "node:module"
import { ModelError } from "@switchyard/core/models/errors"
import { readIntent } from "@switchyard/demo-model/intent"
import { plannedFiles } from "@switchyard/demo-model/planned-files"
import { languages, type Project, type ProjectFile } from "@switchyard/demo-model/project"
import { projectFiles } from "@switchyard/demo-model/project-files"
import { phrases } from "@switchyard/demo-model/prompt-words"
import { transform } from "esbuild"
import fc from "fast-check"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { hostilePrompts } from "./hostile-prompts.ts"
import { makeProject } from "./make-project.ts"

// Stripping types is experimental in Node, which prints a warning.
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
  ...["due date", "teal", "and", ",", ".", "typescript", "command line", "constructor", "class", "🎉", "`"],
]

/** Prompts made of any characters, of hostile pieces, and of words that the demo knows. */
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

/** Follow-up requests, some with random names. */
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

const fileName = /^[a-z0-9_-]+(\.test)?\.(ts|js|json|html|css|md)$|^README\.md$/

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

/**
 * Returns the files that a prompt changes, or undefined if the demo refuses it with a message for people. Throws any
 * other error.
 */
function workOrRefusal(prompt: string, texts = new Map<string, string>()) {
  try {
    return plannedFiles({ prompt, elements: [] }, { texts, hasAny: texts.size > 0 })
  } catch (error) {
    if (!(error instanceof ModelError && error.isBeyondDemo)) throw error
    expect(error.message).toMatch(/^The demo (?:can't build |can build “|didn't change anything: )/)
    expect(error.message.isWellFormed()).toBe(true)
    expect(error.message.length).toBeLessThan(1200)
    return undefined
  }
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
    is, in, for, if, not, and, try, yield, starter, starters
  `)

  it.for(languages)("make sound projects in %s", async (language) => {
    const prompts = words.map((word) => `A REST API for spaceships in ${language} with fields ${word}`)
    const made = prompts.map((prompt) => workOrRefusal(prompt)).filter((work) => work !== undefined)
    expect(made.length).toBeGreaterThan(10)
    for (const { project, files } of made) await expectSound(project, files)
  })
})

describe("projects with odd names", () => {
  it("are written again byte by byte", async () => {
    for (const language of languages) {
      const prompt = `A list in ${language} called "class import def None"`
      expect(await makeProject(prompt)).toEqual(await makeProject(prompt))
    }
  })
})
