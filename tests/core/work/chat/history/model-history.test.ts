import { compact } from "@switchyard/core/work/chat/history/compaction"
import { modelHistory, type PathEvent, pathTo, withoutOldest } from "@switchyard/core/work/chat/history/model-history"
import { placeContext } from "@switchyard/core/work/chat/prompt/place-context"
import { assembleContext } from "@switchyard/core/work/context/assemble-context"
import { COMPACTION_TOKENS } from "@switchyard/core/work/context/budgets"
import type { ContextItem } from "@switchyard/core/work/context/tiers"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../../settings.ts"

const CHARS = 8000
const at = (seq: number) => ({ seq, ts: "", event_id: "", chat_id: "c" })

/** Returns a conversation of this many messages. Message n has seq n + 1. */
function conversation(length: number): PathEvent[] {
  const events = Array.from({ length }, (_, nth) => {
    const content = `${nth} ${"x".repeat(CHARS)}`
    const type = nth % 2 === 0 ? "chat_asked" : "chat_answered"
    return { ...at(nth + 1), type, content, cancelled: false }
  })
  return events as unknown as PathEvent[]
}

const historyBefore = (seq: number) => withoutOldest(modelHistory(conversation(200).filter((event) => event.seq < seq)))
const numbersBefore = (seq: number) => historyBefore(seq).map(({ number }) => number)

describe("the history that a model reads where no summary could be made", () => {
  it("is whole until it is twice as long as it may be", () => {
    expect(numbersBefore(21)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1))
  })

  it("then loses its oldest part, begins with a question, and keeps what is newest", () => {
    for (let seq = 1; seq <= 201; seq += 2) {
      const history = historyBefore(seq)
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

interface Told {
  type: string
  seq: number
  chat_id: string
  to_seq?: number
  case?: string
  kept_from?: number
}

/** Replays all events from the first on, as a simple reference for the backward reading. */
function readForwards(events: readonly Told[]): { summary: number; messages: number[] } {
  const moments: { seq: number; summary: number; messages: number[] }[] = []
  let now = { summary: 0, messages: [] as number[] }
  for (const event of events) {
    if (event.type === "chat_rewound") {
      now = moments.findLast(({ seq }) => seq <= (event.to_seq ?? 0)) ?? { summary: 0, messages: [] }
    } else if (event.type === "chat_compacted") {
      const { messages } = now
      if (event.case !== "none") {
        now = { summary: event.seq, messages: messages.filter((seq) => seq >= (event.kept_from ?? 0)) }
      }
    } else now = { ...now, messages: [...now.messages, event.seq] }
    moments.push({ seq: event.seq, ...now })
  }
  return { summary: now.summary, messages: now.messages }
}

async function readBack(events: readonly Told[]) {
  let read = 0
  async function* back() {
    for (const event of events.toReversed()) {
      read++
      yield event
    }
  }
  const path = await pathTo(back(), { chatId: "c", beforeSeq: Number.POSITIVE_INFINITY })
  const messages = path.filter(({ type }) => type !== "chat_compacted").map(({ seq }) => seq)
  const summary = path.find(({ type }) => type === "chat_compacted")?.seq ?? 0
  return { summary, messages, read }
}

describe("the way back through a conversation", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.constant({ type: "message", share: 0 }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("rewind"), share }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("compaction"), share }) },
  )

  it("finds what a reading from the beginning finds, whatever was undone, returned to and summarised", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const events: Told[] = []
        for (const { type, share } of steps) {
          const told = { seq: 2 * events.length + 1, chat_id: "c" }
          const { messages } = readForwards(events)
          const kept = messages[Math.floor(share * messages.length)]
          if (type === "rewind") events.push({ ...told, type: "chat_rewound", to_seq: Math.floor(share * told.seq) })
          else if (type === "message") events.push({ ...told, type: "chat_asked" })
          else if (kept !== undefined) {
            const made = share > 0.8 ? "none" : "summarize"
            events.push({ ...told, type: "chat_compacted", case: made, kept_from: kept })
          }
        }
        const { summary, messages } = await readBack(events)
        expect({ summary, messages }).toEqual(readForwards(events))
      }),
    )
  })

  it("reads no more than what came after the summary", async () => {
    const told = Array.from({ length: 1000 }, (_, nth) => ({ seq: nth + 1, chat_id: "c", type: "chat_asked" }))
    const compacted = { seq: 1001, chat_id: "c", type: "chat_compacted", case: "summarize", kept_from: 990 }
    const { read, messages } = await readBack([...told, compacted])
    expect([messages[0], messages.length, read]).toEqual([990, 11, 13])
  })
})

const share = fc.double({ min: 0, max: 1, noNaN: true })
const turn = fc.record({
  answer: fc.constantFrom("whole", "whole", "whole", "empty", "stopped", "stopped at once", "refused"),
  chars: fc.constantFrom(10, 4000, 24_000),
  selected: fc.subarray(["a.ts", "b.ts"]),
  next: fc.constantFrom("nothing", "nothing", "note", "rewind", "summary", "new topic", "fork"),
  share,
})

/** Returns the text of an answer, original or copied. Undefined for other events. */
function textOf(event: PathEvent): string | undefined {
  if (event.type === "chat_answered") return event.content as string
  return event.type === "chat_message_copied" ? (event.message as { content: string }).content : undefined
}

/** Returns the beginning of a fork: copies of the conversation's messages, with seqs from `first`. */
function forked(path: readonly PathEvent[], first: number): Told[] {
  return modelHistory(path).map(({ role, content }, nth) => {
    const message = { role, content, request_id: null }
    return { ...at(first + nth), type: "chat_message_copied", message } as unknown as Told
  })
}

describe("the messages of a turn", () => {
  it("alternate, and each question is followed by its answer, whatever became of the turns before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 14 }), fc.constantFrom(0, 1127, 4506), async (turns, target) => {
        let log: Told[] = []
        let places: ContextItem[] | null = null
        const pathNow = async () => {
          async function* back() {
            yield* log.toReversed()
          }
          return pathTo(back(), { chatId: "c", beforeSeq: Number.POSITIVE_INFINITY })
        }
        for (const [nth, { answer, chars, selected, next: act, share }] of turns.entries()) {
          const path = await pathNow()
          const history = withoutOldest(modelHistory(path))
          const files = selected.map((name) => ({ path: name, text: `${name}\n`.repeat(500) }))
          const map = {
            legend: "",
            blocks: new Map(),
            references: { mutual: [], referrers: new Map() },
            leftOut: 0,
            unparsed: 0,
          }
          const placed = placeContext(places, { map, files, history }, { target, treeTokens: 10, systemTokens: 10 })
          places = placed.state.items
          const { messages } = assembleContext({
            ...{ systemPrompt: "", legend: "", state: placed.state, tree: ["a.ts"], message: `Q${nth}` },
            ...{ files: new Map(files.map((file) => [file.path, file.text])) },
            history: new Map(history.map((message) => [message.number, message])),
          })
          expect(messages.map(({ role }) => role)).toEqual(
            messages.map((_, at) => (at % 2 === 0 ? "user" : "assistant")),
          )
          const answers = path.flatMap((event) => textOf(event) ?? [])
          const asked = messages.slice(0, -1).flatMap(({ content }, at) => (/^(Q|N|Summary)/.test(content) ? [at] : []))
          // All messages are there in order, and nothing separates a question from its answer.
          expect(asked.map((at) => messages[at]?.content)).toEqual(
            history.flatMap(({ role, content }) => (role === "user" ? [content] : [])),
          )
          for (const at of asked) {
            const [question, reply = ""] = [messages[at]?.content ?? "", messages[at + 1]?.content ?? ""]
            const answer = answers.find((text) => question.startsWith("Q") && text.startsWith(`A${question.slice(1)} `))
            if (question.startsWith("S")) expect(reply).toBe("Ok.")
            else if (answer === undefined) expect(["[no answer]", "[stopped]"]).toContain(reply)
            else expect(reply.slice(0, answer.length)).toBe(answer)
          }

          const seq = (log.at(-1)?.seq ?? 1) + 1
          const of = { request_id: `r${nth}`, chat_id: "c" }
          const text = answer === "empty" || answer === "stopped at once" ? "" : `A${nth} ${"x".repeat(chars)}`
          const cancelled = answer.startsWith("stopped")
          const finish_reason = answer === "refused" ? "refusal" : "end"
          log.push({ ...at(seq), ...of, type: "chat_asked", content: `Q${nth}` } as Told)
          const answered = { type: "chat_answered", content: text, cancelled, finish_reason }
          log.push({ ...at(seq + 1), ...of, ...answered } as Told)
          const next = seq + 3
          if (act === "note") log.push({ ...at(next), type: "chat_noted", text: `N${nth}` } as Told)
          if (act === "rewind") log.push({ ...at(next), type: "chat_rewound", to_seq: Math.floor(share * seq) } as Told)
          if (act === "summary" || act === "new topic") {
            const now = modelHistory(await pathNow())
            const boundary = act === "summary" ? null : Math.floor(share * now.length)
            const made = compact(now, { boundary, confidence: 1, summary: "They spoke." })
            const event = { type: "chat_compacted", case: made.case, kept_from: made.keptFrom, summary: made.summary }
            if (now.length > 0) log.push({ ...at(next), ...event } as Told)
          }
          if (act === "fork") {
            log = forked(await pathNow(), next)
            places = null
          }
        }
      }),
      { numRuns: cases({ usual: 200, deep: 3000 }) },
    )
  })
})
