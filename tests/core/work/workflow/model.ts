import type { ModelRequest } from "@switchyard/core/models/provider"
import type { Plan } from "@switchyard/core/work/workflow/schema"
import {
  createScriptedProvider,
  type ScriptedAnswer,
  textAnswer,
  toolAnswer,
} from "../../../fixtures/scripted-model.ts"

export function planOf(paths: string[]): Plan {
  return {
    name: "Thing",
    description: "A thing that does something.",
    techstack: "TypeScript",
    features: ["It does something"],
    files: paths.map((path) => ({ path, purpose: `The purpose of ${path}.`, action: "create" })),
  }
}

export function tasksOf(paths: string[]) {
  return { implementation_steps: paths.map((path) => ({ file_path: path, task_description: `Write ${path} well.` })) }
}

export function contentOf(path: string): string {
  return path.endsWith(".json") ? "{}\n" : `// ${path}\n`
}

/** Returns the subject of a request: the plan, the tasks, the review, the file to write, or the files of a repair. */
export function subjectOf({ output, messages, tools = [] }: ModelRequest): string {
  if (output) return output.name
  // The planner can read files, but can't write them.
  const names = tools.map(({ name }) => name)
  if (names.includes("read_file") && !names.includes("write_file")) return "plan"
  if (messages[0]?.content.startsWith("Review: ")) return "review"
  return /^(?:File|Repair): (.+)$/m.exec(messages[0]?.content ?? "")?.[1] ?? "nothing"
}

/** Returns the last message of a request, from a person, the model or a tool. */
export function lastMessage({ messages }: ModelRequest) {
  return messages.at(-1) ?? { role: "user" as const, content: "" }
}

type Turn = (request: ModelRequest) => ScriptedAnswer | undefined

/** Creates a model that plans these files and writes each in one call, unless `turn` returns another answer. */
export function modelFor(paths: string[], turn: Turn = () => undefined) {
  return createScriptedProvider((request) => turn(request) ?? usualAnswer(paths, request))
}

function usualAnswer(paths: string[], request: ModelRequest): ScriptedAnswer {
  const subject = subjectOf(request)
  if (subject === "plan") return textAnswer(JSON.stringify(planOf(paths)))
  if (subject === "task_plan") return textAnswer(JSON.stringify(tasksOf(paths)))
  if (subject === "review") return textAnswer('{"findings": []}')
  return toolAnswer("write_file", { path: subject, content: contentOf(subject) })
}
