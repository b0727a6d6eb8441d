import type { Language, Project, ProjectFile } from "./project.ts"
import { recordOf } from "./project-record.ts"
import { recipeFiles } from "./recipe-files.ts"
import { substitute } from "./substitute.ts"

export const madeBy =
  "Made by rule by Switchyard's scripted demo model, not by a language model; set a model key to work with a real one."

export interface ReadmeParts {
  summary: string
  /** Markdown. */
  usage: string
  files: ProjectFile[]
}

/** Ends with the project's record, for the next prompt to find. */
export function readme(project: Project, { summary, usage, files }: ReadmeParts): ProjectFile {
  const { name, language } = project
  const content = substitute(recipeFiles["project/README.md"] ?? "", {
    "Sample Project": name,
    "A project that is an example.": summary,
    "Node.js 24": needs[language],
    "Start it.": usage,
    "npm test": language === "python" ? "python3 -m unittest" : "npm test",
    "- `sample.ts`: An example.": files.map(({ path, purpose }) => `- \`${path}\`: ${purpose}`).join("\n"),
    "Made by rule.": `${madeBy}\n\n${recordOf(project)}`,
  })
  return { path: "README.md", purpose: "Says what the project does, how to start it and how to test it.", content }
}

const needs = { typescript: "Node.js 24", javascript: "Node.js 20", python: "Python 3.9" } satisfies Record<
  Language,
  string
>
