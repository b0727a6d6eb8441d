import type { ModelProvider, ModelRequest } from "@switchyard/core/models/provider"
import { createScriptedProvider, type ScriptedAnswer, textAnswer, toolAnswer } from "../fixtures/scripted-model.ts"

export const SMALL = ["a.ts", "b.ts"]
export const SMALL_MODEL = "scripted/small"
export const SMALL_WHOLE = Object.fromEntries(SMALL.map((path) => [path, `// ${path}\n`]))

/** Creates a model in this process that plans and writes two files, unless `turn` returns another answer. */
export function smallModel(
  turn: (subject: string, index: number) => ScriptedAnswer | undefined = () => undefined,
): ModelProvider & { requests: ModelRequest[] } {
  return createScriptedProvider((request, index) => turn(subjectOf(request), index) ?? usual(request))
}

/** Returns the subject of a request: the plan, the tasks, or a file's path. */
function subjectOf({ output, messages }: ModelRequest): string {
  if (output) return output.name
  return /^(?:File|Repair): (.+)$/m.exec(messages[0]?.content ?? "")?.[1] ?? "nothing"
}

function usual(request: ModelRequest): ScriptedAnswer {
  const subject = subjectOf(request)
  if (subject === "plan") return textAnswer(JSON.stringify(plan))
  if (subject === "task_plan") return textAnswer(JSON.stringify(tasks))
  return toolAnswer("write_file", { path: subject, content: SMALL_WHOLE[subject] }, `I write ${subject}.`)
}

const plan = {
  name: "Thing",
  description: "A thing.",
  techstack: "TypeScript",
  features: ["It does something."],
  files: SMALL.map((path) => ({ path, purpose: `The purpose of ${path}.` })),
}

const tasks = { implementation_steps: SMALL.map((path) => ({ file_path: path, task_description: `Write ${path}.` })) }
