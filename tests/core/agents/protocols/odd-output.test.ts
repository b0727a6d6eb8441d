import type { AgentTask } from "@switchyard/core/agents/clis/cli"
import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import { createRendering } from "@switchyard/core/agents/conversations/rendering"
import { createTranscript } from "@switchyard/core/agents/conversations/transcript"
import { problemOf } from "@switchyard/core/agents/protocols/api-refusal"
import { streamJson } from "@switchyard/core/agents/protocols/stream-json"
import { todosOf } from "@switchyard/core/agents/protocols/todos"
import { SessionEvent } from "@switchyard/core/events"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { listen, type Recording, recordings } from "../clis/recordings.ts"

type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

const odd = fc.constantFrom<Json>(
  ...[null, true, 0, -1, 1e18, 1e308, "", "__proto__", "\u001b[2J\0\ud83d", "x".repeat(100_000)],
  ...[[], [null], [[]], ["x"], {}, { a: { b: 1 } }, JSON.parse('{"__proto__":{"type":"text"},"constructor":1}')],
)
const noise = fc.constantFrom(
  ...[
    "",
    "(node:12) Warning: something is deprecated",
    "{",
    '{"type":',
    "null",
    "[]",
    "[{}]",
    '"text"',
    "1",
    "{}",
    "\u001b[33mwarn\u001b[0m",
  ],
  ...[
    '{"type":"of_a_later_version","message":{"content":[{"type":"text","text":"x"}]}}',
    '{"type":null}',
    '{"__proto__":{"type":"result"}}',
  ],
)

const linesOf = ({ stdout }: Recording) => stdout.toString().split("\n").filter(Boolean)
const hear = (recording: Recording, lines: string[]) => listen(recording, [Buffer.from(`${lines.join("\n")}\n`)])

/** Returns every value nested in a value, each with a function that returns the whole with that value replaced. */
function places(value: Json, rebuilt: (by: Json) => Json = (by) => by): { put: (by: Json) => Json; value: Json }[] {
  const here = { put: rebuilt, value }
  if (typeof value !== "object" || value === null) return [here]
  const inner = Object.entries(value).flatMap(([key, one]) =>
    places(one, (by) => rebuilt(Array.isArray(value) ? value.with(Number(key), by) : { ...value, [key]: by })),
  )
  return [here, ...inner]
}

/** Checks that a terminal can show these events and that the log accepts them. */
function expectToBeShown(events: AgentEvent[]) {
  const [transcript, rendering] = [createTranscript({ cli: "claude", now: () => 0 }), createRendering()]
  for (const event of events) rendering.render(event)
  for (const event of [...events.flatMap((one) => transcript.take(one)), ...transcript.close()]) {
    expect(SessionEvent.safeParse(event).error).toBeUndefined()
  }
}

describe.each(recordings)("the recording $name", (recording) => {
  const whole = hear(recording, linesOf(recording))

  it("means the same with lines between that mean nothing", () => {
    const lines = linesOf(recording)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(lines.length), noise), { maxLength: 5 }), (added) => {
        const noisy = added.reduce((all, [at, line]) => all.toSpliced(at, 0, line), lines)
        expect(hear(recording, noisy)).toEqual(whole)
      }),
      { numRuns: 10 },
    )
  })

  it("says what it had said, wherever it breaks off", () => {
    fc.assert(
      fc.property(fc.nat(recording.stdout.length), (end) => {
        const { events } = listen(recording, [recording.stdout.subarray(0, end)])
        expect(events).toEqual(whole.events.slice(0, events.length))
      }),
      { numRuns: 10 },
    )
  })

  it("can be read, logged and shown whatever one of its values becomes", () => {
    const lines = linesOf(recording).filter((line) => line.startsWith("{"))
    if (lines.length === 0) return
    fc.assert(
      fc.property(fc.nat(), fc.nat(), odd, (line, place, by) => {
        const at = line % lines.length
        const all = places(JSON.parse(lines[at] ?? ""))
        const changed = JSON.stringify(all[place % all.length]?.put(by))
        expectToBeShown(hear(recording, lines.with(at, changed)).events)
      }),
      { numRuns: 30 },
    )
  })
})

describe("a program's word", () => {
  const claude = () =>
    streamJson({ prompt: "x", root: "/p", cwd: "/p", home: "/h", resume: null } as AgentTask, {
      inputIncludesCacheRead: false,
      resumedUsageIsTotal: false,
    })
  const heard = (message: object) => claude().parse(Buffer.from(`${JSON.stringify(message)}\n`)).events

  it.each([1e18, -1e18, 1e15, 4e11])("for the end of a limit is none where it is no time: %d", (resetsAt) => {
    const rate_limit_info = { status: "rejected", rateLimitType: "five_hour", resetsAt }
    expect(heard({ type: "rate_limit_event", rate_limit_info })).toMatchObject([{ type: "quota", resetsAt: null }])
    const headers = { "retry-after": String(Math.abs(resetsAt)) }
    expect(problemOf({ status: 429, headers, body: "", now: 0 }).problem).not.toHaveProperty("resets_at")
  })

  it("for how far something is is known only if it is one of ours", () => {
    expect(
      todosOf([
        { content: "a", status: "__proto__" },
        { content: "b", status: "constructor" },
      ]),
    ).toEqual([
      { text: "a", status: "pending" },
      { text: "b", status: "pending" },
    ])
  })

  it("that is nested deeper than anything can write again is none", () => {
    const deep = (levels: number) => {
      const input = `${'{"a":'.repeat(levels)}"]}\\"${'"'}${"}".repeat(levels)}`
      const block = `{"type":"tool_use","id":"t","name":"Odd","input":${input}}`
      const line = `{"type":"assistant","message":{"id":"m","content":[${block}]}}\n`
      const { events } = claude().parse(Buffer.from(line))
      expectToBeShown(events)
      return events.map(({ type }) => type)
    }
    expect(deep(20_000)).toEqual([])
    expect(deep(300)).toEqual(["tool_started"])
  })

  it("is heard, too, where it isn't in blocks", () => {
    expect(heard({ type: "assistant", message: { id: "m", content: "Hello" } })).toMatchObject([
      { type: "text", text: "Hello" },
    ])
  })
})
