import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createGzip, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describeDeep } from "../depth.ts"
import type { Turn } from "../fixtures/model-server/script.ts"
import { type Asked, expectWhole, FILES, type Manner, openWire, REQUESTS, type Wire, writing } from "./wire.ts"

let wire: Wire
beforeAll(async () => {
  wire = await openWire()
})
afterAll(() => wire.close())

// biome-ignore lint/suspicious/noExplicitAny: a chunk is whatever a server makes of it
type Chunk = any

const EVENT_STREAM = { "content-type": "text/event-stream" }
const CHAT = ["openai", "local"]
const ALL = [...CHAT, "anthropic"]

/** Sends the frames after a change to them. */
const framed =
  (change: (frames: string[]) => string[], more: Partial<Turn> = {}): Manner =>
  () => ({ ...more, send: (response, frames) => sendInPieces(response, change(frames).join("")) })

/** Sends chat chunks after a change to them. */
const chunked = (change: (chunks: Chunk[]) => Chunk[], more: Partial<Turn> = {}): Manner =>
  framed((frames) => {
    const chunks = frames.filter((frame) => !frame.includes("[DONE]")).map((frame) => JSON.parse(frame.slice(6)))
    return [...change(chunks).map(frameOf), "data: [DONE]\n\n"]
  }, more)

/** Misbehaves at the first request about the tasks and about one file. Later answers are correct. */
const atFirst =
  (manner: Manner): Manner =>
  (asked) =>
    asked.attempt === 1 && (asked.subject === "task_plan" || asked.subject === "store.js") ? manner(asked) : {}

/** Misbehaves in the answers about files, which are requested with tools. */
const withFiles =
  (manner: Manner): Manner =>
  (asked) =>
    asked.subject in FILES ? manner(asked) : {}

function frameOf(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** Sends the text in pieces that cut through lines, characters, and the two bytes of CRLF. */
async function sendInPieces(response: ServerResponse, text: string, pieceBytes = 11): Promise<void> {
  response.writeHead(200, EVENT_STREAM)
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length && !response.destroyed; start += pieceBytes) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(start, start + pieceBytes), () => setImmediate(resolve))
    })
  }
  response.end()
}

function answerInFull(response: ServerResponse, status: number, type: string, body: string, headers = {}): void {
  response.writeHead(status, { "content-type": type, ...headers })
  response.end(body)
}

const json = (status: number, body: object, headers = {}): Manner => {
  return () => ({
    send: (response) => answerInFull(response, status, "application/json", JSON.stringify(body), headers),
  })
}

/** Ends the response in the middle of a frame. */
const cut = (end: (response: ServerResponse) => void): Manner =>
  atFirst(() => ({
    send(response, frames) {
      response.writeHead(200, EVENT_STREAM)
      const part = frames.slice(0, -4).join("").slice(0, -9)
      response.write(part, () => end(response))
    },
  }))

/** Changes each part of each tool call. `change` receives the numbers of the call and the part, both from 0. */
const calls = (change: (part: Chunk, at: { call: number; part: number }) => Chunk): Manner => {
  const toolCalls = (subject: string) => [{ id: "call-of-list", name: "list_files", args: {} }, writing(subject)]
  return withFiles(({ subject }) => {
    const changed = (chunks: Chunk[]) => {
      const counts = new Map<number, number>()
      return chunks.map((chunk) => {
        const [given] = chunk.choices[0]?.delta?.tool_calls ?? []
        if (!given) return chunk
        const part = counts.get(given.index) ?? 0
        counts.set(given.index, part + 1)
        const delta = { tool_calls: [change(given, { call: given.index, part })] }
        return { ...chunk, choices: [{ ...chunk.choices[0], delta }] }
      })
    }
    return chunked(changed, { toolCalls: toolCalls(subject) })({} as Asked)
  })
}

/** Sends each call in one piece, as servers do that parse tool calls from a model's text. */
const wholeCalls = (change: (call: Chunk) => Chunk): Manner =>
  withFiles(({ subject }) => {
    const call = ({ id, name, args }: ReturnType<typeof writing>) =>
      change({ index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } })
    const list = { id: "call-of-list", name: "list_files", args: {} as ReturnType<typeof writing>["args"] }
    const deltas = [{ tool_calls: [call(list)] }, { tool_calls: [call(writing(subject))] }]
    const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
    return chunked(() => [...chunks, { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }, USAGE])(
      {} as Asked,
    )
  })

const USAGE = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }

interface Case {
  providers: string[]
  manner: Manner
  /** Number of complete answers, if some of them were unusable. */
  answers?: number
}

const thinking = { thinking: "Hm, 世界 …" }
const odd = (frames: string[]) => [
  ": keep-alive\r\n\r\n",
  ...frames.flatMap((frame) => [frame.replaceAll("\n", "\r\n"), ":\r\n\r\n"]),
]

/** A stream that uses every feature of its standard at once. */
const standard = framed(odd, thinking)

const usualCases: Record<string, Case> = {
  "ends lines by CRLF, sends comments, thinks first, and cuts anywhere": {
    providers: ["openai", "anthropic"],
    manner: standard,
  },
  "counts every call of an answer as its first": {
    providers: ["local"],
    manner: wholeCalls((call) => call),
  },
  "breaks off in the middle of a call": {
    providers: ["anthropic"],
    manner: cut((response) => response.socket?.resetAndDestroy()),
  },
}

const deepCases: Record<string, Case> = {
  "ends lines by CRLF, sends comments, thinks first, and cuts anywhere": { providers: ["local"], manner: standard },
  "thinks in reasoning_content": {
    providers: CHAT,
    manner: chunked((chunks) => {
      const thought = (reasoning_content: string) => ({ choices: [{ index: 0, delta: { reasoning_content } }] })
      return [...["Hm, ", "世界 ", "🎉"].map(thought), ...chunks]
    }),
  },
  "writes no space after a field's name, and an event's type before it": {
    providers: CHAT,
    manner: framed((frames) => frames.map((frame) => `event: message\n${frame.replace("data: ", "data:")}`)),
  },

  "sends calls without index, whose later parts have no id": {
    providers: CHAT,
    manner: calls(({ index: _, ...part }) => part),
  },
  "sends calls without ids": { providers: CHAT, manner: calls(({ id: _, ...part }) => part) },
  "repeats a call's id and name in all of its parts": {
    providers: CHAT,
    manner: calls((part, { call }) => ({
      ...part,
      id: `call-${call}`,
      function: { ...part.function, name: call === 0 ? "list_files" : "write_file" },
    })),
  },
  "has an id of its own for each part of a call": {
    providers: CHAT,
    manner: calls((part, at) => ({ ...part, id: `part-${at.call}-${at.part}` })),
  },
  "counts calls backwards": { providers: CHAT, manner: calls((part) => ({ ...part, index: 7 - part.index })) },
  "sends all parts of all calls as those of the first": {
    providers: CHAT,
    manner: calls((part) => ({ ...part, index: 0 })),
  },
  "sends whole calls without index or id": {
    providers: CHAT,
    manner: wholeCalls(({ index: _, id: __, ...call }) => call),
  },
  "sends whole calls under one index and without ids": {
    providers: CHAT,
    manner: wholeCalls(({ id: _, ...call }) => ({ ...call, id: "" })),
  },

  "breaks off in the middle of an answer": {
    providers: CHAT,
    manner: cut((response) => response.socket?.resetAndDestroy()),
  },
  "ends well in the middle of an answer": { providers: ALL, manner: cut((response) => response.end()) },
  "breaks off after the answer": {
    providers: CHAT,
    manner: () => ({
      usage: null,
      send(response, frames) {
        response.writeHead(200, EVENT_STREAM)
        response.write(frames.slice(0, -1).join(""), () => response.socket?.resetAndDestroy())
      },
    }),
  },

  "wants a second's patience": {
    providers: ALL,
    manner: atFirst(() => ({ fail: { kind: "rate_limit", headers: { "retry-after": "1" } } })),
  },
  "wants patience until a time": {
    providers: ALL,
    manner: atFirst(() => {
      const date = new Date(Date.now() + 1000).toUTCString()
      return { fail: { kind: "rate_limit", headers: { "retry-after": date } } }
    }),
  },
  "fails at first": { providers: ALL, manner: atFirst(() => ({ fail: { kind: "server_error" } })) },
  "is behind a proxy that fails at first": {
    providers: ALL,
    manner: atFirst(() => ({ fail: { kind: "bad_gateway" } })),
  },
  "reports an error in the stream": {
    providers: ALL,
    manner: atFirst(() => ({ fault: { kind: "error", afterFrames: 3 } })),
  },
  "reports a status in the stream": {
    providers: CHAT,
    manner: atFirst(chunked((chunks) => [...chunks.slice(0, 3), { error: { code: 502, message: "It went away." } }])),
  },
  "sends an error in place of a chunk": {
    providers: CHAT,
    manner: atFirst(
      chunked((chunks) => [...chunks.slice(0, 3), { object: "error", message: "It went away.", code: 500 }]),
    ),
  },
  "reports an error in the stream by the end's reason alone": {
    providers: CHAT,
    manner: atFirst(
      chunked((chunks) => [...chunks.slice(0, 3), { choices: [{ index: 0, delta: {}, finish_reason: "error" }] }]),
    ),
  },
  "reports an error as JSON, as if all were well": {
    providers: ALL,
    manner: atFirst(json(200, { type: "error", error: { type: "overloaded_error", code: 503, message: "Busy." } })),
  },

  "never counts tokens": { providers: ALL, manner: () => ({ usage: null }) },
  "counts tokens in each chunk": {
    providers: CHAT,
    manner: chunked((chunks) =>
      chunks.map((chunk, at) => ({ ...chunk, usage: { prompt_tokens: 10, completion_tokens: at } })),
    ),
  },

  "stops in the middle of a call at the limit of its answers": {
    providers: ALL,
    manner: withFiles(({ subject, attempt }) => {
      if (attempt > 1 || subject !== "store.js") return {}
      const args = JSON.stringify(writing(subject).args).slice(0, 60)
      return { toolCalls: [{ name: "write_file", args }], stopReason: "max_tokens" }
    }),
    answers: REQUESTS + 1,
  },
  "says nothing at first": {
    providers: ALL,
    manner: atFirst(() => ({ json: undefined, toolCalls: undefined, text: [] })),
    answers: REQUESTS + 2,
  },

  "sends its answers compressed": {
    providers: ALL,
    manner: () => ({
      async send(response, frames) {
        response.writeHead(200, { ...EVENT_STREAM, "content-encoding": "gzip" })
        const zip = createGzip()
        zip.pipe(response)
        for (const frame of frames) {
          zip.write(frame)
          await new Promise<void>((resolve) => zip.flush(() => resolve()))
        }
        zip.end()
      },
    }),
  },
  "breaks off in the middle of a compressed answer": {
    providers: ALL,
    manner: atFirst(() => ({
      send(response, frames) {
        response.writeHead(200, { ...EVENT_STREAM, "content-encoding": "gzip" })
        response.end(gzipSync(frames.join("")).subarray(0, -40))
      },
    })),
  },
  "doesn't stream, though it was asked to": {
    providers: CHAT,
    manner: ({ subject }) => ({
      send(response, frames) {
        const deltas = frames.flatMap((frame) => (frame.includes("[DONE]") ? [] : [JSON.parse(frame.slice(6))]))
        const content = deltas.map(({ choices }) => choices[0]?.delta?.content ?? "").join("")
        const { id, name, args } = writing(subject)
        const call = { id, type: "function", function: { name, arguments: JSON.stringify(args) } }
        const message = subject in FILES ? { content: null, tool_calls: [call] } : { content }
        const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }
        const body = JSON.stringify({ choices: [choice], usage: USAGE.usage })
        answerInFull(response, 200, "application/json", body)
      },
    }),
  },
  "calls its streams JSON": {
    providers: ALL,
    manner: () => ({
      send: (response, frames) => answerInFull(response, 200, "application/json", frames.join("")),
    }),
  },
  "wants its thoughts back": {
    providers: CHAT,
    manner: withFiles((asked) => {
      if (asked.attempt === 1) {
        const thoughts = ["Let me ", "look."].map((reasoning_content) => ({
          choices: [{ index: 0, delta: { reasoning_content } }],
        }))
        const toolCalls = [{ id: "look", name: "list_files", args: {} }]
        return chunked((chunks) => [...thoughts, ...chunks], { toolCalls })(asked)
      }
      const { messages } = (asked as Asked & { body: Chunk }).body
      const said = messages.find(({ role }: { role: string }) => role === "assistant")
      if (said.reasoning_content === "Let me look.") return {}
      return { fail: { kind: "invalid", message: "Missing `reasoning_content` field in the assistant message." } }
    }),
    answers: REQUESTS + Object.keys(FILES).length,
  },
  "gives a call's input with its beginning": {
    providers: ["anthropic"],
    manner: withFiles(({ subject }) =>
      framed((frames) =>
        frames
          .filter((frame) => !frame.includes("input_json_delta"))
          .map((frame) => frame.replace('"input":{}', () => `"input":${JSON.stringify(writing(subject).args)}`)),
      )({} as Asked),
    ),
  },
}

function casesOf(all: Record<string, Case>) {
  return Object.entries(all).flatMap(([name, { providers, ...one }]) =>
    providers.map((provider) => [name, provider, one] as const),
  )
}

describe("a run with a model whose server", () => {
  it.each(casesOf(usualCases))("%s, by %s, writes the project once", async (_, provider, { manner, answers }) => {
    expectWhole(await wire.play(provider, manner), answers)
  })

  it("redirects fails, and the key goes to nobody else", async () => {
    const elsewhere = await listen()
    try {
      for (const [provider, status] of [["anthropic", 307] as const, ["openai", 308] as const]) {
        const headers = { location: `${elsewhere.url}/v1/messages?from=here` }
        const { run, files, requests } = await wire.play(provider, json(status, {}, headers))
        expect(run).toMatchObject({ status: "failed", error: { error_type: "invalid_request" } })
        expect(run.error.message).toContain(`redirects to ${elsewhere.url}`)
        expect([requests.length, files]).toEqual([1, {}])
      }
      expect(elsewhere.seen).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })
})

describeDeep("a run with a model whose server", () => {
  it.each(casesOf(deepCases))("%s, by %s, writes the project once", async (_, provider, { manner, answers }) => {
    expectWhole(await wire.play(provider, manner), answers)
  })

  it("counts tokens in each chunk is told what they were in the last", async () => {
    const { events } = await wire.play("local", deepCases["counts tokens in each chunk"]?.manner ?? (() => ({})))
    const usages = events.filter(({ type }) => type === "model_usage").map(({ usage }) => usage)
    expect(usages.every(({ input, output }) => input === 10 && output > 2)).toBe(true)
  })

  it.each([
    ["answers with a web page", 200, "text/html", "<html>Welcome</html>", /web page/, 1],
    ["knows no such key", 401, "application/json", "", /401: Bad key \[api key\]/, 1],
    ["refuses by JSON, as if all were well", 200, "application/json", "", /Bad key \[api key\]/, 1],
  ] as const)("%s fails for that reason", async (_, status, type, page, reason, count) => {
    for (const provider of ALL) {
      const manner: Manner = (asked) => {
        const { apiKey } = asked as Asked & { apiKey: string }
        const error = { type: "authentication_error", code: "invalid_api_key", message: `Bad key ${apiKey}` }
        const body = page || JSON.stringify({ type: "error", error })
        return { send: (response) => answerInFull(response, status, type, body) }
      }
      const { run, files, requests } = await wire.play(provider, manner)
      expect(run.status).toBe("failed")
      expect(run.error.message).toMatch(reason)
      expect([requests.length, files]).toEqual([count, {}])
    }
  })

  it("falls silent is given up on, or was whole already", async () => {
    const patient = await openWire({ MODEL_IDLE_SECONDS: "3", LOCAL_IDLE_SECONDS: "3" })
    const silentAfter = (sent: (frames: string[]) => string[]): Manner =>
      atFirst(() => ({
        send(response, frames) {
          response.writeHead(200, EVENT_STREAM)
          response.write(sent(frames).join(""))
        },
      }))
    try {
      for (const provider of ALL) {
        const again = await patient.play(
          provider,
          silentAfter((frames) => frames.slice(0, -4)),
        )
        expectWhole(again)
        expect(again.requests.length).toBeGreaterThanOrEqual(REQUESTS + 2)
        const whole = await patient.play(
          provider,
          silentAfter((frames) => frames),
        )
        expectWhole(whole)
        expect(whole.requests).toHaveLength(REQUESTS)
      }
    } finally {
      await patient.close()
    }
  })
})

/** Starts a server that belongs to no provider, and records the method and headers of its requests. */
async function listen() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${JSON.stringify(request.headers)}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    seen,
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
