import { fill } from "./fill.ts"
import type { Language, ProjectFile } from "./project.ts"
import { recipeFiles } from "./recipe-files.ts"

export const madeBy =
  "Made by rule by Switchyard's scripted demo model, not by a language model; set a model key to work with a real one."

export interface ReadmeParts {
  name: string
  summary: string
  /** Markdown. */
  usage: string
  language: Language
  files: ProjectFile[]
}

export function readme({ name, summary, usage, language, files }: ReadmeParts): ProjectFile {
  const content = fill(recipeFiles["project/README.md"] ?? "", {
    "Sample Project": name,
    "A project that is an example.": summary,
    "Node.js 24": needs[language],
    "Start it.": usage,
    "npm test": language === "python" ? "python3 -m unittest" : "npm test",
    "- `sample.ts`: An example.": files.map(({ path, purpose }) => `- \`${path}\`: ${purpose}`).join("\n"),
    "Made by rule.": madeBy,
  })
  return { path: "README.md", purpose: "Says what the project does, how to start it and how to test it.", content }
}

const needs = { typescript: "Node.js 24", javascript: "Node.js 20", python: "Python 3.9" } satisfies Record<
  Language,
  string
>
