import { type Message, type ModelRequest, type UserMessage, userTexts } from "@switchyard/core/models/provider"
import type { Answer } from "./answer.ts"
import { chatAnswer, topicAnswer } from "./chat.ts"
import { commitMessage } from "./commit-message.ts"
import { readFollowUp } from "./follow-up.ts"
import { changedText, plannedFiles, readRequest } from "./planned-files.ts"
import { type DemoRequest, presentFiles, requestIn, textIn } from "./present-files.ts"
import type { Project } from "./project.ts"
import { projectFiles } from "./project-files.ts"
import { readRecord } from "./project-record.ts"
import { madeBy } from "./readme.ts"
import { teamAnswer } from "./team.ts"
import { recipeOf } from "./topics/registry.ts"

/**
 * Answers the three workflow nodes, the chat and teams. Each answer depends only on the request and its files. Throws a
 * `ModelError` if the demo can't build the project.
 */
export function answerTo(request: ModelRequest): Answer {
  const { messages, output, tools } = request
  const question = messages.find((message) => message.role === "user")
  const asked = question ? userTexts(question).join("") : ""
  if (tools?.some(({ name }) => name === "finish" || name === "publish")) return teamAnswer(request)
  if (output?.name === "plan") return { text: plan(asked) }
  if (output?.name === "topic") return { text: topicAnswer(asked) }
  if (output?.name === "task_plan") return { text: taskPlan(asked) }
  const isCoder = output === undefined && tools?.some((tool) => tool.name === "write_file")
  if (question && isCoder) return code(question, messages)
  if (request.system.startsWith("You write the message of a git commit")) return { text: commitMessage(asked) }
  return { text: isChat(request) ? chatAnswer(request) : whatIAm }
}

/** Only the chat requests text without tools. */
function isChat({ output, tools = [], system }: ModelRequest): boolean {
  return output === undefined && tools.length === 0 && system.includes(">>>> EDIT END")
}

const whatIAm =
  "I am Switchyard's scripted demo model. I plan and write small projects by fixed rules and can't do anything else; set a model key to talk to a real model."

function plan(asked: string): string {
  const { project, files, isNew } = plannedFiles(requestIn(asked), presentFiles(asked))
  const recipe = recipeOf(project)
  return json({
    name: project.name,
    description: isNew
      ? `${recipe.summary} ${madeBy}`
      : `Changes ${project.name} and leaves its other files unchanged.`,
    techstack: techStacks[project.language],
    features: [...recipe.features(project.kind), "Tests that run without installing anything"],
    files: files.map(({ path, purpose }) => ({
      ...{ path, action: isNew ? "create" : "change", to: null, purpose },
      depends_on: testedBy(path, files),
    })),
  })
}

/** Returns the file under test, if it's planned too. */
function testedBy(path: string, files: { path: string }[]): string[] {
  const subject = path.replace(/^test_/, "").replace(".test.", ".")
  return subject !== path && files.some((file) => file.path === subject) ? [subject] : []
}

const techStacks = {
  typescript: "TypeScript on Node.js 24, no dependencies",
  javascript: "JavaScript on Node.js 20, no dependencies",
} satisfies Record<Project["language"], string>

/** Returns one task per file. The package file and README come last. */
function taskPlan(asked: string): string {
  const { files, isNew } = plannedFiles(requestIn(asked), presentFiles(asked))
  const steps = files.map(({ path, purpose }) => ({
    file_path: path,
    task_description: isNew ? purpose : `Change what the request is about, and nothing else. ${purpose}`,
  }))
  return json({ implementation_steps: steps })
}

/** Writes a file of a new project. For a follow-up, first reads the README, which contains the project record. */
function code({ prefix = [], content }: UserMessage, messages: Message[]): Answer {
  const [, path = ""] = /^(?:File|Repair): ([^,\n]*)/.exec(content) ?? []
  const request = requestIn(prefix.join("\n\n"))
  const results = messages.filter((message) => message.role === "tool").map((message) => message.content)
  const project = readRequest(request).project
  const file = project && projectFiles(project).find((file) => file.path === path)
  const [record, ...others] = file ? ["", ...results] : results
  if (others.length > 0) return { text: `${path} couldn't be written: ${others.at(-1)}` }
  if (file) return writing(path, file.content, file.purpose)
  if (record === undefined) {
    const call = { name: "read_file", args: { path: "README.md" } } as const
    return { text: "README.md says how this project was made.", calls: [call] }
  }
  const text = changed(path, request, record, textIn(content) ?? "")
  return text === undefined ? { text: whatIAm } : writing(path, text, "It changes only where the request wants it.")
}

function changed(path: string, { prompt, elements }: DemoRequest, readme: string, present: string): string | undefined {
  const from = readRecord(readme)
  const to = from && readFollowUp(prompt, from, elements).project
  return to && changedText(path, present, from, to)
}

function writing(path: string, content: string, why: string): Answer {
  return { text: `Writing ${path}. ${why}`, calls: [{ name: "write_file", args: { path, content } }] }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
