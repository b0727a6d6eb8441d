import { ModelError } from "@switchyard/core/models/errors"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, type ScriptedAnswer, textAnswer } from "../../../fixtures/scripted-model.ts"
import { mortal } from "../mortal-stores.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

const FILES = { "a.ts": "const a = 1\n", "b.ts": "const b = 1\n", "c.ts": "const c = 1\n", ".envrc": "x\n" }
const edit = (path: "a" | "b" | "c", to = 2) => block(`${path}.ts`, `const ${path} = 1\n`, `const ${path} = ${to}\n`)
const counted = (text: string): ScriptedAnswer => [
  { type: "text", text },
  { type: "usage", usage: { input: 100, cacheRead: 10, cacheWrite: null, output: 5 } },
  { type: "end", stopReason: "end" },
]

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
  await bench.write(FILES)
})
afterEach(() => bench.close())

/** Creates a model that gives these answers in order. */
function modelOf(...answers: ScriptedAnswer[]) {
  const left = [...answers]
  return createScriptedProvider(() => left.shift() ?? textAnswer("Nothing is left to say."))
}

const result = async () => (await bench.messages()).at(-1)?.result

describe("an answer that edits a file that wasn't selected", () => {
  it("continues once with that file, and its edits are made", async () => {
    const model = modelOf(counted(`Blind.\n\n${edit("a")}${edit("b", 9)}`), counted(`Seen.\n\n${edit("b")}`))
    await bench.execute(await bench.ask("Change them", { files: ["a.ts"] }), model)
    expect(await bench.files()).toEqual({ ...FILES, "a.ts": "const a = 2\n", "b.ts": "const b = 2\n" })
    const [first, second] = model.requests as [ModelRequest, ModelRequest]
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages)
    expect(String(second.messages.at(-1)?.content)).toMatch(
      /^# Working Files[\s\S]*b\.ts\n```\nconst b = 1[\s\S]*again/,
    )
    expect(model.requests).toHaveLength(2)
    expect(await bench.messages()).toHaveLength(2)
    expect(await result()).toMatchObject({
      ...{ response: expect.stringMatching(/^Blind\.[\s\S]*Seen\./), files_auto_added: ["b.ts"], retry_prompt: null },
      counts: { passed: 2, already_applied: 1, failed: 0, not_in_context: 0 },
      token_usage: { input: 200, cache_read: 20, cache_write: null, output: 10 },
    })
    expect((await bench.state()).chat.selected).toEqual(["a.ts", "b.ts"])
  })

  it("doesn't continue a second time, but selects the file", async () => {
    const model = modelOf(textAnswer(edit("b")), textAnswer(edit("b") + edit("c")))
    await bench.execute(await bench.ask("Change them", { files: ["a.ts"] }), model)
    expect(model.requests).toHaveLength(2)
    expect(await bench.files()).toEqual({ ...FILES, "b.ts": "const b = 2\n" })
    expect(await result()).toMatchObject({ counts: { passed: 1, not_in_context: 1 } })
    expect((await result())?.retry_prompt).toBe("This file is in the context now: c.ts. Repeat the edits to it.")
    // The model learns why the edit wasn't made.
    const next = modelOf(textAnswer("Yes."))
    await bench.execute(await bench.ask("And now?"), next)
    expect(JSON.stringify(next.requests[0]?.messages)).toContain("- c.ts: not made. The model hadn't seen this file.")
  })

  it.each([
    ["a protected file", block(".envrc", "x\n", "y\n"), {}],
    ["a path outside", block("../b.ts", "x\n", "y\n"), {}],
    ["a file in a review", edit("b"), { mode: "review" as const }],
    ["a new file", block("new.ts", "", "y\n"), {}],
  ])("doesn't continue with %s", async (_, answer, options) => {
    const model = modelOf(textAnswer(answer))
    await bench.execute(await bench.ask("Change it", { files: ["a.ts"], ...options }), model)
    expect(model.requests).toHaveLength(1)
    expect(await bench.files()).toMatchObject(FILES)
  })

  it("may repeat its other edits, and leaves those open that it doesn't repeat", async () => {
    const model = modelOf(textAnswer(edit("a") + edit("b", 9) + edit("c", 9)), textAnswer(edit("a") + edit("b")))
    await bench.execute(await bench.ask("Change them", { files: ["a.ts"] }), model)
    expect(await bench.files()).toEqual({ ...FILES, "a.ts": "const a = 2\n", "b.ts": "const b = 2\n" })
    expect(await result()).toMatchObject({ counts: { passed: 2, already_applied: 2, failed: 0, not_in_context: 1 } })
  })

  it("stays as it was if the model can't be asked again", async () => {
    const model = modelOf(counted(edit("a") + edit("b")), new ModelError("auth_error", "No key."))
    await bench.execute(await bench.ask("Change them", { files: ["a.ts"] }), model)
    expect(await bench.files()).toEqual({ ...FILES, "a.ts": "const a = 2\n" })
    expect(await result()).toMatchObject({
      ...{ counts: { passed: 1, not_in_context: 1 }, error: null, files_auto_added: ["b.ts"] },
      token_usage: { input: 100, output: 5 },
    })
  })

  it("is asked for each of its answers once, whenever its executor dies", async () => {
    const { stores } = bench
    for (let nth = 1; ; nth++) {
      bench = await openChatBench(stores)
      await bench.write(FILES)
      const runId = await bench.ask("Change it", { files: ["a.ts"] })
      const answers = (): [ScriptedAnswer, ScriptedAnswer] => [textAnswer(edit("b", 9)), textAnswer(edit("b"))]
      const first = modelOf(...answers())
      const died = await bench.execute(runId, first, mortal(stores, nth, "done")).then(
        () => false,
        () => true,
      )
      const wasAdded = (await bench.eventsOf("chat_files_added")).length > 0
      const wasAnswered = (await bench.eventsOf("chat_answered")).length > 0
      if (died && (await bench.run(runId)).status !== "completed") {
        const second = modelOf(...answers().slice(wasAdded ? 1 : 0))
        await bench.execute(runId, second)
        expect(second.requests.length).toBe(wasAnswered ? 0 : wasAdded ? 1 : 2)
      }
      expect(await bench.files()).toEqual({ ...FILES, "b.ts": "const b = 2\n" })
      if (!died) break
    }
  })
})
