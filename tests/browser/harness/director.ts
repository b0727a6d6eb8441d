import type { ModelEvent, ModelProvider, ModelRequest } from "@switchyard/core/models/provider"
import { createScriptedProvider, streamedToolAnswer, textAnswer } from "../../fixtures/scripted-model.ts"

/** Files that the model builds by default. */
export const FILES: Record<string, string> = {
  "index.html": "<!doctype html>\n<title>List</title>\n<ul></ul>\n",
  "src/main.ts": 'import { add } from "./list.ts"\n\nadd("milk")\n',
  "src/list.ts": "export const items: string[] = []\n\nexport function add(item: string) {\n  items.push(item)\n}\n",
  "src/views/item.tsx": "export const Item = ({ text }: { text: string }) => <li>{text}</li>\n",
  "style.css": "ul {\n  padding: 0;\n}\n",
  "package.json": '{ "name": "list", "type": "module" }\n',
  "README.md": "# List\n\nA list of things.\n",
}

export interface Hold {
  /** Resolves when the model has been asked and waits. */
  reached: Promise<void>
  release(): void
}

export interface Director {
  provider: ModelProvider
  /**
   * Makes the next answer about a subject wait until its release. A subject is `plan`, `task_plan` or a file's path.
   */
  hold(subject: string): Hold
  /** Makes the next answer about a file wait in the middle. */
  holdWithin(path: string): Hold
  /** Makes the coder edit this file instead of writing it, from now on. */
  edit(path: string, edits: { search: string; replace: string }[]): void
  /** Makes all answers about a subject fail with this error. */
  fail(subject: string, error: Error): void
  /** Removes all failures. */
  mend(): void
  /** Sets the files that the next runs build, the plan's text, and the project's name. */
  build(files: Record<string, string>, words?: string, name?: string): void
  requests: ModelRequest[]
}

interface Gate {
  reached: PromiseWithResolvers<void>
  released: PromiseWithResolvers<void>
  isWithin: boolean
}

/** Creates a model whose answers, failures and pauses a test controls. */
export function createDirector(): Director {
  let files = FILES
  let words = "I read the task and write the whole file, without placeholders. "
  let project = "List"
  const holds = new Map<string, Gate>()
  const failures = new Map<string, Error>()
  const edits = new Map<string, object[]>()
  const provider = createScriptedProvider((request) => {
    const subject = subjectOf(request)
    const failure = failures.get(subject)
    if (failure) return failure
    const answer = answerTo(subject, { files, words, project, edits })
    const hold = holds.get(subject)
    if (!hold) return answer
    holds.delete(subject)
    const at = hold.isWithin ? answer.findLastIndex(({ type }) => type === "tool_call_delta") / 2 + 1 : 0
    hold.reached.resolve()
    return [...answer.slice(0, at), hold.released.promise, ...answer.slice(at)]
  })

  function hold(subject: string, isWithin: boolean): Hold {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    holds.set(subject, { reached, released, isWithin })
    return { reached: reached.promise, release: released.resolve }
  }

  return {
    provider,
    requests: provider.requests,
    hold: (subject) => hold(subject, false),
    edit: (path, made) => void edits.set(path, made),
    holdWithin: (path) => hold(path, true),
    fail: (subject, error) => void failures.set(subject, error),
    mend: () => failures.clear(),
    build: (next, said = words, name = project) => {
      files = next
      words = said
      project = name
    },
  }
}

function subjectOf({ output, messages }: ModelRequest): string {
  if (output) return output.name
  return /^(?:File|Repair): (.+)$/m.exec(messages[0]?.content ?? "")?.[1] ?? "nothing"
}

interface Answers {
  files: Record<string, string>
  words: string
  project: string
  edits: Map<string, object[]>
}

function answerTo(subject: string, { files, words, project, edits }: Answers): ModelEvent[] {
  const paths = Object.keys(files)
  if (subject === "plan") {
    const plan = {
      name: project,
      description: words,
      techstack: "TypeScript",
      features: ["It lists things."],
      files: paths.map((path) => ({ path, purpose: `The purpose of ${path}.` })),
    }
    return textAnswer(JSON.stringify(plan))
  }
  if (subject === "task_plan") {
    const steps = paths.map((path) => ({ file_path: path, task_description: `Write ${path} well.` }))
    return textAnswer(JSON.stringify({ implementation_steps: steps }))
  }
  const said = words.match(/\S+\s*/g) ?? []
  const made = edits.get(subject)
  const call = made
    ? { name: "edit_file", args: { edits: made } }
    : { name: "write_file", args: { content: files[subject] ?? "" } }
  return [
    ...said.map((text): ModelEvent => ({ type: "text", text })),
    ...streamedToolAnswer(call.name, { path: subject, ...call.args }),
  ]
}
