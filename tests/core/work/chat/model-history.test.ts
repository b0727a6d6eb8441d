import { modelHistory } from "@switchyard/core/work/chat/model-history"
import { type ChatEvent, foldChat } from "@switchyard/core/work/chat/transcript"
import { COMPACTION_TOKENS } from "@switchyard/core/work/context/budgets"
import { describe, expect, it } from "vitest"

const CHARS = 8000

/** A conversation of so many messages, whose nth has the seq n + 1. */
function conversation(length: number) {
  const events = Array.from({ length }, (_, at) => {
    const common = { seq: at + 1, ts: "", event_id: "", chat_id: "c", request_id: `${at >> 1}`, mode: "edit" }
    const content = `${at} ${"x".repeat(CHARS)}`
    return at % 2 === 0 ? { ...common, type: "chat_asked", content, files: [], images: [] } : answer(common, content)
  })
  return foldChat("c", events as unknown as ChatEvent[])
}

const answer = (common: object, content: string) => ({ ...common, type: "chat_answered", content, cancelled: false })

const numbersBefore = (seq: number) => modelHistory(conversation(200), seq).map(({ number }) => number)

describe("the history that a model reads", () => {
  it("is whole until it is twice as long as it may be", () => {
    expect(numbersBefore(21)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
  })

  it("then loses its oldest part, begins with a question, and keeps what is newest", () => {
    for (let seq = 1; seq <= 201; seq += 2) {
      const history = modelHistory(conversation(200), seq)
      const chars = history.reduce((sum, { content }) => sum + content.length, 0)
      expect(chars / 4).toBeLessThanOrEqual(2 * COMPACTION_TOKENS)
      expect(history.at(-1)?.number).toBe(seq === 1 ? undefined : seq - 1)
      expect(history[0]?.role).toBe(seq === 1 ? undefined : "user")
    }
  })

  it("begins at the same message for many turns in a row, so that its prefix stays cached", () => {
    const begins = new Set(Array.from({ length: 100 }, (_, turn) => numbersBefore(2 * turn + 3)[0]))
    expect(begins.size).toBeLessThanOrEqual(18)
  })
})
