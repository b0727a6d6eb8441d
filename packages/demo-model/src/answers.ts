import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import { projectFiles } from "./assemble.ts"
import { readIntent } from "./intent.ts"
import type { Project, ProjectFile } from "./project.ts"
import { madeBy } from "./readme.ts"
import { readRecipeLine, recipeLine } from "./recipe-line.ts"
import { recipes } from "./topics/registry.ts"

export interface Answer {
  text: string
  /** The one call of `write_file` that a coder's turn is about. */
  write?: { path: string; content: string }
}

/** The demo model's answer to a request. It knows the questions of the three workflow nodes, and says so to any other. */
export function answerTo(request: ModelRequest): Answer {
  const { messages, output, tools } = request
  if (messages.at(-1)?.role === "tool") return { text: afterTool(messages) }
  const asked = messages.findLast((message) => message.role === "user")?.content ?? ""
  if (output?.name === "plan") return { text: plan(asked) }
  if (output?.name === "task_plan") return { text: taskPlan(asked) }
  if (output === undefined && tools?.some((tool) => tool.name === "write_file")) return code(asked)
  return { text: whatIAm }
}

const whatIAm =
  "I am Switchyard's scripted demo model. I plan and write small projects by rule and can do nothing else; set a model key to talk to a real model."

/** The plan carries the recipe line in its description, for the next call to find. */
function plan(asked: string): string {
  const { project, unsupported } = readIntent(userRequest(asked))
  const recipe = recipes[project.topic]
  const instead = unsupported ? [`The demo writes no ${unsupported}, so this is ${techStacks[project.language]}.`] : []
  return json({
    name: project.name,
    description: [recipe.summary, ...instead, madeBy, recipeLine(project)].join(" "),
    techstack: techStacks[project.language],
    features: [...recipe.features(project.kind), "Tests that run without installing anything"],
    files: projectFiles(project).map(({ path, purpose }) => ({ path, purpose })),
  })
}

const techStacks = {
  typescript: "TypeScript on Node.js 24, no dependencies",
  javascript: "JavaScript on Node.js 20, no dependencies",
  python: "Python 3.9, standard library only",
} satisfies Record<Project["language"], string>

/** The text after the last marker, without the fence that it may stand in. */
function userRequest(asked: string): string {
  return textAfter(asked, "User request:")
    .replace(/^\n`{3,}\n/, "")
    .replace(/\n`{3,}\s*$/, "")
}

function textAfter(text: string, marker: string): string {
  const at = text.lastIndexOf(marker)
  return at < 0 ? text : text.slice(at + marker.length)
}

/** One task per file, in the project's own order: the package file and README come last. */
function taskPlan(asked: string): string {
  const project = readRecipeLine(textAfter(asked, "The plan:"))
  if (!project) return whatIAm
  const steps = projectFiles(project).map(({ path, purpose }) => ({
    file_path: path,
    task_description: `${purpose} ${recipeLine(project)}`,
  }))
  return json({ implementation_steps: steps })
}

function code(asked: string): Answer {
  const project = readRecipeLine(asked)
  const path = /^File:(.*)$/m.exec(asked)?.[1]?.trim()
  const file = project && projectFiles(project).find((file) => file.path === path)
  if (!file) return { text: whatIAm }
  return { text: `Writing ${file.path}. ${file.purpose}`, write: { path: file.path, content: file.content } }
}

function afterTool(messages: Message[]): string {
  const written = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : [])).at(-1)
  const result = messages.at(-1)
  const path = (written?.args as Partial<ProjectFile> | undefined)?.path ?? "The file"
  const failed = result?.role === "tool" && (result.isError || result.content.startsWith("ERROR:"))
  return failed ? `${path} could not be written: ${result.content}` : `${path} is written.`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
