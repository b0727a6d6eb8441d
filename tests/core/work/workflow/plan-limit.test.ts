import { createGroqProvider } from "@switchyard/core/models/groq"
import { createOpenAiProvider } from "@switchyard/core/models/openai"
import { describe, expect, it } from "vitest"
import type { RecordedRequest, Turn } from "../../../fixtures/model-server/script.ts"
import { startModelServer } from "../../../fixtures/model-server/server.ts"
import { planOf } from "./model.ts"
import { openStudio } from "./studio.ts"

const CHARS_PER_TOKEN = 3.6

/**
 * Creates the token limit of a plan, which refills evenly over a minute. Prompts count before they are answered, and
 * answers afterwards, as at Groq. Time passes only when a client returns after the wait that it received.
 */
function createBucket(limit: number) {
  const perMs = limit / 60_000
  let used = 0
  let toldMs = 0
  return {
    /** Returns how many ms to wait for this many tokens, or 0 if they are taken. */
    take(tokens: number): number {
      const missing = used + tokens - limit
      if (missing > 0) {
        const waitMs = Math.ceil(missing / perMs)
        toldMs = Math.max(toldMs, waitMs)
        return waitMs
      }
      used += tokens
      return 0
    },
    spend(tokens: number) {
      used += tokens
    },
    passTime() {
      used = Math.max(0, used - toldMs * perMs)
      toldMs = 0
    },
  }
}

const tokensIn = (value: unknown) => Math.ceil(JSON.stringify(value ?? "").length / CHARS_PER_TOKEN)

/** Returns a file of about 1,200 tokens. */
function contentOf(path: string): string {
  const lines = Array.from(
    { length: 60 },
    (_, line) => `  "${path}: line ${line} of a text that makes the file longer",`,
  )
  return `export const ${path.replace(".js", "")}Lines = [\n${lines.join("\n")}\n]\n`
}

/** Returns tasks of about 130 tokens each. */
function tasksOf(paths: string[]) {
  const detail = "It exports one list of lines, which other files import by its name. ".repeat(7)
  return { implementation_steps: paths.map((path) => ({ file_path: path, task_description: `${path}: ${detail}` })) }
}

interface Server {
  limit: number
  /** Headers of every answer, for example with the limit. */
  headers?: Record<string, string>
  /** Text of a refusal. The default is Groq's. */
  refusal?: string
}

/** Starts a provider whose plan allows this many tokens per minute, and which writes the requested files. */
async function startLimited(paths: string[], { limit, headers, refusal }: Server) {
  const bucket = createBucket(limit)
  let tooLong = 0
  const told: number[] = []
  const written: string[] = []
  const words = (rest: string) =>
    `model \`openai/gpt-oss-120b\` in organization \`org_1\` service tier \`on_demand\` on tokens per minute (TPM): Limit ${limit}, ${rest}`
  const server = await startModelServer((request): Turn => {
    const { body } = request
    const asked = tokensIn([body.system, body.messages, body.tools])
    if (asked > limit) {
      tooLong++
      const message =
        refusal ?? `Request too large for ${words(`Requested ${asked}, please reduce your message size.`)}`
      return { fail: { kind: "too_large", message, headers } }
    }
    const waitMs = bucket.take(asked)
    if (waitMs > 0) {
      told.push(waitMs)
      // The other requests of a wave are refused at the same time.
      setImmediate(bucket.passTime)
      const message = `Rate limit reached for ${words(`Used ${limit}, Requested ${asked}. Please try again in 1s.`)}`
      return { fail: { kind: "rate_limit", message, headers: { ...headers, "retry-after": String(waitMs / 1000) } } }
    }
    const turn = answerTo(request, paths, written)
    const output = tokensIn(turn.json ?? turn.toolCalls)
    bucket.spend(output)
    return { ...turn, headers, usage: { input: asked, output } }
  })
  return { server, told, written, tooLong: () => tooLong }
}

function answerTo({ body }: RecordedRequest, paths: string[], written: string[]): Turn {
  const isObject = body.response_format ?? body.output_config
  if (isObject) return { json: JSON.stringify(body).includes("implementation_steps") ? tasksOf(paths) : planOf(paths) }
  const first = JSON.stringify(body.messages.find(({ role }: { role: string }) => role === "user").content)
  const path = [...first.matchAll(/File: (\w+\.js)/g)].at(-1)?.[1] ?? "none"
  written.push(path)
  return { toolCalls: [{ id: "call", name: "write_file", args: { path, content: contentOf(path) } }] }
}

const GROQ = { limit: 8000 }
const pathsOf = (count: number) => Array.from({ length: count }, (_, at) => `file${at}.js`)

async function build(paths: string[], given: Server, open: (url: string) => Parameters<Studio["execute"]>[1]) {
  const limited = await startLimited(paths, given)
  const studio = await openStudio()
  try {
    const runId = await studio.start()
    await studio.execute(runId, open(limited.server.url))
    const { status } = await studio.run(runId)
    const failure = (await studio.eventsOf("run_failed"))[0]
    return { ...limited, status, failure, files: await studio.files(), retried: await studio.eventsOf("model_retried") }
  } finally {
    await studio.close()
    await limited.server.close()
  }
}
type Studio = Awaited<ReturnType<typeof openStudio>>

const groq = (url: string) => createGroqProvider({ apiKey: "gsk_1", baseUrl: url })

describe("a build on a plan of 8,000 tokens a minute", () => {
  it.each([
    ["nine files, told by headers", 9, { ...GROQ, headers: { "x-ratelimit-limit-tokens": "8000" } }],
    ["twenty files, told by refusals", 20, GROQ],
  ])("writes %s, each in one answer", async (_, count, given) => {
    const paths = pathsOf(count)
    const { status, failure, files, written, told, tooLong, retried } = await build(paths, given, groq)
    expect([status, failure?.message]).toEqual(["completed", undefined])
    expect(files).toEqual(Object.fromEntries(paths.map((path) => [path, contentOf(path)])))
    expect(written.toSorted()).toEqual(paths.toSorted())
    expect(tooLong()).toBeLessThanOrEqual(given === GROQ ? 1 : 0)
    const waits = retried.filter(({ error_type }) => error_type === "rate_limit")
    expect(waits.map(({ wait_ms }) => wait_ms).toSorted()).toEqual(told.toSorted())
    expect([...new Set(waits.map(({ reason }) => reason))]).toEqual(["Your plan at Groq allows 8,000 tokens a minute."])
  })
})

describe("a build with a local model of 8,192 tokens", () => {
  it("keeps its prompts below the context that the server states", async () => {
    const paths = pathsOf(9)
    const largest: number[] = []
    const open = (url: string) => {
      const provider = createOpenAiProvider({ name: "local", apiKey: "no-key", baseUrl: `${url}/v1` })
      return { ...provider, contextTokens: async () => 8192 }
    }
    const { status, failure, server } = await build(paths, { limit: 1_000_000 }, open)
    for (const { body } of server.requests) largest.push(tokensIn([body.messages, body.tools]))
    expect([status, failure?.message]).toEqual(["completed", undefined])
    expect(Math.max(...largest)).toBeLessThan(8192)
  })
})
