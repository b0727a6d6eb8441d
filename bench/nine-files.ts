import type { ModelProvider, ModelRequest } from "@switchyard/core/models/provider"
import { userTexts } from "@switchyard/core/models/provider"
import { systemClock } from "@switchyard/core/time"
import {
  createScriptedProvider,
  type ScriptedAnswer,
  textAnswer,
  toolAnswer,
} from "../tests/fixtures/scripted-model.ts"
import { type Line, type Question, timed } from "./measure.ts"
import { newStage, signal } from "./stage.ts"
import { workflowRun } from "./workflow.ts"

const FILES = 9
const FILE_MS = 2000
/** Estimate of a token's length. */
const CHARS_PER_TOKEN = 4
/**
 * About 700 tokens per file. A run of nine files that was answered by hand had 8,200 in all, with its plan and tasks.
 */
const LINES_PER_FILE = 48

export const nineFiles: Question = {
  asks: "What does a model read for a project of nine files, and how long is it waited for?",
  answer: async () => [...(await tokens()), ...(await times())],
}

async function tokens(): Promise<Line[]> {
  await using stage = await newStage()
  const { provider, requests } = mind({ dependsOn: undefined })
  await workflowRun(stage, provider, { filesAtOnce: 1 })
  const texts = requests.map(textOf)
  const total = sum(texts.map(({ length }) => length)) / CHARS_PER_TOKEN
  const repeated = sum(texts.map((text, index) => longestPrefix(text, texts.slice(0, index)))) / CHARS_PER_TOKEN
  const fresh = total - repeated
  return [
    { what: "requests", unit: "times", value: requests.length, target: { of: "value", atMost: 12 } },
    { what: "prompt tokens", unit: "tokens", value: total, target: { of: "value", atMost: 50_000 } },
    {
      ...{ what: "prompt tokens with which no earlier request began", unit: "tokens", value: fresh },
      ...{ baseline: { what: "all prompt tokens", value: total }, ratio: fresh / total },
      target: { of: "ratio", atMost: 0.2 },
    },
  ]
}

async function times(): Promise<Line[]> {
  const of = (how: string) => `independent files at a model of 2 s a file, ${how}`
  const baseline = { what: "one after the other", value: await timeOf({ filesAtOnce: 1 }) }
  const three = await timeOf({ filesAtOnce: 3 })
  const usual = await timeOf({})
  return [
    { what: of("3 at once"), unit: "ms", value: three, baseline, ratio: three / baseline.value },
    {
      ...{ what: of("as many at once as usual"), unit: "ms", value: usual, baseline, ratio: usual / baseline.value },
      target: { of: "ratio", atMost: 0.333 },
    },
  ]
}

async function timeOf(options: { filesAtOnce?: number }): Promise<number> {
  await using stage = await newStage()
  const { provider } = mind({ dependsOn: [], fileMs: FILE_MS })
  return await timed(() => workflowRun(stage, provider, options))
}

/** Creates a model that plans nine files and writes each in one call. */
function mind({ dependsOn, fileMs = 0 }: { dependsOn: string[] | undefined; fileMs?: number }): {
  provider: ModelProvider
  requests: ModelRequest[]
} {
  const paths = Array.from({ length: FILES }, (_, index) => `src/part-${index}.js`)
  const plan = {
    ...{ name: "Notes", description: "Takes notes, previews them and finds them again.", techstack: "JavaScript" },
    features: ["Notes are created", "Notes are previewed", "Notes are found"],
    files: paths.map((path) => ({ path, purpose: `The purpose of ${path}, in a sentence.`, depends_on: dependsOn })),
  }
  const steps = paths.map((path) => ({
    file_path: path,
    task_description: `Write ${path}: ${"what it exports, by which names, and how it behaves at the edges. ".repeat(8)}`,
  }))
  const provider = createScriptedProvider(({ output, messages }): ScriptedAnswer => {
    if (output?.name === "plan") return textAnswer(JSON.stringify(plan))
    if (output) return textAnswer(JSON.stringify({ implementation_steps: steps }))
    const path = /^(?:File|Repair): ([^,\n]+)/m.exec(messages[0]?.content ?? "")?.[1] ?? ""
    const write = toolAnswer("write_file", { path, content: contentOf(path) })
    return fileMs > 0 ? [systemClock.sleep(fileMs, { signal }), ...write] : write
  })
  return { provider, requests: provider.requests }
}

function contentOf(path: string): string {
  const name = path.replace(/\W/g, "_")
  const lines = Array.from({ length: LINES_PER_FILE }, (_, line) => `export const ${name}_${line} = "what it is worth"`)
  return `${lines.join("\n")}\n`
}

/** Returns a request as the provider's cache sees it: the tools, then the system prompt, then the messages. */
function textOf({ tools = [], system, messages }: ModelRequest): string {
  const said = messages.map((message) => (message.role === "user" ? userTexts(message).join("") : message.content))
  return [...tools.map(({ name, description }) => `${name} ${description}`), system, ...said].join("\n")
}

function longestPrefix(text: string, earlier: string[]): number {
  return Math.max(0, ...earlier.map((other) => commonLength(text, other)))
}

function commonLength(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
