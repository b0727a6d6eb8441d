import { randomBytes } from "node:crypto"
import { isAppError } from "@switchyard/core/errors"
import { expect } from "vitest"
import type { RecordedRequest, Turn, WireProtocol } from "../fixtures/model-server/script.ts"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { PROJECT } from "./play.ts"

/**
 * Files that the model writes. They contain characters of one to four bytes, so that pieces of a body cut through them.
 */
export const FILES: Record<string, string> = {
  ...PROJECT,
  "README.md": `${PROJECT["README.md"]}\nGrüße, 世界 🎉: notes may have any characters.\n`,
}

const ABOUT = { name: "Notes", description: "Notes: größer, 世界 🎉.", techstack: "JavaScript", features: ["Notes"] }
const PLAN = {
  ...ABOUT,
  files: Object.keys(FILES).map((path) => ({ path, purpose: `The purpose of ${path}.`, depends_on: [] })),
}
const TASKS = {
  implementation_steps: Object.keys(FILES).map((path) => ({ file_path: path, task_description: `Write ${path}.` })),
}

/** Number of requests in a run without mistakes: the plan, the tasks, and each file. */
export const REQUESTS = 2 + Object.keys(FILES).length

/** A model request of a run. */
export interface Asked {
  protocol: WireProtocol
  /** `plan`, `task_plan`, or the path of the requested file. */
  subject: string
  /** Number of requests about this subject so far, including this one. */
  attempt: number
}

/** Returns how a server's answer differs from the correct one. */
export type Manner = (asked: Asked) => Partial<Turn>

export interface Played {
  // biome-ignore lint/suspicious/noExplicitAny: a run as the API shows it
  run: any
  files: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: events of all types
  events: Record<string, any>[]
  requests: (RecordedRequest & Asked)[]
}

/** A model server, and a Switchyard server that uses its address for all providers. */
export interface Wire {
  server: TestServer
  provider: ModelServer
  /** Plays a run of a new project with a model of this provider, whose server behaves as `manner` says. */
  play(provider: string, manner: Manner): Promise<Played>
  close(): Promise<void>
}

export async function openWire(env: Record<string, string> = {}): Promise<Wire> {
  let manner: Manner = () => ({})
  let asked: Played["requests"] = []
  const provider = await startModelServer((request) => {
    const subject = subjectOf(request)
    const attempt = asked.filter((earlier) => earlier.subject === subject).length + 1
    const known = Object.assign(request, { subject, attempt })
    asked.push(known)
    return { ...honestTurn(subject), ...manner(known) }
  })
  const { url } = provider
  const addresses = { OPENAI_BASE_URL: `${url}/v1`, LOCAL_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url }
  const server = await startServer({ env: { ...addresses, ...env } })
  return {
    server,
    provider,
    async play(providerId, itsManner) {
      manner = itsManner
      asked = []
      const api_key = `sk-wire-${randomBytes(16).toString("hex")}`
      const run = await server.run({ user_prompt: "Notes.", model: `${providerId}/wire-model`, api_key })
      const files = await server.call("GET", `/workspace/files?workspace_id=${run.workspace_id}`)
      const page = await server.call("GET", `/api/v1/sessions/${run.workspace_id}/events?limit=1000`)
      expectKeyOnlyInItsHeader(asked, api_key)
      expect(server.canaries.findIn("the answers of the API", JSON.stringify([run, page.body]))).toEqual([])
      return { run, files: files.body.files, events: page.body.events, requests: asked }
    },
    async close() {
      await server.close()
      await provider.close()
      // The server may report only runs that failed because of the model.
      expect(server.reported.filter((error) => !isAppError(error, "model_error"))).toEqual([])
    },
  }
}

/** Expects each part of the project exactly once, and this many complete answers. */
export function expectWhole({ run, files, events }: Played, wholeAnswers = REQUESTS): void {
  expect(run).toMatchObject({ status: "completed", error: null })
  expect(files).toEqual(FILES)
  const commits = events.filter(({ type }) => type === "workspace_committed")
  const saved = commits.flatMap(({ changes }) => changes.map(({ path }: { path: string }) => path))
  expect(saved.sort()).toEqual(Object.keys(FILES).sort())
  expect(events.filter(({ type }) => type === "model_usage")).toHaveLength(wholeAnswers)
  expect(spokenText(events, "planner")).toBe(JSON.stringify(PLAN))
  expect(spokenText(events, "architect")).toBe(JSON.stringify(TASKS))
  expect(events.filter(({ type }) => type === "run_completed")).toHaveLength(1)
}

/** Returns the text of a node's last answer. Text before a retry belongs to an answer that was cut off. */
function spokenText(events: Played["events"], node: string): string {
  const own = events.filter((event) => event.node === node)
  const restart = own.findLastIndex(({ type }) => type === "model_retried")
  const texts = own.slice(restart + 1).filter(({ type }) => type === "model_text")
  return texts.map(({ text }) => text).join("")
}

function expectKeyOnlyInItsHeader(requests: Played["requests"], key: string): void {
  for (const { path, headers, body } of requests) {
    const holders = Object.entries(headers).filter(([, value]) => String(value).includes(key))
    expect(holders.map(([name]) => name)).toEqual(["authorization"])
    expect(path + JSON.stringify(body)).not.toContain(key)
  }
}

export function honestTurn(subject: string): Turn {
  if (subject === "plan") return { json: PLAN }
  if (subject === "task_plan") return { json: TASKS }
  return { toolCalls: [writing(subject)] }
}

/** Returns the tool call that writes a file of the project. */
export function writing(path: string): { id: string; name: string; args: { path: string; content: string } } {
  return { id: `call-of-${path.split(".")[0]}`, name: "write_file", args: { path, content: FILES[path] ?? "" } }
}

export function subjectOf({ body }: RecordedRequest): string {
  const schema = body.response_format?.json_schema?.schema ?? body.output_config?.format?.schema
  if (schema) return "implementation_steps" in schema.properties ? "task_plan" : "plan"
  const { content } = body.messages.find(({ role }: { role: string }) => role === "user")
  const text = typeof content === "string" ? content : content.map((block: { text: string }) => block.text).join("")
  return [...text.matchAll(/^(?:File|Repair): (.+)$/gm)].at(-1)?.[1] ?? "nothing"
}
