import type { RecordedRequest, Turn } from "../fixtures/model-server/script.ts"

export const FILES = ["index.html", "style.css", "src/main.js", "src/list.js", "src/store.js", "test.js", "README.md"]
export const MODEL = "groq/openai/gpt-oss-120b"

/** Lines that are comments in the file's language, so that nothing is wrong with it. */
function contentOf(path: string): string {
  const [begin, end] = path.endsWith(".html") ? ["<!-- ", " -->"] : path.endsWith(".css") ? ["/* ", " */"] : ["// ", ""]
  return Array.from({ length: 40 }, (_, line) => `${begin}${path}, line ${line}${end}\n`).join("")
}

export const WHOLE: Record<string, string> = Object.fromEntries(FILES.map((path) => [path, contentOf(path)]))

/** The same as a zip has it, of a run that nothing was run for. */
export const ZIPPED = { ...WHOLE, "README.md": `${WHOLE["README.md"]}\n**Switchyard check:** not run.\n` }

/** What the model is asked for: the plan, the tasks, or a file. */
export function subjectOf({ body }: Pick<RecordedRequest, "body">): string {
  const format = body.response_format?.json_schema?.name
  if (format) return format
  const asked = body.messages.find(({ role }: { role: string }) => role === "user")?.content ?? ""
  return /^(?:File|Repair): (.+)$/m.exec(asked)?.[1] ?? "nothing"
}

/** A model that plans the seven files and writes each of them in one call. Its plan is too large to stand in a log. */
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

/** The step under which a file is committed. */
export function stepOf(path: string): string {
  return `coder:${FILES.indexOf(path)}:${path}`
}
