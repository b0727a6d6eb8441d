import { ModelError } from "@switchyard/core/models/errors"
import type { ModelEvent } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, streamedToolAnswer, textAnswer } from "../../../fixtures/scripted-model.ts"
import { modelFor, planOf, subjectOf, tasksOf } from "./model.ts"
import { openStudio, type Studio } from "./studio.ts"

const CONTENT = `${'const text = "Grüße\t🌍\\n"\n'.repeat(40)}`

describe("a file that is being written", () => {
  let studio: Studio
  beforeEach(async () => {
    studio = await openStudio()
  })
  afterEach(() => studio.close())

  async function textsOf(): Promise<Record<string, string>> {
    const texts: Record<string, string> = {}
    for (const { path, offset, text } of await studio.eventsOf("file_text")) {
      const before = offset === 0 ? "" : (texts[path] ?? "")
      expect(offset).toBe(before.length)
      texts[path] = before + text
    }
    return texts
  }

  it("is in the log, in parts and whole, before it is saved", async () => {
    const id = await studio.start()
    const provider = modelFor(["a.ts", "b.ts"], (request) => {
      const path = subjectOf(request)
      return request.output ? undefined : streamedToolAnswer("write_file", { path: `./${path}`, content: CONTENT }, 7)
    })
    await studio.execute(id, provider)
    expect(await textsOf()).toEqual({ "a.ts": CONTENT, "b.ts": CONTENT })
    expect(await studio.files()).toEqual({ "a.ts": CONTENT, "b.ts": CONTENT })
    const events = await studio.events()
    const saved = events.findIndex(({ type }) => type === "workspace_committed")
    expect(events.findIndex(({ type }) => type === "file_text")).toBeLessThan(saved)
    expect((await studio.eventsOf("file_text"))[0]).toMatchObject({ node: "coder", run_id: id })
  })

  it("is taken for the visit's file until its call names another", async () => {
    const id = await studio.start()
    const nameless = streamedToolAnswer("write_file", { content: "Of no file" })
    const provider = modelFor(["a.ts"], (request) => {
      if (request.output) return undefined
      const isFirst = request.messages.length === 1
      return isFirst ? nameless : streamedToolAnswer("write_file", { content: CONTENT, path: "a.ts" }, 11)
    })
    await studio.execute(id, provider)
    expect((await studio.eventsOf("file_text"))[0]).toMatchObject({ path: "a.ts", text: "Of no file" })
    expect(await textsOf()).toEqual({ "a.ts": CONTENT })
  })

  it("begins anew when the call broke off and is tried again", async () => {
    const id = await studio.start()
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => {})
    broken.reject(new ModelError("connection_error", "Cut."))
    const cut: (ModelEvent | Promise<unknown>)[] = [
      ...streamedToolAnswer("write_file", { path: "a.ts", content: "Something else" }, 5).slice(0, 6),
      broken.promise,
    ]
    let calls = 0
    const provider = createScriptedProvider(({ output }) => {
      if (output) return textAnswer(JSON.stringify(output.name === "plan" ? planOf(["a.ts"]) : tasksOf(["a.ts"])))
      return calls++ === 0 ? cut : streamedToolAnswer("write_file", { path: "a.ts", content: CONTENT }, 50)
    })
    await studio.execute(id, provider)
    expect((await studio.eventsOf("model_retried")).length).toBe(1)
    expect(await textsOf()).toEqual({ "a.ts": CONTENT })
  })

  it("is preceded by signs that the model thinks, without its thoughts", async () => {
    const id = await studio.start()
    const thoughts = Array.from({ length: 500 }, (): ModelEvent => ({ type: "reasoning_delta", chars: 3 }))
    const provider = modelFor(["a.ts"], (request) =>
      request.output ? undefined : [...thoughts, ...streamedToolAnswer("write_file", { path: "a.ts", content: "a" })],
    )
    await studio.execute(id, provider)
    const signs = await studio.eventsOf("model_reasoning")
    expect(signs).toHaveLength(1)
    expect(signs[0]).toMatchObject({ node: "coder", chars: 3 })
  })
})
