import type { RecordedRequest, Turn } from "../fixtures/model-server/script.ts"

export const FILES = ["index.html", "style.css", "src/main.js", "src/list.js", "src/store.js", "test.js", "README.md"]
export const MODEL = "groq/openai/gpt-oss-120b"

/** Returns comments in the file's language, so that checks find no error. */
function contentOf(path: string): string {
  const [begin, end] = path.endsWith(".html") ? ["<!-- ", " -->"] : path.endsWith(".css") ? ["/* ", " */"] : ["// ", ""]
  return Array.from({ length: 40 }, (_, line) => `${begin}${path}, line ${line}${end}\n`).join("")
}

export const WHOLE: Record<string, string> = Object.fromEntries(FILES.map((path) => [path, contentOf(path)]))

/** The files in a zip of a run that had no check. */
export const ZIPPED = { ...WHOLE, "README.md": `${WHOLE["README.md"]}\n**Switchyard check:** not run.\n` }

/** Returns the subject of a request: the plan, the tasks, or a file's path. */
export function subjectOf({ body }: Pick<RecordedRequest, "body">): string {
  const format = body.response_format?.json_schema?.name
  if (format) return format
  const asked = body.messages.find(({ role }: { role: string }) => role === "user")?.content ?? ""
  return /^(?:File|Repair): (.+)$/m.exec(asked)?.[1] ?? "nothing"
}

/** A model that plans the seven files and writes each with one call. The plan is too large for a record of the log. */
export function projectTurn(request: Pick<RecordedRequest, "body">): Turn {
  const subject = subjectOf(request)
  if (subject === "plan") return { json: plan }
  if (subject === "task_plan") return { json: tasks }
  const call = { name: "write_file", args: { path: subject, content: contentOf(subject) } }
  return { text: ["I ", "write ", `${subject}.`], toolCalls: [call] }
}

const plan = {
  name: "List",
  description: "A list of things. ".repeat(2000),
  techstack: "JavaScript",
  features: ["It lists things."],
  files: FILES.map((path) => ({ path, purpose: `The purpose of ${path}.` })),
}

const tasks = {
  implementation_steps: FILES.map((path) => ({ file_path: path, task_description: `Write ${path} well.` })),
}

/** Returns the step that commits a file. */
export function stepOf(path: string): string {
  return `coder:${FILES.indexOf(path)}:${path}`
}
