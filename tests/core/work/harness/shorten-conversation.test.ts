import type { Message } from "@switchyard/core/models/provider"
import { promptTokens } from "@switchyard/core/work/harness/prompt-size"
import { shortenConversation } from "@switchyard/core/work/harness/shorten-conversation"
import fc from "fast-check"
import { expect, it } from "vitest"

const bounds = { limit: 3000, kept: 1000 }
const sizeOf = (messages: readonly Message[]) => messages.reduce((sum, one) => sum + JSON.stringify(one).length, 0)

/** Events between two model calls: an answer's calls with their results, or a user's message. */
const turn = fc.record({
  calls: fc.integer({ min: 0, max: 4 }),
  chars: fc.integer({ min: 0, max: 300 }),
  said: fc.boolean(),
})

function conversationOf(turns: { calls: number; chars: number; said: boolean }[]): Message[] {
  const messages: Message[] = [{ role: "user", content: "The goal: tea" }]
  for (const [at, { calls, chars, said }] of turns.entries()) {
    const toolCalls = Array.from({ length: calls }, (_, index) => {
      return { id: `call_${at}_${index}`, name: "check_board", args: {}, rawArguments: "{}" }
    })
    messages.push({ role: "assistant", content: "x".repeat(chars), ...(calls > 0 && { toolCalls }) })
    for (const { id } of toolCalls) messages.push({ role: "tool", toolCallId: id, content: "y".repeat(chars) })
    if (said || calls === 0) messages.push({ role: "user", content: `News ${at}` })
  }
  return messages
}

it("sends the beginning and the newest messages, each result behind its call, within the limit", () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 60 }), (turns) => {
      const messages = conversationOf(turns)
      const sent = shortenConversation(messages, bounds)
      expect(sent[0]?.role).toBe("user")
      expect(String(sent[0]?.content)).toContain("The goal: tea")
      const rest = sent.slice(1)
      expect(rest).toEqual(rest.length === 0 ? [] : messages.slice(-rest.length))
      if (sent.length < messages.length) expect(rest[0]?.role).toBe("assistant")
      // A turn is never split, and the quotes have their own limit.
      expect(sizeOf(rest)).toBeLessThan(bounds.limit + 5 * 400)
      if (sizeOf(messages) <= bounds.limit) expect(sent).toEqual(messages)
    }),
  )
})

it("cuts seldom, so that a provider's cache of the beginning holds", () => {
  const turns = Array.from({ length: 120 }, () => ({ calls: 1, chars: 60, said: false }))
  const beginnings = turns.map((_, at) =>
    JSON.stringify(shortenConversation(conversationOf(turns.slice(0, at)), bounds).slice(0, 2)),
  )
  expect(new Set(beginnings.slice(1)).size).toBeLessThan(turns.length / 5)
  expect(new Set(beginnings.slice(1)).size).toBeGreaterThan(3)
})

it("quotes what was said in the messages that are left out", () => {
  const turns = Array.from({ length: 60 }, () => ({ calls: 0, chars: 200, said: true }))
  const [first] = shortenConversation(conversationOf(turns), bounds)
  expect(String(first?.content)).toMatch(/messages between this and the next one are left out[\s\S]*- News 4\d/)
})

it("keeps the images of the first message, each of which counts by its size", () => {
  const image = { path: "artifacts/1", media_type: "image/png", size: 3_000_000, width: 750, height: 1000 }
  const [first, ...rest] = conversationOf(Array.from({ length: 20 }, () => ({ calls: 2, chars: 300, said: false })))
  if (first?.role !== "user") throw new Error("The conversation doesn't begin with the goal.")
  const messages = [{ ...first, images: [image, { ...image, width: undefined }] }, ...rest]
  const kept = shortenConversation(messages, bounds)
  expect(kept.length).toBeLessThan(messages.length)
  expect(kept[0]).toMatchObject({ images: [image, {}] })
  const [seen, unseen] = [messages, [first, ...rest]].map((all) => promptTokens({ system: "", messages: all }))
  expect((seen ?? 0) - (unseen ?? 0)).toBeGreaterThan(2600)
  expect((seen ?? 0) - (unseen ?? 0)).toBeLessThan(2800)
})
