import type { EventOf } from "@switchyard/core/events"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { userTexts } from "@switchyard/core/models/provider"
import { checkProject } from "@switchyard/core/work/checks/check-project"
import type { PlannedFile } from "@switchyard/core/work/workflow/schema"
import { expect } from "vitest"
import { subjectOf } from "../core/work/workflow/model.ts"
import { openStudio } from "../core/work/workflow/studio.ts"
import { createScriptedProvider, type ScriptedAnswer, textAnswer, toolAnswer } from "../fixtures/scripted-model.ts"

/** Small correct project that the model writes when it makes no mistakes. */
export const PROJECT: Record<string, string> = {
  "package.json": `${JSON.stringify(
    { name: "notes", type: "module", scripts: { start: "node app.js", test: "node --test" } },
    null,
    2,
  )}\n`,
  "store.js": `const notes = []

/** All notes, the newest first. */
export function list() {
  return [...notes].reverse()
}

export function add(text) {
  if (text.trim() === "") throw new Error("A note needs a text.")
  notes.push({ text, at: new Date().toISOString() })
}
`,
  "app.js": `import { add, list } from "./store.js"

for (const text of process.argv.slice(2)) add(text)
for (const note of list()) console.log(note.text)
`,
  "README.md": "# Notes\n\nTakes notes: `npm start -- milk bread`. The tests run with `npm test`.\n",
}

export type Turn = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer)

/** A model's faulty first answers about each subject (`plan`, `task_plan`, or a file). Later answers are correct. */
export type Slips = Record<string, Turn[]>

export interface Scenario {
  slips?: Slips
  /** Files that exist before the run. */
  present?: Record<string, string>
  /** Files that the model finally writes, instead of `PROJECT`. */
  project?: Record<string, string>
  /** Files that the model plans. By default, all files of its project. */
  plan?: PlannedFile[]
  request?: string
  /** If true, a final request compares the files with the user's request. */
  review?: boolean
}

export interface Played {
  status: string
  message: string
  files: Record<string, string>
  requests: ModelRequest[]
  /** Estimate at four characters per token. */
  tokens: number
  summaries: string[]
  /** Completed and failed reviews. */
  reviews: EventOf<"files_reviewed">[]
}

/** Plays one run of the workflow on real stores. Fails if the run completes with a broken or missing file. */
export async function play({
  slips = {},
  present = {},
  project = PROJECT,
  plan,
  request,
  review,
}: Scenario): Promise<Played> {
  await using studio = await disposable()
  const files: PlannedFile[] =
    plan ?? Object.keys(project).map((path) => ({ path, purpose: `The purpose of ${path}.`, depends_on: [] }))
  const written = files.filter(({ action }) => action !== "delete").map(({ path, to }) => to ?? path)
  const left = new Map(Object.entries(slips).map(([subject, turns]) => [subject, [...turns]]))
  const provider = createScriptedProvider((asked) => {
    const subject = subjectOf(asked)
    const turn = left.get(subject)?.shift()
    const slip = typeof turn === "function" ? turn(asked) : turn
    return slip ?? honest(subject, files, written, project)
  })
  if (Object.keys(present).length > 0) await studio.write(present)
  const runId = await studio.start({ user_prompt: request ?? "Make notes for the terminal." })
  await studio.execute(runId, provider, { review })
  const { status } = await studio.run(runId)
  const [failure] = await studio.eventsOf("run_failed")
  const result = await studio.files()
  if (status === "completed") {
    const before = await checkProject(new Map(Object.entries(present)))
    const faults = await checkProject(new Map(Object.entries(result)))
    expect(faults.filter((fault) => !before.some(({ message }) => message === fault.message))).toEqual([])
    expect(Object.keys(result)).toEqual(expect.arrayContaining(written))
  }
  return {
    status,
    message: failure?.message ?? "",
    files: result,
    requests: provider.requests,
    tokens: Math.round(provider.requests.map(lengthOf).reduce((sum, length) => sum + length, 0) / 4),
    reviews: await studio.eventsOf("files_reviewed"),
    summaries: (await studio.eventsOf("tool_call_finished")).map(({ llm_summary }) => llm_summary),
  }
}

async function disposable() {
  const studio = await openStudio()
  return { ...studio, [Symbol.asyncDispose]: () => studio.close() }
}

function honest(
  subject: string,
  files: PlannedFile[],
  written: string[],
  project: Record<string, string>,
): ScriptedAnswer {
  const about = { name: "Notes", description: "Takes notes.", techstack: "JavaScript", features: ["It takes notes"] }
  if (subject === "plan") return textAnswer(JSON.stringify({ ...about, files }))
  if (subject === "task_plan") {
    const steps = written.map((path) => ({ file_path: path, task_description: `Write ${path} as planned.` }))
    return textAnswer(JSON.stringify({ implementation_steps: steps }))
  }
  if (subject === "review") return textAnswer(JSON.stringify({ findings: [] }))
  return write(subject, project[subject] ?? `# ${subject}\n`)
}

/** Returns the turn `count` times. */
export function times(count: number, turn: Turn): Turn[] {
  return Array.from({ length: count }, () => turn)
}

export function write(path: string, content: unknown): ScriptedAnswer {
  return toolAnswer("write_file", { path, content })
}

/** Returns an answer that reached the output limit in the middle of a call. */
export function cutCall(path: string): ScriptedAnswer {
  const rawArguments = `{"path": "${path}", "content": "const half = `
  return [
    { type: "tool_call", call: { id: "cut", name: "write_file", args: undefined, rawArguments } },
    { type: "end", stopReason: "max_tokens" },
  ]
}

/** Returns a text that reached the output limit. */
export function cutText(text: string): ScriptedAnswer {
  return [
    { type: "text", text },
    { type: "end", stopReason: "max_tokens" },
  ]
}

export function refusal(text: string): ScriptedAnswer {
  return [
    { type: "text", text },
    { type: "end", stopReason: "refusal", reason: text },
  ]
}

function lengthOf({ system, messages }: ModelRequest): number {
  return JSON.stringify([system, messages.map((message) => (message.role === "user" ? userTexts(message) : message))])
    .length
}
