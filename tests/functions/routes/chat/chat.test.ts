import type { ModelEvent, ModelRequest } from "@switchyard/core/models/provider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createScriptedProvider, type ScriptedAnswer } from "../../../fixtures/scripted-model.ts"
import { type Frame, framesOf, startServer, type TestServer } from "../../server.ts"

const usage: ModelEvent = { type: "usage", usage: { input: 10, cacheRead: 30, cacheWrite: 5, output: 7 } }

function said(...pieces: string[]): ModelEvent[] {
  return [...pieces.map((text) => ({ type: "text", text }) as const), usage, { type: "end", stopReason: "end" }]
}

/** Returns the model's next answer to a request. */
let answer: (request: ModelRequest) => ScriptedAnswer = () => said("Hello.")
const model = createScriptedProvider((request) => answer(request))

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: model })
})
afterAll(() => server.close())

async function openChat(files: Record<string, string> = {}) {
  const { body } = await server.call("POST", "/api/v1/sessions", { json: {} })
  const path = `/api/v1/sessions/${body.id}/chat`
  for (const [name, content] of Object.entries(files)) {
    const put = `/workspace/file?workspace_id=${body.id}`
    await server.call("PUT", put, { json: { path: name, content } })
  }
  const get = async (suffix = "") => (await server.call("GET", `${path}${suffix}`)).body
  const ask = (json: object) => server.call("POST", path, { json: { model: "scripted/test", ...json } })
  return {
    id: body.id as string,
    path,
    get,
    ask,
    /** Sends a message and resolves to the frames of its turn once the turn has ended. */
    async turn(json: object): Promise<Frame[]> {
      const started = await ask(json)
      expect(started.status, started.text).toBe(202)
      return framesOf((await server.call("GET", `${path}/stream?request_id=${started.body.request_id}`)).text)
    },
  }
}

const resultOf = (frames: Frame[]) => frames.find(({ event }) => event === "streamComplete")?.data.result

describe("a turn of the chat", () => {
  it("isn't streamed to a reader whose place the log never had, who would wait for ever", async () => {
    const chat = await openChat()
    answer = () => said("Done.")
    const started = await chat.ask({ message: "What does it do?" })
    const ofTurn = `${chat.path}/stream?request_id=${started.body.request_id}`
    await server.call("GET", ofTurn)
    for (const path of [`${chat.path}/stream`, ofTurn]) {
      const { status, body } = await server.call("GET", path, { headers: { "last-event-id": "999999999" } })
      expect([status, body.error.code]).toEqual([410, "resync"])
    }
  })

  it("streams the whole answer so far, completes once, and is in the history", async () => {
    const chat = await openChat()
    answer = () => said("It ", "renews ", "a lease.")
    const frames = await chat.turn({ message: "What does it do?" })
    const chunks = frames.filter(({ event }) => event === "streamChunk").map(({ data }) => data.content)
    expect(chunks.at(-1)).toBe("It renews a lease.")
    chunks.reduce((before, after) => {
      expect(after.startsWith(before)).toBe(true)
      return after
    })
    expect(frames.filter(({ event }) => event === "streamComplete")).toHaveLength(1)
    expect(resultOf(frames)).toMatchObject({ response: "It renews a lease.", cancelled: false, finish_reason: "end" })
    const { messages, in_flight, totals } = await chat.get()
    expect(messages.map(({ role, content }: Record<string, string>) => `${role}: ${content}`)).toEqual([
      "user: What does it do?",
      "assistant: It renews a lease.",
    ])
    expect(in_flight).toBeNull()
    expect(totals).toMatchObject({ turns: 1, prompt: 45, completion: 7, cache_read: 30, cache_write: 5 })
  })

  it("sends the model what was said before, in its order", async () => {
    const chat = await openChat()
    answer = ({ messages }) => said(`Answer ${messages.filter(({ role }) => role === "user").length}`)
    await chat.turn({ message: "One" })
    await chat.turn({ message: "Two" })
    const { messages } = model.requests.at(-1) as ModelRequest
    expect(messages.map(({ content }) => content)).toEqual(["One", "Answer 1", "Two"])
  })

  it("is one turn, however often its request id is sent", async () => {
    const chat = await openChat()
    answer = () => said("Once.")
    const request = { message: "Hi", request_id: "1700000000000-abcdef" }
    const [first, second] = [await chat.ask(request), await chat.ask(request)]
    expect(second.body).toEqual(first.body)
    await server.ended(first.body.run_id)
    expect((await chat.ask(request)).body).toEqual(first.body)
    expect((await chat.get()).messages).toHaveLength(2)
  })

  it("keeps another from starting, stops when asked to, and keeps what was said", async () => {
    const chat = await openChat()
    const gate = Promise.withResolvers<void>()
    answer = () => [{ type: "text", text: "So far" }, gate.promise, ...said(" and on")]
    const started = await chat.ask({ message: "Go on" })
    expect(await chat.ask({ message: "Me too" })).toMatchObject({
      status: 409,
      body: { error: { code: "run_active" } },
    })
    await untilText(chat, "So far")
    const cancel = `${chat.path}/${started.body.request_id}/cancel`
    expect(await server.call("POST", cancel)).toMatchObject({ status: 200 })
    expect(await server.call("POST", cancel)).toMatchObject({ status: 200 })
    const run = await server.ended(started.body.run_id)
    expect(run.status).toBe("cancelled")
    expect(await server.call("POST", cancel)).toMatchObject({ status: 404 })
    const stream = await server.call("GET", `${chat.path}/stream?request_id=${started.body.request_id}`)
    expect(resultOf(framesOf(stream.text))).toMatchObject({ response: "So far", cancelled: true, error: null })
    expect((await chat.get()).messages.at(-1).content).toBe("So far\n\n[stopped]")
  })

  it("tells why it failed, once, and keeps the question", async () => {
    const chat = await openChat()
    answer = () => new Error("The script broke.")
    const frames = await chat.turn({ message: "Hi" })
    expect(resultOf(frames)).toMatchObject({ response: "", error: expect.any(String), cancelled: false })
    expect((await chat.get()).messages[0]).toMatchObject({ role: "user", content: "Hi" })
    answer = () => said("Again.")
    await chat.turn({ message: "Once more" })
    const { messages } = model.requests.at(-1) as ModelRequest
    expect(messages.map(({ content }) => content)).toEqual(["Hi", "[no answer]", "Once more"])
  })

  it("refuses what can't be a turn, and changes nothing", async () => {
    const chat = await openChat()
    const svg = "data:image/svg+xml;base64,AAAA"
    const fake = `data:image/png;base64,${Buffer.from("not a png").toString("base64")}`
    for (const json of [{ message: " " }, { message: "a", images: [svg] }, { message: "a", images: [fake] }]) {
      expect(await chat.ask(json)).toMatchObject({ status: 422 })
    }
    expect(await chat.ask({ message: "a", request_id: "mine" })).toMatchObject({ status: 422 })
    expect((await chat.get()).messages).toEqual([])
  })
})

const edit = (path: string, old: string, next: string) =>
  `${path}\n<<<< EDIT\n${old}==== REPLACE\n${next}>>>> EDIT END\n`

describe("the edits of an answer", () => {
  const read = async ({ id }: { id: string }, path: string) =>
    (await server.call("GET", `/workspace/file?workspace_id=${id}&path=${encodeURIComponent(path)}`)).body.content

  it("are applied to the files that were shown, all in one version", async () => {
    const chat = await openChat({ "a.ts": "const a = 1\nconst b = 2\n" })
    answer = () =>
      said("I do.\n\n", edit("a.ts", "const a = 1\n", "const a = 3\n"), edit("new/b.ts", "", "export {}\n"))
    const result = resultOf(await chat.turn({ message: "Change it", files: ["a.ts"] }))
    expect(result).toMatchObject({
      passed: ["a.ts", "new/b.ts"],
      files_modified: ["a.ts"],
      files_created: ["new/b.ts"],
      files_auto_added: ["new/b.ts"],
      counts: { passed: 2, failed: 0 },
      retry_prompt: null,
      workspace_version: 2,
    })
    expect(await read(chat, "a.ts")).toBe("const a = 3\nconst b = 2\n")
    expect(await read(chat, "new/b.ts")).toBe("export {}\n")
    expect((await chat.get()).selected_files).toEqual(["a.ts", "new/b.ts"])
    // The next turn receives the edited file.
    answer = () => said("Fine.")
    await chat.turn({ message: "And now?" })
    const shown = (model.requests.at(-1) as ModelRequest).messages.find(({ content }) =>
      content.startsWith("# Working"),
    )
    expect(shown?.content).toContain("const a = 3")
  })

  it("that fail say why, and what to ask, and leave the others", async () => {
    const chat = await openChat({ "a.ts": "x\nx\ny\n", "b.ts": "z\n" })
    answer = () =>
      said(edit("a.ts", "x\n", "w\n"), edit("a.ts", "y\n", "v\n"), edit("b.ts", "z\n", "u\n"), edit("../c", "", "t\n"))
    const result = resultOf(await chat.turn({ message: "Change it", files: ["a.ts", "gone.ts"] }))
    // After b.ts is added, the model continues its answer. Here, the continuation repeats the same edits.
    expect(result.counts).toEqual({ passed: 2, already_applied: 2, failed: 2, skipped: 2, not_in_context: 0 })
    expect(result).toMatchObject({ invalid_files: ["gone.ts"], skipped: ["../c"], files_auto_added: ["b.ts"] })
    expect(result.retry_prompt).toContain("more than one place")
    expect(await read(chat, "a.ts")).toBe("x\nx\nv\n")
    expect(await read(chat, "b.ts")).toBe("u\n")
    expect((await chat.get()).selected_files).toEqual(["a.ts", "b.ts"])
  })

  it("fail for a file that somebody changes while the model answers", async () => {
    const chat = await openChat({ "a.ts": "one\n", "b.ts": "two\n" })
    const gate = Promise.withResolvers<void>()
    answer = () => [
      { type: "text", text: "Wait." },
      gate.promise,
      ...said("\n\n", edit("a.ts", "one\n", "1\n"), edit("b.ts", "two\n", "2\n")),
    ]
    const started = await chat.ask({ message: "Change both", files: ["a.ts", "b.ts"] })
    await untilText(chat, "Wait.")
    const put = `/workspace/file?workspace_id=${chat.id}`
    await server.call("PUT", put, { json: { path: "a.ts", content: "mine\n" } })
    gate.resolve()
    await server.ended(started.body.run_id)
    expect(await read(chat, "a.ts")).toBe("mine\n")
    expect(await read(chat, "b.ts")).toBe("2\n")
    const { result } = (await chat.get()).messages.at(-1)
    expect(result.failed).toEqual([{ file: "a.ts", error: expect.stringContaining("mine") }])
  })

  it("are never applied in a review, nor of an answer that was cut off", async () => {
    const chat = await openChat({ "a.ts": "one\n" })
    answer = () => said(edit("a.ts", "one\n", "1\n"))
    await chat.turn({ message: "Look", files: ["a.ts"], mode: "review" })
    answer = () => said("a.ts\n<<<< EDIT\none\n==== REPLACE\n1\n")
    const result = resultOf(await chat.turn({ message: "Go", files: ["a.ts"] }))
    expect(result.failed).toEqual([{ file: "a.ts", error: "The block has no end marker." }])
    expect(await read(chat, "a.ts")).toBe("one\n")
  })
})

describe("the selection of a chat", () => {
  it("has the files that are texts, and names the others", async () => {
    const chat = await openChat({ "src/a.ts": "export const a = 1\n" })
    const { body } = await server.call("PUT", `${chat.path}/selection`, {
      json: { files: ["src/a.ts", "b.ts", "src"] },
    })
    expect(body).toEqual({
      selected_files: ["src/a.ts"],
      refused: [
        { path: "b.ts", reason: "missing" },
        { path: "src", reason: "folder" },
      ],
    })
    expect((await chat.get()).selected_files).toEqual(["src/a.ts"])
  })
})

describe("rewinding a chat", () => {
  const contents = (messages: { content: string }[]) => messages.map(({ content }) => content)

  async function afterTwoEdits() {
    const chat = await openChat({ "a.ts": "one\n" })
    answer = () => said(edit("a.ts", "one\n", "two\n"))
    await chat.turn({ message: "To two", files: ["a.ts"] })
    answer = () => said(edit("a.ts", "two\n", "three\n"), edit("b.ts", "", "new\n"))
    await chat.turn({ message: "To three" })
    return chat
  }
  const read = async (id: string, path: string) =>
    (await server.call("GET", `/workspace/file?workspace_id=${id}&path=${path}`)).body.content

  it("takes the conversation and the files back together, and there again", async () => {
    const chat = await afterTwoEdits()
    const { messages } = await chat.get()
    const to_seq = messages[1].end_seq
    const { body } = await server.call("POST", `${chat.path}/rewind`, { json: { to_seq } })
    expect(body.workspace_version).toBe(4)
    expect([await read(chat.id, "a.ts"), await read(chat.id, "b.ts")]).toEqual(["two\n", undefined])
    const rewound = await chat.get()
    expect(rewound.messages).toEqual(messages.slice(0, 2))
    expect(rewound.branches).toMatchObject([{ to_seq, message_count: 2, preview: "To three" }])
    // The model doesn't receive undone messages.
    answer = () => said("Fine.")
    await chat.turn({ message: "And now?" })
    const sent = (model.requests.at(-1) as ModelRequest).messages.map(({ content }) => content)
    expect(sent).toContain("To two")
    expect(sent).not.toContain("To three")

    const [branch] = rewound.branches
    await server.call("POST", `${chat.path}/rewind`, { json: { to_seq: branch.left_seq } })
    expect(contents((await chat.get()).messages)).toEqual(contents(messages))
    expect([await read(chat.id, "a.ts"), await read(chat.id, "b.ts")]).toEqual(["three\n", "new\n"])
  })

  it("leaves the files where that is asked for, and refuses what was never", async () => {
    const chat = await afterTwoEdits()
    const { messages } = await chat.get()
    await server.call("POST", `${chat.path}/rewind`, { json: { to_seq: messages[0].seq - 1, files: false } })
    expect((await chat.get()).messages).toEqual([])
    expect(await read(chat.id, "a.ts")).toBe("three\n")
    const beyond = { json: { to_seq: 100_000 } }
    expect(await server.call("POST", `${chat.path}/rewind`, beyond)).toMatchObject({ status: 422 })
    expect(await server.call("POST", `${chat.path}/fork`, beyond)).toMatchObject({ status: 422 })
  })

  it("forks a session that goes its own way", async () => {
    const chat = await afterTwoEdits()
    const { messages } = await chat.get()
    const { status, body } = await server.call("POST", `${chat.path}/fork`, { json: { to_seq: messages[1].end_seq } })
    expect(status).toBe(202)
    await server.ended(body.run_id)
    const path = `/api/v1/sessions/${body.id}/chat`
    const forked = (await server.call("GET", path)).body
    expect(contents(forked.messages)).toEqual(contents(messages.slice(0, 2)))
    expect(forked.messages[1].result.passed).toEqual(["a.ts"])
    expect([await read(body.id, "a.ts"), await read(body.id, "b.ts")]).toEqual(["two\n", undefined])
    const put = `/workspace/file?workspace_id=${body.id}`
    await server.call("PUT", put, { json: { path: "a.ts", content: "mine\n" } })
    expect(await read(chat.id, "a.ts")).toBe("three\n")
  })
})

describe("the history of a chat", () => {
  it("lists conversations, goes on with an earlier one, and finds what was said in any", async () => {
    const chat = await openChat()
    answer = () => said("Blue whales sing.")
    await chat.turn({ message: "About whales" })
    const { body: begun } = await server.call("POST", `${chat.path}/new`)
    answer = () => said("Larks, too.")
    await chat.turn({ message: "About larks" })
    const { sessions } = await chat.get("/sessions")
    expect(sessions.map(({ preview }: { preview: string }) => preview)).toEqual(["About larks", "About whales"])
    expect(sessions[0]).toMatchObject({ session_id: begun.session_id, message_count: 2, current: true })

    const { messages: found } = await chat.get("/search?q=WHALES")
    expect(found.map(({ content }: { content: string }) => content)).toEqual(["Blue whales sing.", "About whales"])
    expect((await chat.get("/search?q=")).messages).toEqual([])
    expect((await chat.get("/search?q=whales&role=user")).messages).toHaveLength(1)

    const { session_id } = sessions[1]
    await server.call("POST", `${chat.path}/load`, { json: { session_id } })
    expect((await chat.get()).messages[0].content).toBe("About whales")
    const missing = await server.call("POST", `${chat.path}/load`, { json: { session_id: "sess_0" } })
    expect(missing.status).toBe(404)
  })
})

/** Waits until the current turn's text contains this text. */
async function untilText(chat: Awaited<ReturnType<typeof openChat>>, text: string): Promise<void> {
  for (;;) if (((await chat.get()).in_flight?.content ?? "").includes(text)) return
}
