import { ModelError } from "@switchyard/core/models/errors"
import type { ModelRequest } from "@switchyard/core/models/provider"
import type { Records } from "@switchyard/core/storage/records"
import { compact, needsCompaction, tokenRatioOf, tokensOf } from "@switchyard/core/work/chat/history/compaction"
import type { HistoryMessage } from "@switchyard/core/work/chat/history/model-history"
import { parseTopicFinding, topicQuestion } from "@switchyard/core/work/chat/history/topic-finding"
import { COMPACTION_TOKENS } from "@switchyard/core/work/context/budgets"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createScriptedProvider, type ScriptedAnswer, textAnswer } from "../../../../fixtures/scripted-model.ts"
import { openChatBench } from "../chat-bench.ts"

const history = (...tokens: number[]): HistoryMessage[] =>
  tokens.map((count, at) => ({
    ...{ number: 10 + at, role: at % 2 === 0 ? "user" : "assistant", content: "x".repeat(4 * count) },
  }))
const long = history(100, 12_000, 100, 12_000, 100, 1000, 100, 1000)
const unsure = { boundary: null, confidence: 0, summary: "They spoke." }

describe("a conversation that has become long", () => {
  it("is shortened from 24,000 tokens on, and where something comes before what stays", () => {
    expect(needsCompaction(long)).toBe(true)
    expect(needsCompaction(history(100, 12_000, 100, 11_000))).toBe(false)
    expect(needsCompaction(history(100, 20_000, 100, 20_000))).toBe(false)
    const summary: HistoryMessage[] = [
      { number: 0, role: "user", content: "x".repeat(60_000) },
      { number: 1, role: "assistant", content: "Ok." },
    ]
    expect(needsCompaction([...summary, ...history(100, 8000, 100, 8000)])).toBe(false)
  })

  it("loses what came before a new topic, if it is certain, and else gets a summary in its place", () => {
    expect(compact(long, unsure)).toEqual({ case: "summarize", keptFrom: 14, summary: "They spoke." })
    expect(compact(long, { ...unsure, boundary: 6, confidence: 0.5 })).toEqual({
      ...{ case: "truncate", keptFrom: 14, summary: "" },
    })
    for (const found of [
      { boundary: 6, confidence: 0.4 },
      { boundary: 2, confidence: 1 },
      { boundary: 99, confidence: 1 },
    ])
      expect(compact(long, { ...unsure, ...found }).case).toBe("summarize")
    expect(compact(long, { ...unsure, summary: " " }).summary).toContain("not shown any more")
  })

  it("keeps two questions in any case, begins with a question, and keeps more only as far as the window goes", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 8, maxLength: 40 })
    const found = fc.record({
      boundary: fc.option(fc.nat(50)),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      summary: fc.constant("S"),
    })
    fc.assert(
      fc.property(lengths, found, (tokens, finding) => {
        const all = history(...tokens)
        const kept = all.filter(({ number }) => number >= compact(all, finding).keptFrom)
        const questions = kept.filter(({ role }) => role === "user").length
        expect(questions).toBeGreaterThanOrEqual(2)
        if (questions > 2) expect(tokensOf(kept)).toBeLessThanOrEqual(4000)
      }),
    )
  })

  it("is read from a small model's answer, however that is wrapped", () => {
    const finding = { boundary: 3, confidence: 0.9, summary: "S" }
    expect(parseTopicFinding(JSON.stringify(finding))).toEqual(finding)
    expect(parseTopicFinding(`Here:\n\`\`\`json\n${JSON.stringify(finding)}\n\`\`\``)).toEqual(finding)
    expect(() => parseTopicFinding("No.")).toThrow("doesn't contain a JSON object")
    const shown = topicQuestion([
      { number: 0, role: "user", content: "y".repeat(3000) },
      ...history(...Array(60).fill(500)),
    ])
    expect(shown).toContain("y".repeat(3000))
    expect(shown).not.toContain("[10] ")
    expect(shown.length).toBeLessThan(55_000)
  })
})

const ANSWER = "z".repeat(60_000)
const summarised = () => textAnswer(JSON.stringify({ boundary: null, confidence: 0, summary: "Two long answers." }))
const isTopic = (request: ModelRequest) => request.output?.name === "topic"

/** Creates a model with long answers. A request for a summary gets `topic()`. */
function newModel(topic: () => ScriptedAnswer) {
  return createScriptedProvider((request) => (isTopic(request) ? topic() : textAnswer(ANSWER)))
}

describe("the length of a conversation", () => {
  const of = (input: number | null, cache_read: number | null = null) => ({ input, cache_read, cache_write: null })

  it("counts as the provider counted the last prompt, within limits", () => {
    expect(tokenRatioOf(of(null), 100)).toBe(1)
    expect(tokenRatioOf(of(50, 70), 100)).toBe(1.2)
    expect([tokenRatioOf(of(1), 100), tokenRatioOf(of(9000), 100)]).toEqual([0.25, 4])
    expect(needsCompaction(history(100, 8000, 100, 8000, 100, 100))).toBe(false)
    expect(needsCompaction(history(100, 8000, 100, 8000, 100, 100), 1.6)).toBe(true)
    expect(needsCompaction(long, 0.8)).toBe(false)
  })

  it.each([
    [1, []],
    [2, ["summarize"]],
  ])("is the reported one after a turn (%d times the estimate)", async (times, expected) => {
    const bench = await openChatBench()
    const model = createScriptedProvider((request) => {
      if (isTopic(request)) return summarised()
      const chars = request.messages.reduce((sum, { content }) => sum + String(content).length, request.system.length)
      const usage = { input: (times * chars) / 4, cacheRead: 0, cacheWrite: 0, output: 9 }
      return [
        { type: "text", text: "z".repeat(30_000) },
        { type: "usage", usage },
        { type: "end", stopReason: "end" },
      ]
    })
    for (const question of ["One", "Two", "Three"]) await bench.execute(await bench.ask(question), model)
    expect((await bench.eventsOf("chat_compacted")).map((event) => event.case)).toEqual(expected)
    await bench.close()
  })
})

describe("a turn after which the conversation is long", () => {
  it("is followed by a summary, which the next turn reads in place of the beginning; the log keeps all", async () => {
    const bench = await openChatBench()
    const model = newModel(summarised)
    for (const question of ["One", "Two", "Three", "Four"]) await bench.execute(await bench.ask(question), model)
    const [compacted, ...others] = await bench.eventsOf("chat_compacted")
    expect(compacted).toMatchObject({ case: "summarize", messages_before: 6, messages_after: 4 })
    expect(compacted?.tokens_before).toBeGreaterThan(COMPACTION_TOKENS)
    // Two answers of this length already exceed the limit, so each turn drops the oldest of three.
    expect(others).toHaveLength(1)
    const { messages } = model.requests.filter((request) => !isTopic(request)).at(-1) as ModelRequest
    const texts = messages.map(({ content }) => String(content))
    expect(texts).toEqual([expect.stringContaining("Two long answers."), "Ok.", "Two", ANSWER, "Three", ANSWER, "Four"])
    expect(await bench.messages()).toHaveLength(8)
    await bench.close()
  })

  it("stays settled where no model can be asked for a summary, and the next turn tries again", async () => {
    const bench = await openChatBench()
    const refused = new ModelError("auth_error", "No key.")
    const ids = []
    for (const question of ["One", "Two", "Three"]) {
      const id = await bench.ask(question)
      ids.push(id)
      await bench.execute(
        id,
        newModel(() => refused),
      )
    }
    expect((await bench.run(ids[2] ?? "")).status).toBe("completed")
    expect((await bench.eventsOf("chat_compacted")).map((event) => event.case)).toEqual(["none"])
    await bench.execute(await bench.ask("Four"), newModel(summarised))
    expect((await bench.eventsOf("chat_compacted")).map((event) => event.case)).toEqual(["none", "summarize"])
    await bench.close()
  })

  it("is summarised by its successor where its executor dies meanwhile, without a second answer", async () => {
    const bench = await openChatBench()
    for (const question of ["One", "Two"]) await bench.execute(await bench.ask(question), newModel(summarised))
    const id = await bench.ask("Three")
    let isDead = false
    const { records } = bench.stores
    const put: Records["put"] = (...args) => (isDead ? Promise.reject(new Error("It is dead.")) : records.put(...args))
    const dying = newModel(() => {
      isDead = true
      return summarised()
    })
    await bench.execute(id, dying, { on: { ...bench.stores, records: { ...records, put } } }).catch(() => {})
    expect([isDead, (await bench.eventsOf("chat_compacted")).length]).toEqual([true, 0])
    const successor = newModel(summarised)
    await bench.execute(id, successor)
    expect((await bench.run(id)).status).toBe("completed")
    expect(successor.requests.map(isTopic)).toEqual([true])
    expect((await bench.eventsOf("chat_compacted")).map((event) => event.case)).toEqual(["summarize"])
    await bench.close()
  })
})
