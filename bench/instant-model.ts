import type { ModelProvider, ModelRequest } from "@switchyard/core/models/provider"
import { Plan } from "@switchyard/core/work/workflow/schema"
import {
  createScriptedProvider,
  type ScriptedAnswer,
  textAnswer,
  toolAnswer,
} from "../tests/fixtures/scripted-model.ts"

/** Creates a model that answers at once. It plans this many files, and writes each of them in one call. */
export function createInstantModel(files: number): ModelProvider {
  const paths = Array.from({ length: files }, (_, index) => pathOf(index))
  const plan = textAnswer(
    JSON.stringify({
      name: "Thing",
      description: "A thing that does something.",
      techstack: "TypeScript",
      features: ["It does something"],
      files: paths.map((path) => ({ path, purpose: `The purpose of ${path}.` })),
    }),
  )
  const tasks = textAnswer(
    JSON.stringify({
      implementation_steps: paths.map((path) => ({ file_path: path, task_description: `Write ${path} well.` })),
    }),
  )
  return createScriptedProvider(({ output, messages }): ScriptedAnswer => {
    if (output) return output.name === "plan" ? plan : tasks
    const path = /^(?:File|Repair): ([^,\n]+)/m.exec(messages[0]?.content ?? "")?.[1] ?? ""
    return toolAnswer("write_file", { path, content: textOf(path) })
  })
}

/** A run's requests, without the texts that a real run adds. */
export const planRequest = requestOf({ output: { name: "plan", schema: Plan } })
export const taskRequest = requestOf({ output: { name: "task_plan", schema: Plan } })

export function fileRequest(index: number): ModelRequest {
  return requestOf({ messages: [{ role: "user", content: `File: ${pathOf(index)}` }] })
}

function requestOf(asked: Partial<ModelRequest>): ModelRequest {
  return { model: "instant", system: "", messages: [], ...asked }
}

function pathOf(index: number): string {
  return `src/file-${index}.ts`
}

/** Returns two kilobytes, the size of an average file. */
function textOf(path: string): string {
  return `// ${path}\n${"export const line = 'some words of code'\n".repeat(50)}`
}
