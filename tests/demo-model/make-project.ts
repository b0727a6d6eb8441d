import { execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { complete, type Message, type ModelRequest } from "@switchyard/core/models/provider"
import { PlanAnswer } from "@switchyard/core/work/workflow/plan/answer-schema"
import { requestSection } from "@switchyard/core/work/workflow/plan/quoted-text"
import { TaskPlan } from "@switchyard/core/work/workflow/schema"
import { createDemoProvider } from "@switchyard/demo-model"
import * as z from "zod"

export const demo = createDemoProvider({ paceMs: 0, sleep: async () => {} })

const signal = new AbortController().signal
const Written = z.object({ path: z.string(), content: z.string() })

export const coderTools = ["write_file", "read_file", "list_files"].map((name) => ({
  name,
  description: name,
  parameters: name === "write_file" ? Written : z.looseObject({}),
}))

export function ask(request: Partial<ModelRequest> & { content: string }) {
  const messages: Message[] = [{ role: "user", content: request.content }]
  return complete(demo, { model: "demo", system: "", messages, ...request }, { signal })
}

export interface MadeProject {
  plan: z.infer<typeof PlanAnswer>
  steps: TaskPlan["implementation_steps"]
  files: z.infer<typeof Written>[]
}

/** Requests a project as a workflow does: from a planner, an architect, then a coder for each file. */
export async function makeProject(prompt: string): Promise<MadeProject> {
  const request = requestSection(prompt)
  const planned = await ask({ content: request, output: { name: "plan", schema: PlanAnswer } })
  const plan = PlanAnswer.parse(JSON.parse(planned.text))
  const content = `${request}\n\nThe plan:\n${JSON.stringify(plan, null, 2)}`
  const designed = await ask({ content, output: { name: "task_plan", schema: TaskPlan } })
  const { implementation_steps: steps } = TaskPlan.parse(JSON.parse(designed.text))
  const files = []
  for (const { file_path, task_description } of steps) {
    const task = `File: ${file_path}\nTask: ${task_description}\n\nThe file does not exist at present.`
    const messages: Message[] = [{ role: "user", prefix: [request], content: task }]
    const { toolCalls } = await ask({ content: "", messages, tools: coderTools })
    files.push(Written.parse(toolCalls[0]?.args))
  }
  return { plan, steps, files }
}

/** Creates a folder. Call `remove` when the test file ends. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "demo-projects-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export function writeProject(folder: string, files: MadeProject["files"]): void {
  mkdirSync(folder, { recursive: true })
  for (const { path, content } of files) writeFileSync(join(folder, path), content)
}

export interface Ended {
  code: number
  output: string
}

/** Runs a command to its end and collects its output. */
export function run(
  command: string,
  args: string[],
  options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd: options.cwd, env: options.env, maxBuffer: 1e8 },
      (error, stdout, stderr) => {
        resolve({ code: error ? (typeof error.code === "number" ? error.code : -1) : 0, output: stdout + stderr })
      },
    )
    // A program that reads no input may have ended by now.
    child.stdin?.on("error", () => {})
    child.stdin?.end(options.input ?? "")
  })
}

/** Starts a server on any free port, and passes the address that it prints to `use`. */
export async function withServer(command: string, args: string[], cwd: string, use: (url: string) => Promise<void>) {
  const child = spawn(command, args, { cwd, env: { ...process.env, PORT: "0" }, stdio: ["ignore", "pipe", "inherit"] })
  const exited = new Promise((resolve) => child.once("exit", resolve))
  try {
    let output = ""
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      output += chunk
      if (output.includes("\n")) break
    }
    await use(output.match(/http:\S+/)?.[0] ?? `no address in: ${output}`)
  } finally {
    child.kill()
    await exited
  }
}

/** Processes a list, `width` items at a time. */
export async function pool<Item>(width: number, items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}
