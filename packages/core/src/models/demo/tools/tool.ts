import { type ModuleSource, pythonModuleTest, scriptFile, scriptModuleTest } from "../module.ts"
import type { Kind, Project, ProjectFile } from "../project.ts"
import { quoted, snake } from "../source.ts"

/** A topic that is one function from what people type to an answer: it makes a module, and a face for each kind. */
export interface Tool {
  title: string
  words: RegExp
  kind: Kind
  summary: string
  features: string[]
  /** The stem of its files, such as `text-stats`. */
  module: string
  /** The function's name in TypeScript and in Python. Its one argument is always text. */
  call: { script: string; python: string }
  /** What the text is called, and how a form asks for it. */
  input: { name: string; label: string; rows: 1 | 8 }
  /** The verb under which a server offers it. */
  route: string
  /** A text is shown as it is; a table is a flat record of numbers and texts. */
  shows: "text" | "table" | "html"
  /** One input with its answer, or only the answer's length where chance decides it. */
  example: { input: string } & ({ result: string | number | Record<string, string | number> } | { length: number })
  /** An input that it refuses, if there is one. */
  refuses?: string
  script: ModuleSource
  python: ModuleSource
  /** Faces of its own, for a tool that is more than its answer. */
  page?: { body(project: Project): string; start: string }
  cli?: { script: string; scriptTest: string; python: string; pythonTest: string }
}

/** What one kind of project adds to a tool's module. */
export interface ToolFace {
  feature(tool: Tool): string
  files(tool: Tool, project: Project): ProjectFile[]
  usage(tool: Tool, project: Project): string
}

/** The tool's module and the tests of it, with which every kind but a page begins. */
export function moduleFiles(tool: Tool, project: Project): ProjectFile[] {
  const purpose = `The heart of it: ${tool.call[project.language === "python" ? "python" : "script"]}().`
  const tests = "Tests for the module."
  if (project.language === "python") {
    const module = snake(tool.module)
    return [
      { path: `${module}.py`, purpose, content: tool.python.module },
      { path: `test_${module}.py`, purpose: tests, content: pythonModuleTest(module, tool.python) },
    ]
  }
  return [
    scriptFile(project.language, `${tool.module}.ts`, purpose, tool.script.module),
    scriptFile(project.language, `${tool.module}.test.ts`, tests, scriptModuleTest(tool.module, tool.script)),
  ]
}

/** The example as a line of a test: what `actual` must be. */
export function exampleCheck({ example }: Tool, actual: string, language: "script" | "python"): string {
  const [subject, wanted] =
    "length" in example
      ? [language === "python" ? `len(${actual})` : `${actual}.length`, String(example.length)]
      : [actual, literal(example.result, language)]
  if (language === "python") return `self.assertEqual(${subject}, ${wanted})`
  return wanted.startsWith("{") ? `assert.deepEqual(${subject}, ${wanted})` : `assert.equal(${subject}, ${wanted})`
}

/** A value as source text. Only the keys of a record differ: Python wants them quoted. */
export function literal(
  value: string | number | Record<string, string | number>,
  language: "script" | "python",
): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value === "number") return String(value)
  const python = language === "python"
  const parts = Object.entries(value).map(([key, part]) => `${python ? quoted(key) : key}: ${literal(part, language)}`)
  return python ? `{${parts.join(", ")}}` : `{ ${parts.join(", ")} }`
}
